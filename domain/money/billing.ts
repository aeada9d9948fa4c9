/** What prepaid credit buys besides fees, and what settled sales earn (1:116, 1:189; the numbers are ours, N-39). */

/** Lander slots in one pack. */
export const LANDER_PACK_SLOTS = 5
/** The price of one pack: $2, in millionths of a US dollar. */
export const LANDER_PACK_USD = 2_000_000n
/** The most packs that are bought in one call. */
export const LANDER_PACKS_MAX = 1_000

/** A point is worth a hundredth of a cent, in millionths of a US dollar: a twentieth of the fee that earned it. */
export const POINT_USD = 100n

/** A point for each whole US dollar of a live sale; `settledUsd` in millionths. */
export const pointsFor = (settledUsd: bigint): number => Number(settledUsd / 1_000_000n)
