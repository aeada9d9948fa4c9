import { z } from 'zod'
import { refuse } from '../../../../domain/refusal.ts'
import type { Actor } from '../../endpoint.ts'

/** What the calls of the auditor share: how they are guarded, and how places in the log are written. */

const POSITION_MAX = 2n ** 63n - 1n

/** A place in the ledger's own order, as decimal text: it may be larger than a number of JSON is exact. */
export const Position = z
  .string()
  .regex(/^\d{1,19}$/, 'a position in the log')
  .transform(BigInt)
  .refine((position) => position <= POSITION_MAX, 'a position in the log')

const SIZE_MAX = 9_007_199_254_740_991

/** So many events. */
export const Size = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'a number of events')
  .transform(Number)
  .pipe(z.int().max(SIZE_MAX))

const TEXT_MAX = 200

/** A filter. */
export const Text = z.string().min(1).max(TEXT_MAX).optional()

/** Every call of the auditor only reads, and needs the same right. */
export const reads = { method: 'get', auth: 'key', capability: 'audit.view' } as const

/** What is of the whole account is not for a key that is limited to some of its stores (J-AUTH-04). */
export const ofWholeAccount = ({ accountId, storeScope }: Actor): string =>
  storeScope === undefined
    ? accountId
    : refuse('forbidden', 'This key is limited to stores. It may read the life of their transactions only.')
