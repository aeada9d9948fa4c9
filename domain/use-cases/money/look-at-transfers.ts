import type { Chain, Transfer, World } from '../../kernel/ports.ts'
import { isOnChain } from '../../reading/reconciliation/compare.ts'
import { type BookedTransfer, type ChainLook, counterpartOf } from '../../reading/reconciliation/transfer.ts'

/** Asks chains for booked transfers as they are now. A chain keeps its own time limit, and rejects when it is over. */

/** Chain transactions that are asked for at the same time. */
const LOOKS_AT_ONCE = 4
/** Questions that a network may leave unanswered before the rest of a page is not asked of it. */
const SILENCES_MAX = 2

export type LookContext = {
  /** Keyed by network name; undefined where no chain is to be asked. */
  readonly chains: ReadonlyMap<string, Chain> | undefined
  readonly world: Pick<World, 'now' | 'pause'>
}

/** The bounds of one page: chain transactions that are looked up, and milliseconds until no more are begun. */
export type LookBounds = { readonly most: number; readonly withinMs: number }

export type Looks = {
  of(transfer: BookedTransfer): ChainLook
  /** How many chain transactions were asked for. */
  readonly count: number
}

export const lookAtTransfers = async (
  { chains, world }: LookContext,
  transfers: readonly BookedTransfer[],
  { most, withinMs }: LookBounds,
): Promise<Looks> => {
  const asked = new Map<string, Answer>()
  const wanted = new Map(transfers.filter(isOnChain).map((each) => [keyOf(each), each]))
  const queue = chains ? [...wanted].slice(0, most) : []
  const until = world.now().getTime() + withinMs
  const heads = new Map<string, Promise<number>>()
  const silences = new Map<string, number>()
  const silent = (network: string) => silences.get(network) ?? 0
  const waiting = queue.values()
  const work = async () => {
    for (const [key, { network, hash }] of waiting) {
      const isTime = world.now().getTime() <= until
      const answer = isTime && silent(network) < SILENCES_MAX ? await ask(chains?.get(network), hash, heads) : undefined
      if (answer === undefined) silences.set(network, silent(network) + 1)
      asked.set(key, answer ?? 'silent')
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work))
  return {
    count: queue.length,
    of: (transfer) => lookOf(transfer, asked.get(keyOf(transfer))),
  }
}

type Answer = 'silent' | { readonly found: readonly Transfer[]; readonly head: number }

const keyOf = ({ network, hash }: Pick<BookedTransfer, 'network' | 'hash'>): string => `${network}:${hash}`

/** Undefined where the chain is not connected, or does not answer. */
const ask = async (
  chain: Chain | undefined,
  hash: string,
  heads: Map<string, Promise<number>>,
): Promise<Answer | undefined> => {
  if (!chain) return undefined
  try {
    const found = (await chain.transfersOf(hash)) ?? []
    // The head is read once for each page, after the first answer: what is deeper by now has more confirmations.
    const head = heads.get(chain.network) ?? chain.head().then(({ height }) => height)
    heads.set(chain.network, head)
    return { found, head: await head }
  } catch {
    heads.delete(chain.network)
    return undefined
  }
}

const lookOf = (transfer: BookedTransfer, answer: Answer | undefined): ChainLook => {
  if (answer === undefined) return { answer: 'not asked' }
  if (answer === 'silent') return { answer }
  const found = counterpartOf(transfer, answer.found)
  if (!found) return { answer: 'missing' }
  return { answer: 'found', transfer: found, confirmations: Math.max(1, answer.head - found.height + 1) }
}
