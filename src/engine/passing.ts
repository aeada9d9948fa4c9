/** What of the log passes by a process that only stands by. */
import type { Logger } from 'pino'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { categoryOf } from '../../domain/kernel/decider.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { resourcesProjection } from '../../projections/selling/resources.ts'

/**
 * Streams of single payments, and of what follows from them. Whoever decides on one reads the store, or appends at the
 * revision that it knows; a page that shows one reads rows, and waits for them. So nobody who writes one waits for the
 * other processes, but for the first sale of a resource (`sold-before.ts`).
 */
export const PASSING: ReadonlySet<string> = new Set([
  'authorization',
  'caller',
  'cardPayment',
  'chainWatch',
  'challenge',
  'checkoutSession',
  'cosignatures',
  'creditAccount',
  'delivery',
  'intent',
  'ledgerEntry',
  'letter',
  'notification',
  'payer',
  'paymentName',
  'receiptLetter',
  'receiveAddress',
  'refundTransfer',
  'relay',
  'relayBudget',
  'seals',
  'topUp',
  'transaction',
  'transfer',
])

/** Whether other processes rely on what they keep of a stream. */
export const isKept = (stream: string): boolean => !PASSING.has(categoryOf(stream))

const typesOf = (isPassing: boolean): readonly string[] =>
  Object.values(deciders)
    .filter(({ category }) => PASSING.has(category) === isPassing)
    .flatMap(({ evolve }) => Object.keys(evolve))

/**
 * The types of the events of such streams that change a row which every process keeps (`hot-rows.ts`): whoever writes
 * one waits for the other processes as well. What else the read models of these rows take of them changes other rows.
 */
const CHANGE_ROWS: ReadonlySet<string> = new Set(
  typesOf(true).filter((type) => Object.hasOwn(resourcesProjection.on, type)),
)

/** Whether an event of this type changes a row that every process keeps, whichever stream it is of. */
export const changesRow = (type: string): boolean => CHANGE_ROWS.has(type)

const HEARD = new Set([...typesOf(false), ...CHANGE_ROWS])

/** The types of the events that neither change a stream that others keep nor a row that this process keeps. */
export const LEFT_OUT: ReadonlySet<string> = new Set(typesOf(true).filter((type) => !HEARD.has(type)))

/**
 * Whether the store can leave these events out. A node of a former release takes no filter of this length; the process
 * then hears of everything, as that release does.
 */
export const mayLeaveOut = async (
  store: Pick<LogStore, 'head' | 'newestBeside'>,
  log: Pick<Logger, 'warn'>,
): Promise<boolean> => {
  if (!store.newestBeside) return false
  try {
    await store.newestBeside(LEFT_OUT, await store.head())
    return true
  } catch (error) {
    log.warn({ err: error }, 'the store leaves out no events; this process hears of all of them')
    return false
  }
}
