/** What of the log passes by a process that only stands by. */
import type { Logger } from 'pino'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { HOT_READ_MODELS } from './hot-rows.ts'

/**
 * Streams of single payments, and of what follows from them. Whoever decides on one reads the store, or appends at the
 * revision that it knows; a page that shows one reads rows. So nobody who writes one waits for the other processes:
 * each sale would cost two messages more.
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
export const isKept = (stream: string): boolean => !PASSING.has(stream.slice(0, stream.indexOf('-')))

const typesOf = (isPassing: boolean): readonly string[] =>
  Object.values(deciders)
    .filter(({ category }) => PASSING.has(category) === isPassing)
    .flatMap(({ evolve }) => Object.keys(evolve))

const HEARD = new Set([...typesOf(false), ...HOT_READ_MODELS.flatMap(({ on }) => Object.keys(on))])

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
