import type { Fragment, Sql } from 'postgres'
import { assetOf } from '../../domain/kernel/assets.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import { decimalsOf } from '../../domain/reading/journal.ts'
import type { LonePosting, LoneTransaction } from '../../domain/reading/reconciliation/line.ts'
import type {
  BookedTransfer,
  JournalSum,
  TransactionFacts,
  TransferRow,
} from '../../domain/reading/reconciliation/transfer.ts'
import type { Edits } from '../../domain/selling/transactions/transaction-edits.ts'
import type { ReconcileRows, ReconcileWish } from '../../domain/use-cases/money/reconcile.ts'
import { JOURNAL_SUMS, TRANSFERS } from './reconcile-sql.ts'

/** What a reconciliation reads, by pages in the ledger's own order. */
export const reconcileQueries = (sql: Sql): ReconcileRows & { hasSold(accountId: string): Promise<boolean> } => ({
  /** Whether anything was ever booked for an account, or it has a transaction. */
  async hasSold(accountId) {
    const [row] = await sql`
      select where exists (select from booked_transfers where account_id = ${accountId})
        or exists (select from transactions where account_id = ${accountId})`
    return row !== undefined
  },
  async reconciledTransfers(wish, after, limit) {
    const found = await sql<TransferQueryRow[]>`
      ${sql.unsafe(TRANSFERS)} where ${transfersOf(sql, wish)} and b.place > ${after} order by b.place limit ${limit}`
    return withJournal(sql, found)
  },
  async reconciledAgain(places) {
    if (places.length === 0) return []
    const found = await sql<TransferQueryRow[]>`
      ${sql.unsafe(TRANSFERS)} where b.place in ${sql(places)} order by b.place`
    return withJournal(sql, found)
  },
  async reconciledTransferCount(wish) {
    const [row] = await sql<{ count: string }[]>`
      select count(*) from booked_transfers b left join transactions t on t.transaction_id = b.transaction_id
      where ${transfersOf(sql, wish)}`
    return BigInt(row?.count ?? 0)
  },
  async loneTransactions(wish, after, limit) {
    const { accountId, stores, test, from, to } = wish
    const at = sql`coalesce(t.confirmed_at, t.created_at)`
    const found = await sql<LoneQueryRow[]>`
      select t.account_id as "accountId", t.transaction_id as id, t.number::text, t.type, t.challenge_id as "challengeId",
        coalesce(t.facts->>'status', t.status) as status, t.test, t.amount_fiat as "amountFiat", t.currency,
        ${at} as at, t.edits, t.edited_at as "editedAt"
      from transactions t
      where (t.account_id, t.number) > (${after.accountId}, ${after.number}::bigint) and t.deleted_at is null
        and (t.status = 'C' or t.facts->>'status' = 'C') and t.test = ${test}
        and ${accountId === undefined ? sql`true` : sql`t.account_id = ${accountId}`}
        and ${inStores(sql, sql`t.store_id`, stores)}
        and ${from === undefined ? sql`true` : sql`${at} >= ${from}`} and ${to === undefined ? sql`true` : sql`${at} <= ${to}`}
        and not exists (
          select from booked_transfers b where b.kind = 'payment' and b.challenge_id = t.challenge_id)
      order by t.account_id, t.number limit ${limit}`
    return found.map((row) => ({ key: { accountId: row.accountId, number: row.number }, transaction: loneOf(row) }))
  },
  async lonePostings(wish, after, limit) {
    const { accountId, from, to, by } = wish
    const at = by === 'mined' ? sql`coalesce(p.mined_at, p.at)` : sql`p.at`
    const view = accountId === undefined ? sql`true` : sql`p.view = ${viewNamed(accountId)}`
    const found = await sql<PostingQueryRow[]>`
      select p.view, p.position::text, p.line, p.asset, p.amount::text, p.at, p.mined_at as "minedAt", p.hash,
        p.transaction_id as "transactionId", p.challenge_id as "challengeId"
      from book_postings p
      where (p.view, p.position, p.line) > (${after.view}, ${after.position}::bigint, ${after.line}::integer) and ${view}
        and p.account = 'assets:receipts'
        and ${from === undefined ? sql`true` : sql`${at} >= ${from}`} and ${to === undefined ? sql`true` : sql`${at} <= ${to}`}
        and not exists (select from transfer_events e where e.position = p.position)
      order by p.view, p.position, p.line limit ${limit}`
    return found.map(({ view: name, position, line, ...row }) => ({
      key: { view: name, position, line },
      posting: {
        ...row,
        place: position,
        line,
        accountId: name.replace(/^seller:/, ''),
        decimals: decimalsOf(row.asset),
      },
    }))
  },
})

const viewNamed = (accountId: string): string => (accountId === 'platform' ? accountId : `seller:${accountId}`)

const inStores = (sql: Sql, column: Fragment, stores: readonly number[] | undefined): Fragment =>
  stores === undefined ? sql`true` : stores.length === 0 ? sql`false` : sql`${column} in ${sql([...stores])}`

/** The condition on transfers; a refund belongs to the store of the transaction that it gives back. */
const transfersOf = (sql: Sql, { accountId, stores, test, from, to, by }: ReconcileWish): Fragment => {
  const at = by === 'mined' ? sql`b.mined_at` : sql`b.at`
  return sql`b.test = ${test}
    and ${accountId === undefined ? sql`true` : sql`b.account_id = ${accountId}`}
    and ${inStores(sql, sql`case b.kind when 'refund' then t.store_id else b.store_id end`, stores)}
    and ${from === undefined ? sql`true` : sql`${at} >= ${from}`} and ${to === undefined ? sql`true` : sql`${at} <= ${to}`}`
}

type TransferQueryRow = Omit<BookedTransfer, 'row' | 'transaction' | 'journal'> & {
  readonly rowStatus: string | null
  readonly rowAmount: string | null
  readonly rowHash: string | null
  readonly rowAsset: string | null
  readonly refundState: 'sent' | 'lost' | null
  /** What the record shows as sent in all, and what of it other transfers sent. */
  readonly refundSent: string | null
  readonly refundOthers: string | null
  readonly txId: string | null
  readonly txShown: Readonly<Record<string, string | null>> | null
  readonly txFacts: Readonly<Record<string, string | number | boolean | null>> | null
  readonly txEdits: Edits | null
  readonly txEditedAt: string | null
}

const withJournal = async (sql: Sql, found: readonly TransferQueryRow[]): Promise<readonly BookedTransfer[]> => {
  if (found.length === 0) return []
  const sums = new Map<string, JournalSum[]>()
  const rows = await sql.unsafe<(JournalSum & { readonly place: string })[]>(JOURNAL_SUMS, [
    `{${found.map(({ place }) => place).join(',')}}`,
  ])
  for (const { place, view, asset, amount } of rows)
    sums.set(place, [...(sums.get(place) ?? []), { view, asset, amount }])
  return found.map((row) => transferOf(row, sums.get(row.place) ?? []))
}

const transferOf = (found: TransferQueryRow, journal: readonly JournalSum[]): BookedTransfer => {
  const { place, transferId, kind, accountId, network, hash, coin, asset, decimals, payer, payee, amount } = found
  const { at, minedAt, test, gone, isMoved, signed, matched, challengeId } = found
  const known = { place, transferId, kind, accountId, network, hash, coin, asset, decimals, payer, payee, amount }
  const row = kind === 'refund' ? refundRow(found) : settlementRow(found)
  const more = { at, minedAt, test, gone, isMoved, signed, matched, challengeId, row, journal }
  return { ...known, ...more, transaction: transactionOf(found) }
}

const settlementRow = ({ rowStatus, rowAmount, rowHash, rowAsset }: TransferQueryRow): TransferRow | undefined =>
  rowStatus === null || rowAmount === null || rowHash === null
    ? undefined
    : {
        status: rowStatus,
        amount: rowAmount,
        hash: rowHash,
        coin: rowAsset === null ? undefined : assetOf(rowAsset)?.code,
        gone: rowStatus === 'reversed',
      }

/** A record tells the sum of what was sent: what the other transfers did not send of it is this one's. */
const refundRow = (found: TransferQueryRow): TransferRow | undefined => {
  const { refundState, refundSent, refundOthers, amount, hash } = found
  if (refundState === null) return undefined
  const gone = refundState === 'lost'
  const shown = gone ? amount : String(BigInt(refundSent ?? 0) - BigInt(refundOthers ?? 0))
  return { status: gone ? 'unsent' : 'sent', amount: shown, hash, coin: undefined, gone }
}

const transactionOf = ({
  txId,
  txShown,
  txFacts,
  txEdits,
  txEditedAt,
}: TransferQueryRow): TransactionFacts | undefined => {
  if (txId === null || txShown === null) return undefined
  const edited = Object.keys(txEdits ?? {}).sort()
  const facts = txFacts ?? {}
  const overwritten = Object.entries(OF_MONEY).flatMap(([column, key]) =>
    column in facts && String(facts[column] ?? '') !== String(txShown[column] ?? '') ? [key] : [],
  )
  return {
    transactionId: txId,
    status: String(facts.status ?? txShown.status),
    edited,
    overwritten,
    editedAt: edited.length === 0 ? null : txEditedAt,
  }
}

/** The columns that tell of the money, and the keys that write over them. */
const OF_MONEY: Readonly<Record<string, string>> = {
  status: 'status',
  hash: 'hash',
  amount: 'amount',
  amount_fiat: 'amount_fiat',
  cryptocurrency: 'cryptocurrency',
  payer: 'from',
  test: 'is_test',
}

type LoneQueryRow = Omit<LoneTransaction, 'transactionId' | 'amount' | 'edited'> & {
  readonly id: string
  readonly number: string
  readonly amountFiat: string
  readonly edits: Edits | null
}

const loneOf = ({ id, number: _, amountFiat, edits, editedAt, ...row }: LoneQueryRow): LoneTransaction => {
  const edited = Object.keys(edits ?? {}).sort()
  return {
    ...row,
    transactionId: id,
    amount: millionths(amountFiat),
    edited,
    editedAt: edited.length === 0 ? null : editedAt,
  }
}

/** Null for what a hand has written that is no amount of money. */
const millionths = (text: string): string | null =>
  /^\d{1,15}(\.\d{1,6})?$/.test(text) ? String(toUnits(text, FIAT_DECIMALS)) : null

type PostingQueryRow = Omit<LonePosting, 'place' | 'accountId' | 'decimals'> & {
  readonly view: string
  readonly position: string
}
