import { setTimeout as pause } from 'node:timers/promises'
import type { Network } from '../../domain/assets.ts'
import { transferData } from '../../domain/flows/settle-payment.ts'
import type { Ledger } from '../../domain/ledger.ts'
import type { Chain } from '../../domain/ports.ts'

/**
 * Reads a chain block by block, up to the depth at which its payments count, and writes down the transfers to receive addresses. What a
 * block costs does not depend on how many challenges are open. The cursor is in the log, so blocks missed while down are read afterwards.
 */

const POLL_MS = 1_000
const BLOCKS_PER_READ_MAX = 1_000
/** Blocks without a payment are written down first, then only so often; what lies between is read again after a restart. */
const BLOCKS_PER_RECORD_MAX = 500
/** More than these do not go in one append; fewer blocks are then read at once. One block alone is written whole. */
const TRANSFERS_PER_RECORD_MAX = 1_000
/** Where a first watch begins, below the depth that counts. */
const FIRST_BLOCKS = 100

export type WatchContext = {
  readonly ledger: Ledger
  /** The addresses to look for, or undefined while the read models are behind the log. */
  addresses(network: string): Promise<ReadonlySet<string> | undefined>
  readonly log: { warn(fields: object, message: string): void }
}

/** Watches until the signal aborts. A chain that does not answer is asked again; nothing is skipped. */
export const watchChain = async (network: Network, chain: Chain, context: WatchContext, signal: AbortSignal) => {
  let scanned: number | undefined
  while (!signal.aborted) {
    try {
      scanned = await advance(network, chain, context, scanned)
    } catch (error) {
      context.log.warn({ network: network.name, err: error }, 'chain watch failed, trying again')
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** Reads what is new; answers the height read so far. */
const advance = async (
  network: Network,
  chain: Chain,
  { ledger, addresses }: WatchContext,
  from: number | undefined,
) => {
  // The head first: whoever could pay in these blocks got an address before, and that address is then in the read model.
  const head = await chain.head()
  const confirmed = head.height - network.confirmations + 1
  const watched = await addresses(network.name)
  const recorded = (await ledger.chainWatch.read(network.name)).height
  let scanned = from ?? (recorded >= 0 ? recorded : Math.max(-1, confirmed - FIRST_BLOCKS))
  if (watched === undefined) return scanned
  let blocks = BLOCKS_PER_READ_MAX
  while (scanned < confirmed) {
    const to = Math.min(confirmed, scanned + blocks)
    const found = watched.size > 0 ? await chain.transfersIn(scanned + 1, to, watched) : []
    if (found.length > TRANSFERS_PER_RECORD_MAX && to > scanned + 1) {
      blocks = Math.ceil((to - scanned) / 2)
      continue
    }
    if (found.length > 0 || recorded < 0 || to - recorded >= BLOCKS_PER_RECORD_MAX) {
      const hash = to === head.height ? head.hash : ''
      await ledger.chainWatch.scanned(network.name, {
        network: network.name,
        height: to,
        hash,
        transfers: found.map(transferData),
      })
    }
    scanned = to
  }
  return scanned
}
