import type { Allowance } from '../../../domain/write-side/ledger.ts'
import { type Buckets, createBuckets, type Rate } from '../core/token-buckets.ts'

/**
 * What callers without a key or a session may make the log grow by: it is kept for ever, and nobody answers for what
 * they write.
 */

const TOO_MUCH = 'Too much was written from your network. Try again later.'

/** Bytes for each network; it has all of them again after an hour, and they come back evenly. */
export const createStrangerBytes = (rate: Rate, nowMs?: () => number): Buckets => createBuckets(rate, nowMs, TOO_MUCH)

/**
 * The allowance of one call. What it has begun it brings to its end, whatever that costs, so that nothing is left half
 * done; and who `pays` is never refused, so that no flood from the same network keeps money from being booked. All of
 * it counts.
 */
export const allowanceOf = (bytes: Buckets, network: string, pays = false): Allowance => {
  let goesOn = pays
  return {
    take(count, isPayment) {
      if (goesOn || isPayment) bytes.charge(network, count)
      else bytes.take(network, count)
      goesOn = true
    },
    giveBack: (count) => bytes.charge(network, -count),
  }
}
