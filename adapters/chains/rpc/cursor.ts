import type { Network } from '../../../domain/kernel/networks.ts'
import type { Chain, ChainHead } from '../../../domain/kernel/ports.ts'

/** Tells how far a chain was read, and whether the chain still has what was read. */
export type Cursor = {
  /** The newest block that was read. */
  readonly height: number
  /** The newest block that was read according to the log. */
  readonly recorded: number
  /** Blocks that were read, oldest first; not every one, and none where a chain skipped a height. */
  readonly blocks: readonly Block[]
  /** Looks in a row at which the chain was too short to tell. */
  readonly doubts: number
}
type Block = { readonly height: number; readonly hash: string }

export type CursorStanding =
  | { readonly kind: 'sure' | 'unsure'; readonly cursor: Cursor }
  /** The cursor has gone back; `from` is the height that it had. */
  | { readonly kind: 'reorganised'; readonly cursor: Cursor; readonly from: number }

/** Blocks below the newest one at which a first watch begins. */
const FIRST_BLOCKS = 100
/**
 * Blocks that the cursor goes back at least when no block that it remembers is in the chain any more; twice the depth
 * at which payments count, where that is more.
 */
const REORG_BLOCKS_MIN = 64
const BLOCKS_REMEMBERED_MAX = 128
/**
 * A provider that lags behind the last one looks like a chain that became shorter; it has this many looks to catch up.
 */
const DOUBTS_MAX = 10

export const firstCursor = ({ height, hash }: Block, head: ChainHead): Cursor => ({
  height: height >= 0 ? height : Math.max(-1, head.height - FIRST_BLOCKS),
  recorded: height,
  blocks: hash === '' ? [] : [{ height, hash }],
  doubts: 0,
})

/** The cursor after everything up to a block was read; `hash` is the block's, where it is known. */
export const movedCursor = (cursor: Cursor, height: number, hash: string | undefined, isRecorded: boolean): Cursor => ({
  height,
  recorded: isRecorded ? height : cursor.recorded,
  blocks: hash === undefined ? cursor.blocks : [...cursor.blocks, { height, hash }].slice(-BLOCKS_REMEMBERED_MAX),
  doubts: 0,
})

/**
 * The cursor, if its newest block is still in the chain. Another hash at its height is a reorganisation: then the
 * newest remembered block that is still there. No hash at all may be one, or a provider that lags behind: only when it
 * stays so, the cursor goes back.
 */
export const placeOf = async (
  chain: Chain,
  network: Network,
  cursor: Cursor,
  head: ChainHead,
): Promise<CursorStanding> => {
  const { known, isReplaced } = await newestKnown(chain, cursor.blocks, head)
  if (known === cursor.blocks.at(-1)) return { kind: 'sure', cursor: { ...cursor, doubts: 0 } }
  const doubts = cursor.doubts + 1
  if (!isReplaced && doubts < DOUBTS_MAX) return { kind: 'unsure', cursor: { ...cursor, doubts } }
  const depth = Math.max(REORG_BLOCKS_MIN, 2 * network.confirmations)
  const height = known?.height ?? Math.max(-1, Math.min(cursor.height, head.height) - depth)
  const blocks = cursor.blocks.filter((block) => block.height <= (known?.height ?? -1))
  const back = { height, recorded: Math.min(cursor.recorded, height), blocks, doubts: 0 }
  return { kind: 'reorganised', cursor: back, from: cursor.height }
}

/**
 * The newest of some blocks that the chain still has, and whether it has another block in the place of a newer one. The
 * blocks are given oldest first.
 */
const newestKnown = async (chain: Chain, blocks: readonly Block[], head: ChainHead) => {
  let isReplaced = false
  for (const block of blocks.toReversed()) {
    const hash = await hashOf(chain, block.height, head)
    if (hash === block.hash) return { known: block, isReplaced }
    isReplaced ||= hash !== undefined
  }
  return { known: undefined, isReplaced }
}

const hashOf = (chain: Chain, height: number, head: ChainHead): Promise<string | undefined> | string | undefined => {
  if (height > head.height) return undefined
  return height === head.height ? head.hash : chain.hashAt(height)
}
