/** The history that a log grows by: sales of many accounts in turn, and one account with a long life of its own. */
import { randomUUID } from 'node:crypto'
import type { NewEvent } from '../../domain/kernel/ports.ts'
import type { TransactionEvents } from '../../domain/selling/transactions/transaction-events.ts'
import { world } from '../../src/settings/world.ts'

/** One append: a stream's first events, or more of the long one. */
export type Written = { readonly stream: string; readonly expected: bigint; readonly events: readonly NewEvent[] }

export type History = {
  readonly events: number
  readonly sales: number
  readonly accounts: number
  readonly longEvents: number
  readonly appendCount: number
  appends(): Generator<Written>
}

/** The account of the long stream. */
export const LONG_ACCOUNT = 'acc_long'
/**
 * A history consists of turns: sales of four events, and more of the long stream. As in the product, where a sale also
 * books on an account, holds an amount on an address and moves a watch, four events of ten are in a stream that never
 * ends.
 */
const TURN_EVENTS = 1_000
const SALES_PER_TURN = 150
const LONG_APPENDS_PER_TURN = 4
const LONG_EVENTS_PER_APPEND = 100
const LONG_EVENTS_PER_TURN = LONG_APPENDS_PER_TURN * LONG_EVENTS_PER_APPEND
const APPENDS_PER_SALE = 2
const START_MS = Date.UTC(2026, 0, 1)

/** `events` is a multiple of 1,000. There are as many accounts as each of them has sales, so that both grow alike. */
export const historyOf = (events: number): History => {
  const turns = events / TURN_EVENTS
  const sales = turns * SALES_PER_TURN
  const accounts = Math.round(Math.sqrt(sales))
  return {
    events,
    sales,
    accounts,
    longEvents: turns * LONG_EVENTS_PER_TURN,
    appendCount: turns * (SALES_PER_TURN * APPENDS_PER_SALE + LONG_APPENDS_PER_TURN),
    *appends() {
      for (let turn = 0; turn < turns; turn++) {
        for (let i = 0; i < SALES_PER_TURN; i++) yield* saleOf(turn * SALES_PER_TURN + i, accounts)
        for (let i = 0; i < LONG_APPENDS_PER_TURN; i++)
          yield longPart(turn * LONG_EVENTS_PER_TURN + i * LONG_EVENTS_PER_APPEND)
      }
    },
  }
}

export const accountOf = (sale: number, accounts: number): string => `acc_${sale % accounts}`

/** Ids are as scattered as the product's own. */
export const transactionIdOf = (sale: number): string => String(world.numberFrom('growth', String(sale)))

export const transactionOf = (
  accountId: string,
  id: string,
  createdAt: string,
): TransactionEvents['TransactionCreated'] => ({
  accountId,
  challengeId: challengeIdOf(id),
  resId: 'res_1',
  externalReference: `res_1.${challengeIdOf(id)}`,
  type: 'resource',
  title: 'Resource res_1',
  cryptocurrency: 'eth',
  amount: '0.04',
  amountFiat: '100',
  currency: 'USD',
  hash: `0x${id}`,
  payer: '0xbuyer',
  webhookUrl: null,
  test: false,
  createdAt,
})

/** A challenge's id, as long as the product's own. */
const challengeIdOf = (id: string) => `ch_${id.padStart(26, 'a')}.eth`

function* saleOf(sale: number, accounts: number): Generator<Written> {
  const at = new Date(START_MS + sale * 1_000).toISOString()
  const accountId = accountOf(sale, accounts)
  const transactionId = transactionIdOf(sale)
  const of = { accountId, transactionId }
  const completed = { accountId, test: false, hash: `0x${transactionId}`, payer: '0xbuyer', confirmedAt: at }
  const outcome = { status: 200, reason: null, bodyHead: 'ok', durationMs: 12, attemptedAt: at }
  yield first(`transaction-${transactionId}`, [
    event('TransactionCreated', at, transactionOf(accountId, transactionId, at)),
    event('TransactionCompleted', at, completed),
  ])
  yield first(`delivery-${transactionId}`, [
    event('DeliveryScheduled', at, { ...of, url: 'https://hook.example/', slot: 'account', test: false }),
    event('DeliveryAccepted', at, { ...of, ...outcome }),
  ])
}

const first = (stream: string, events: readonly NewEvent[]): Written => ({ stream, expected: -1n, events })

const longPart = (from: number): Written => ({
  stream: `creditAccount-${LONG_ACCOUNT}`,
  expected: BigInt(from) - 1n,
  events: Array.from({ length: LONG_EVENTS_PER_APPEND }, (_, i) => {
    const position = String(from + i + 1)
    const booked = { amount: '0', owed: '1', reason: 'platform-fee', source: 'growth', position }
    return event('CreditDebited', new Date(START_MS).toISOString(), { ...booked, ref: challengeIdOf(position) })
  }),
})

const event = (type: string, at: string, data: object): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  meta: { v: 1, at, cause: { actor: 'bench', correlationId: 'bench' } },
})
