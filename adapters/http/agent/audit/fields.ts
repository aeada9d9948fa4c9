import { z } from 'zod'

/** What the calls of the auditor share: how they are guarded, and how places in the log are written. */

const POSITION_MAX = 2n ** 63n - 1n

/** A place in the ledger's own order, as decimal text: it may be larger than the numbers that JSON carries exactly. */
export const Position = z
  .string()
  .regex(/^\d{1,19}$/, 'has to be a position in the log, as events have it')
  .transform(BigInt)
  .refine((position) => position <= POSITION_MAX, 'has to be a position in the log, as events have it')

const SIZE_MAX = 9_007_199_254_740_991

/** A number of events, as decimal text. */
export const Size = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'has to be a number of events')
  .transform(Number)
  .pipe(z.int().max(SIZE_MAX))

const TEXT_MAX = 200

/** The text of a filter, which may be left out. */
export const Text = z.string().min(1).max(TEXT_MAX).optional()

/** Every call of the auditor only reads, and needs the same right; all but two read of the whole account. */
export const reads = { method: 'get', auth: 'key', reach: 'account', callers: { capability: 'audit.view' } } as const
