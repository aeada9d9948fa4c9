import type { Sql } from 'postgres'
import { type AccountRef, appRef, type TransferKind, userRef } from '../../domain/balance/transfer-terms.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Change, type Projection, put, type Table } from '../engine/projection.ts'

/**
 * The balances of users and apps, and the entries that they come from (A-BAL-01, A-MAN-08). Accounts are `user:<sub>`
 * and `app:<client id>`.
 */

const balances = {
  name: 'balances',
  columns: { account: 'text', balance: 'numeric' },
  key: ['account'],
} as const satisfies Table

const entries = {
  name: 'balance_entries',
  columns: {
    account: 'text',
    // Its place in the account's stream: it rises, with gaps, so that a page far down is found at once.
    number: 'bigint',
    ledger_ref: 'text',
    kind: 'text',
    // The amount is below zero for money that went out.
    amount: 'numeric',
    balance: 'numeric',
    other: 'text',
    client_id: 'text',
    description: 'text',
    intent_id: 'text',
    mandate_id: 'text',
    top_up_id: 'text',
    at: 'text',
  },
  key: ['account', 'number'],
} as const satisfies Table

export const balancesProjection: Projection = {
  name: 'balances',
  version: 2,
  tables: [balances, entries],
  on: {
    BalanceReceived: (event) => booked(userRef(idOf(event.stream)), event, event.data.amount, event.data.from),
    BalanceTakenBack: (event) => booked(userRef(idOf(event.stream)), event, `-${event.data.amount}`, 'platform'),
    OwedBalanceCollected: (event) => booked(userRef(idOf(event.stream)), event, `-${event.data.amount}`, 'platform'),
    BalanceSent: (event) => booked(userRef(idOf(event.stream)), event, `-${event.data.total}`, payeeOf(event.data)),
    AppCreditReceived: (event) => booked(appRef(idOf(event.stream)), event, event.data.amount, event.data.from),
    AppCreditSent: (event) => booked(appRef(idOf(event.stream)), event, `-${event.data.total}`, payeeOf(event.data)),
  },
}

type BalanceEvent = {
  readonly at: string
  readonly revision: bigint
  readonly data: {
    ledgerRef: string
    kind: TransferKind
    balance: string
    clientId: string | null
    description: string | null
    intentId?: string
    mandateId?: string
    topUpId?: string
  }
}

const booked = (account: AccountRef, event: BalanceEvent, amount: string, other: string): readonly Change[] => {
  const { balance, ledgerRef, kind, clientId, description, intentId, mandateId, topUpId } = event.data
  return [
    put(balances, { account, balance }),
    put(entries, {
      account,
      number: String(event.revision),
      ledger_ref: ledgerRef,
      kind,
      amount,
      balance,
      other,
      client_id: clientId,
      description,
      at: event.at,
      intent_id: intentId ?? null,
      mandate_id: mandateId ?? null,
      top_up_id: topUpId ?? null,
    }),
  ]
}

const payeeOf = ({ legs }: { legs: readonly { to: AccountRef }[] }): string => legs.map(({ to }) => to).join(' ')

export type BalanceEntryRow = {
  /** The number of the entry; the next page is of those before it. */
  number: string
  ledgerRef: string
  kind: TransferKind
  /**
   * The amount, which is below zero for money that went out, and the balance afterwards, in millionths of a US dollar.
   */
  amount: string
  balance: string
  /** The account that it came from, or the accounts that it went to; or `platform`. */
  other: string
  clientId: string | null
  /** The description, sealed. */
  description: string | null
  intentId: string | null
  mandateId: string | null
  topUpId: string | null
  at: string
}

export const balanceQueries = (sql: Sql) => ({
  /** The balance of an account, in millionths of a US dollar. */
  async balance(account: AccountRef): Promise<bigint> {
    const [row] = await sql<{ balance: string }[]>`select balance::text from balances where account = ${account}`
    return BigInt(row?.balance ?? '0')
  },
  /** The entries of an account, newest first; `before` is the number of the last one that is known. */
  balanceEntries: (account: AccountRef, limit: number, before?: string): Promise<BalanceEntryRow[]> => sql<
    BalanceEntryRow[]
  >`
    select number::text, ledger_ref as "ledgerRef", kind, amount::text, balance::text, other, client_id as "clientId", description,
      intent_id as "intentId", mandate_id as "mandateId", top_up_id as "topUpId", at
    from balance_entries where account = ${account} ${before === undefined ? sql`` : sql`and number < ${before}`}
    order by balance_entries.number desc limit ${limit}`,
})
