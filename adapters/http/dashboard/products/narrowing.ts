import { z } from 'zod'
import { StoreNumber } from '../../core/stores.ts'
import type { LinkFilters } from '../../pages/dashboard/products/paths.ts'

/** What the lists of links are narrowed by, as their forms send it: an empty field narrows nothing. */

const FIELD_MAX = 200
/** Lines of one page, and of one reading of a file. */
export const ROWS = 50
export const FILE_ROWS = 500

const text = z.string().max(FIELD_MAX).optional()

const of = { search: text, store_id: text, test: text }
export const LinkQuery = z.object({ ...of, listed: text })
export const RequestQuery = z.object({ ...of, status: text })

export const listing = {
  before: text,
  new: z.literal('1').optional().catch(undefined),
  done: z.enum(['made', 'changed', 'pictured', 'counted', 'ended']).optional().catch(undefined),
}

const Wish = z.object({
  search: z.string().optional(),
  store_id: StoreNumber.transform((id) => [id]).optional(),
  listed: z
    .enum(['0', '1'], 'has to be 0 or 1')
    .transform((value) => value === '1')
    .optional(),
  status: z.enum(['open', 'paid', 'expired'], 'has to be open, paid or expired').optional(),
  is_test: z.enum(['0', '1']),
})

/** The filters in the shapes of the lists, or what is wrong with each. */
export const understood = ({ test, ...given }: LinkFilters) => {
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''))
  const read = Wish.safeParse({ ...asked, is_test: test === '1' ? '1' : '0' })
  if (read.success) return { wish: read.data, errors: undefined }
  const errors = Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0]), message]))
  return { wish: undefined, errors }
}
