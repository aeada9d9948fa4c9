import type { Allowance } from '../../../domain/write-side/transact.ts'
import type { ByteBuckets, SharedBuckets } from '../core/bounds/shared-buckets.ts'
import type { Rate } from '../core/bounds/token-buckets.ts'

/**
 * The bytes by which callers without a key or a session may make the log grow: they are kept for ever, and nobody
 * answers for what such callers write.
 */

const TOO_MUCH = 'Too much was written from your network. Try again later.'

/** Bytes for each network; it has all of them again after an hour, and they come back evenly. */
export const createStrangerBytes = (shared: Pick<SharedBuckets, 'bytes'>, rate: Rate): ByteBuckets =>
  shared.bytes('calls.strangerBytes', rate, TOO_MUCH)

/**
 * The allowance of one call. A call that has begun to write goes on to its end, whatever that costs, so that nothing is
 * left half done; a call that `pays` is never refused, so that no flood from the same network keeps money from being
 * booked. All bytes count.
 */
export const allowanceOf = (bytes: ByteBuckets, network: string, pays = false): Allowance => {
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
