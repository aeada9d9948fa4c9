/**
 * Blocks that tell a chain from those that split off it: Bitcoin Cash has Bitcoin's first block, and 478,558 more.
 * Test chains have none, because their coins are worth nothing.
 */

/** A block that stands for everything before it. */
export type BitcoinCheckpoint = { readonly height: number; readonly hash: string }

/** In the order of their heights; none for a chain that is not told from others in this way. */
export const checkpointsOf = (caip2: string): readonly BitcoinCheckpoint[] => checkpoints.get(caip2) ?? []

const checkpoints: ReadonlyMap<string, readonly BitcoinCheckpoint[]> = new Map([
  [
    'bip122:000000000019d6689c085ae165831e93',
    [
      // Bitcoin's first block after Bitcoin Cash split off.
      { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' },
      // After Bitcoin Gold (491,407), Diamond (495,866), Private (511,346) and others; Bitcoin Core 28's
      // chainparams.cpp.
      { height: 840_000, hash: '0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5' },
    ],
  ],
  [
    'bip122:12a765e31ffd4059bada1e25190f6e98',
    [
      // Litecoin after Litecoin Cash (1,371,111); a checkpoint of Litecoin's own wallet.
      { height: 1_411_200, hash: '92c85b76f3d4bffca76b23717e4eb1b667c77c96fd52d4dd5dd843bbee64cd73' },
    ],
  ],
])
