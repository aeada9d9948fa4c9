import type { Confirmations } from '../account/settings.ts'
import type { Asset } from '../kernel/assets.ts'
import { networkOf } from '../kernel/networks.ts'

/** A payment that is in no block yet has not happened: a seller who asks for none gets one. */
const CONFIRMATIONS_MIN = 1

/**
 * The confirmations that a payment needs before it counts (J-SET-05, N-26): the coin's own setting, else what a custom
 * token was added with, else the seller's default, else what its network needs; and never fewer than any tier of
 * `increase` asks for whose amount the payment is above. `usd` is in millionths.
 */
export const requiredConfirmations = (
  set: Confirmations,
  { code, network, confirmations }: Asset,
  usd: bigint,
): number => {
  const usual =
    set.coins[code] ?? confirmations ?? set.default ?? networkOf(network)?.confirmations ?? CONFIRMATIONS_MIN
  const tiers = set.increase.filter(({ above }) => usd > BigInt(above)).map((tier) => tier.confirmations)
  return Math.max(CONFIRMATIONS_MIN, usual, ...tiers)
}

/**
 * The confirmations that a payment by signature needs, which the relayer carries out itself: as many as the 402 asks of
 * any payment. It is one block where a single sequencer builds them and the seller has set nothing else, because no
 * other block can take its place there.
 */
export const signedConfirmations = (set: Confirmations, asset: Asset, usd: bigint): number => {
  if (!networkOf(asset.network)?.oneSequencer) return requiredConfirmations(set, asset, usd)
  return requiredConfirmations(set, { ...asset, confirmations: set.default ?? CONFIRMATIONS_MIN }, usd)
}
