import { setTimeout as pause } from 'node:timers/promises'
import type { Network } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'
import type { PendingPayment } from '../../../domain/use-cases/selling/settling/book-transfer.ts'
import { recheckPayment } from '../../../domain/use-cases/selling/settling/recheck-payment.ts'
import { transferData } from '../../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { type Cursor, firstCursor, movedCursor, placeOf } from '../rpc/cursor.ts'
import { type BookedContext, type BookedWatch, createBookedWatch } from './booked.ts'
import type { SecondVoices } from './second-voice.ts'
import type { WatchedNames } from './watched.ts'

/**
 * Reads a chain block by block up to its newest, writes down the transfers to receive addresses, and looks again at
 * payments that wait for confirmations. What a block costs depends neither on how many challenges are open nor on how
 * many addresses are watched. The cursor is in the log, so blocks missed while down are read afterwards; when its block
 * is not in the chain any more, the watch goes back and reads again (N-24).
 */

/**
 * Limits of the pause between two looks for a new block, which is half the time of a block: providers count calls. On a
 * chain other than the main one, where blocks may come on demand, the pause is the shorter limit.
 */
const POLL_MS_MIN = 1_000
const POLL_MS_MAX = 5_000
const BLOCKS_PER_READ_MAX = 1_000
/**
 * Blocks without a payment after which the place is written down again; what lies between is read again after a
 * restart.
 */
const BLOCKS_PER_RECORD_MAX = 500
/**
 * Transfers that go in one append at most; for more, fewer blocks are read at once. One block alone is written whole.
 */
const TRANSFERS_PER_RECORD_MAX = 1_000
/** Waiting payments looked at in one turn, and milliseconds for it; the rest come in the next turns. */
const PENDING_PER_TURN_MAX = 500
const PENDING_MS = 10_000
/** Heights below the end of a range where a block is looked for, when the end itself has none. */
const SKIPPED_MAX = 16

export type WatchContext = BookedContext & {
  readonly ledger: Ledger
  /** The names to look for; undefined while they are behind the log. */
  watched(network: string): Promise<WatchedNames | undefined>
  /**
   * Payments that are deep enough at this height, and all that were seen above `from`, when that is given: the `limit`
   * oldest after the payment `after`.
   */
  pending(
    network: string,
    height: number,
    from: number | undefined,
    limit: number,
    after?: PendingPayment,
  ): Promise<readonly PendingPayment[]>
  readonly secondVoice: Pick<SecondVoices, 'heard' | 'rests'>
  /** Called with the newest block that was read. */
  stands(network: string, height: number): void
  readonly log: { warn(fields: object, message: string): void }
}

/** Watches until the signal aborts. A chain that does not answer is asked again; nothing is skipped. */
export const watchChain = async (network: Network, chain: Chain, context: WatchContext, signal: AbortSignal) => {
  const booked = createBookedWatch(network, chain, context)
  const seen = { cursor: undefined, replacedAbove: undefined, looked: undefined }
  const watch: Watch = { network, chain, context, booked, ...seen }
  while (!signal.aborted) {
    try {
      await turn(watch)
    } catch (error) {
      context.log.warn({ network: network.name, err: error }, 'chain watch failed, trying again')
    }
    if (watch.cursor) context.stands(network.name, watch.cursor.height)
    await pause(paceOf(network, chain), undefined, { signal }).catch(() => {})
  }
}

const paceOf = ({ chains: [main], blockSeconds }: Network, { caip2 }: Chain): number =>
  caip2 === main.caip2 ? Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, blockSeconds * 500)) : POLL_MS_MIN

type Watch = {
  readonly network: Network
  readonly chain: Chain
  readonly context: WatchContext
  readonly booked: BookedWatch
  /** Moves with every range that was read, so that a failure later on costs only what was under way. */
  cursor: Cursor | undefined
  /** Payments that were seen above this height have not been looked at since a reorganisation. */
  replacedAbove: number | undefined
  /** The payment that was looked at last, where others that wait come after it. */
  looked: PendingPayment | undefined
}

const turn = async (watch: Watch) => {
  const { network, chain, context } = watch
  // The head first: whoever could pay in these blocks got an address before, and that address is then among the watched
  // ones.
  const head = await chain.head()
  const watched = await context.watched(network.name)
  if (watched === undefined) return
  watch.cursor ??= firstCursor(await context.ledger.chainWatch.read(network.name), head)
  const place = await placeOf(chain, network, watch.cursor, head)
  watch.cursor = place.cursor
  if (place.kind === 'unsure') return
  if (place.kind === 'reorganised') await goBack(watch, place.from, place.cursor)
  await advance(watch, place.cursor, head, watched)
  await recheck(watch, head)
  await watch.booked.turn(head, watch.cursor.height)
}

const goBack = async (watch: Watch, from: number, to: Cursor) => {
  const { name } = watch.network
  const { ledger, log } = watch.context
  const { height } = to
  watch.replacedAbove = Math.min(height, watch.replacedAbove ?? height)
  watch.booked.reorganised(height)
  watch.looked = undefined
  log.warn({ network: name, height: from, again: height }, 'the chain was reorganised, reading again')
  const hash = to.blocks.findLast((block) => block.height === height)?.hash
  await ledger.chainWatch.reorganised(name, { network: name, from, height, ...(hash !== undefined && { hash }) })
}

/** Reads what is new. */
const advance = async (watch: Watch, from: Cursor, head: ChainHead, { addresses, contracts }: WatchedNames) => {
  const { network, chain, context } = watch
  let cursor = from
  let blocks = BLOCKS_PER_READ_MAX
  while (cursor.height < head.height) {
    const { height, hash } = await endOf(chain, cursor.height, Math.min(head.height, cursor.height + blocks), head)
    const newest = cursor.blocks.at(-1)
    const before = newest?.height === cursor.height ? newest.hash : undefined
    const ends = { before, last: hash }
    const found =
      addresses.size > 0 ? await chain.transfersIn(cursor.height + 1, height, addresses, contracts, ends) : []
    if (found.length > TRANSFERS_PER_RECORD_MAX && height > cursor.height + 1) {
      blocks = Math.ceil((height - cursor.height) / 2)
      continue
    }
    const isDue = found.length > 0 || cursor.recorded < 0 || height - cursor.recorded >= BLOCKS_PER_RECORD_MAX
    if (isDue) {
      const place = { network: network.name, height, hash: hash ?? '', head: head.height }
      await context.ledger.chainWatch.scanned(network.name, { ...place, transfers: found.map(transferData) })
    }
    cursor = movedCursor(cursor, height, hash, isDue)
    watch.cursor = cursor
  }
}

/**
 * The end of the next range: a block whose hash is known, so that its being replaced is noticed; some chains skip
 * heights.
 */
const endOf = async (chain: Chain, from: number, to: number, head: ChainHead) => {
  if (to === head.height) return { height: to, hash: head.hash }
  for (let height = to; height > from && height > to - SKIPPED_MAX; height--) {
    const hash = await chain.hashAt(height)
    if (hash !== undefined) return { height, hash }
  }
  return { height: to, hash: undefined }
}

const recheck = async (watch: Watch, head: ChainHead) => {
  const { name } = watch.network
  const { ledger, pending, secondVoice, log } = watch.context
  const due = await pending(name, head.height, watch.replacedAbove, PENDING_PER_TURN_MAX, watch.looked)
  const until = performance.now() + PENDING_MS
  for (const payment of due) {
    // Payments that keep waiting must not hold up those behind them: the next turn goes on where this one ends.
    if (performance.now() > until) return
    watch.looked = payment
    if (secondVoice.rests(payment.transferId)) continue
    try {
      await recheckPayment(ledger, watch.chain, payment, head.height, secondVoice.heard)
    } catch (error) {
      // One payment that cannot be booked must not hold up the others; it is looked at again in the next turn.
      log.warn({ network: name, challengeId: payment.challengeId, err: error }, 'a payment could not be booked')
    }
  }
  if (due.length === PENDING_PER_TURN_MAX) return
  watch.looked = undefined
  watch.replacedAbove = undefined
}
