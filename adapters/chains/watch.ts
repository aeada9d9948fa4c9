import { setTimeout as pause } from 'node:timers/promises'
import { type PendingPayment, recheckPayment } from '../../domain/flows/book-transfer.ts'
import { transferData } from '../../domain/flows/settle-payment.ts'
import type { Ledger } from '../../domain/ledger.ts'
import type { Network } from '../../domain/networks.ts'
import type { Chain, ChainHead } from '../../domain/ports.ts'

/**
 * Reads a chain block by block up to its newest, writes down the transfers to receive addresses, and looks again at payments that wait for
 * confirmations. What a block costs does not depend on how many challenges are open. The cursor is in the log, so blocks missed while down
 * are read afterwards; when its block is not in the chain any more, the watch goes back and reads again (N-24).
 */

const POLL_MS = 1_000
const BLOCKS_PER_READ_MAX = 1_000
/** Blocks without a payment are written down first, then only so often; what lies between is read again after a restart. */
const BLOCKS_PER_RECORD_MAX = 500
/** More than these do not go in one append; fewer blocks are then read at once. One block alone is written whole. */
const TRANSFERS_PER_RECORD_MAX = 1_000
/** Where a first watch begins, below the newest block. */
const FIRST_BLOCKS = 100
/** How far it goes back when the chain was reorganised: at least so many blocks, and twice the depth at which payments count. */
const REORG_BLOCKS_MIN = 64
/** Waiting payments looked at in one turn; the rest come in the next. */
const PENDING_PER_TURN_MAX = 500

export type WatchContext = {
  readonly ledger: Ledger
  /** The addresses to look for, or undefined while the read models are behind the log. */
  addresses(network: string): Promise<ReadonlySet<string> | undefined>
  /** The contracts of custom tokens that a payment may arrive in. */
  contracts(network: string): Promise<ReadonlySet<string>>
  /** Payments that are deep enough at this height, and all that were seen above `from`, when that is given; at most `limit`. */
  pending(network: string, height: number, from: number | undefined, limit: number): Promise<readonly PendingPayment[]>
  readonly log: { warn(fields: object, message: string): void }
}

/** Where the watch is: the newest block that was read, with its hash where that is known. */
type Cursor = { height: number; hash: string; reorganisedFrom?: number }

/** Watches until the signal aborts. A chain that does not answer is asked again; nothing is skipped. */
export const watchChain = async (network: Network, chain: Chain, context: WatchContext, signal: AbortSignal) => {
  let cursor: Cursor | undefined
  while (!signal.aborted) {
    try {
      cursor = await turn(network, chain, context, cursor)
    } catch (error) {
      context.log.warn({ network: network.name, err: error }, 'chain watch failed, trying again')
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

const turn = async (network: Network, chain: Chain, context: WatchContext, known: Cursor | undefined) => {
  // The head first: whoever could pay in these blocks got an address before, and that address is then in the read model.
  const head = await chain.head()
  const watched = await context.addresses(network.name)
  if (watched === undefined) return known
  const from = await standing(network, chain, context, known, head)
  const cursor = await advance(network, chain, context, from, head, watched)
  await recheck(network, chain, context, from.reorganisedFrom, head)
  return cursor
}

/** The cursor, if its block is still in the chain; else one further back. */
const standing = async (
  network: Network,
  chain: Chain,
  { ledger, log }: WatchContext,
  known: Cursor | undefined,
  head: ChainHead,
): Promise<Cursor> => {
  const recorded = await ledger.chainWatch.read(network.name)
  const cursor =
    known ?? (recorded.height >= 0 ? recorded : { height: Math.max(-1, head.height - FIRST_BLOCKS), hash: '' })
  if (cursor.hash === '' || (await chain.hashAt(cursor.height)) === cursor.hash) return cursor
  const depth = Math.max(REORG_BLOCKS_MIN, 2 * network.confirmations)
  const height = Math.max(-1, Math.min(cursor.height, head.height) - depth)
  log.warn({ network: network.name, height: cursor.height, again: height }, 'the chain was reorganised, reading again')
  await ledger.chainWatch.reorganised(network.name, { network: network.name, from: cursor.height, height })
  return { height, hash: '', reorganisedFrom: height }
}

/** Reads what is new; answers the newest block that was read. */
const advance = async (
  network: Network,
  chain: Chain,
  { ledger, contracts }: WatchContext,
  from: Cursor,
  head: ChainHead,
  watched: ReadonlySet<string>,
): Promise<Cursor> => {
  const recorded = (await ledger.chainWatch.read(network.name)).height
  const tokens = await contracts(network.name)
  let { height, hash } = from
  let blocks = BLOCKS_PER_READ_MAX
  while (height < head.height) {
    const to = Math.min(head.height, height + blocks)
    // Its hash is asked for first: a block that takes its place while it is read is then noticed in the next turn.
    const last = to === head.height ? head.hash : ((await chain.hashAt(to)) ?? '')
    const found = watched.size > 0 ? await chain.transfersIn(height + 1, to, watched, tokens) : []
    if (found.length > TRANSFERS_PER_RECORD_MAX && to > height + 1) {
      blocks = Math.ceil((to - height) / 2)
      continue
    }
    if (found.length > 0 || recorded < 0 || to - recorded >= BLOCKS_PER_RECORD_MAX) {
      const transfers = found.map(transferData)
      const place = { network: network.name, height: to, hash: last, head: head.height }
      await ledger.chainWatch.scanned(network.name, { ...place, transfers })
    }
    height = to
    hash = last
  }
  return { height, hash }
}

const recheck = async (
  network: Network,
  chain: Chain,
  { ledger, pending, log }: WatchContext,
  reorganisedFrom: number | undefined,
  head: ChainHead,
) => {
  for (const payment of await pending(network.name, head.height, reorganisedFrom, PENDING_PER_TURN_MAX))
    try {
      await recheckPayment(ledger, chain, payment, head.height)
    } catch (error) {
      // One payment that cannot be booked must not hold up the others; it is looked at again in the next turn.
      log.warn({ network: network.name, challengeId: payment.challengeId, err: error }, 'a payment could not be booked')
    }
}
