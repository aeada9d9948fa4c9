import { mulDivFloor } from './money.ts'

/** What Daybook charges, and gives. */

/** 0.2 % of the settled fiat amount: $5 of credit lasts for $2,500 (I-FEE-02). */
const PLATFORM_FEE_BASIS_POINTS = 20n

/** Percent that are added to the gas of a signed payment: gas plus 21 % (L-JSN-07). */
const GASLESS_MARKUP_PERCENT = 21n

/** Credit for the first verified email: $5, in millionths of a US dollar (L-JSN-08). */
export const ACTIVATION_CREDIT_USD = 5_000_000n

/** The fee for a settlement, both in millionths of a US dollar; a fraction of a millionth is not charged (N-12). */
export const platformFee = (settledUsd: bigint): bigint => mulDivFloor(settledUsd, PLATFORM_FEE_BASIS_POINTS, 10_000n)

/** What a seller is billed for gas that cost so much, both in millionths of a US dollar (I-FEE-04). */
export const gaslessFee = (gasUsd: bigint): bigint => mulDivFloor(gasUsd, 100n + GASLESS_MARKUP_PERCENT, 100n)

/** How many times the usual bill for gas, at the time of an offer, may be billed at most. */
const GASLESS_FEE_TIMES_MAX = 3n

/**
 * What a seller is billed for gas at most: three times what a usual payment would be billed while it is offered,
 * and never more than the sale brings. What gas costs beyond that is the platform's. All in millionths of a US dollar.
 */
export const gaslessFeeMax = (usualGasUsd: bigint, saleUsd: bigint): bigint => {
  const most = GASLESS_FEE_TIMES_MAX * gaslessFee(usualGasUsd)
  return most < saleUsd ? most : saleUsd
}
