import { z } from 'zod'
import { wordsOf } from '../../../../domain/kernel/search-words.ts'

/** How every list is paged (N-36). */

const PAGE_DEFAULT = 50
const PAGE_MAX = 500
const OFFSET_MAX = 1_000_000
/** Rows of a list that is answered whole unless a page is asked for. */
const WHOLE_MAX = 1_000

/** Query parameters are text; a number in them is digits only. */
export const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().max(max))

export const page = {
  /** The parameters, for an endpoint's `query`. */
  query: { limit: count(PAGE_MAX).optional(), offset: count(OFFSET_MAX).optional() },
  of: ({ limit = PAGE_DEFAULT, offset = 0 }: { limit?: number | undefined; offset?: number | undefined }) => ({
    limit,
    offset,
  }),
}

/** How a list is paged that most callers read at once: whatever is beyond its first thousand rows has pages, too. */
export const longPage = {
  query: { limit: count(WHOLE_MAX).optional(), offset: count(OFFSET_MAX).optional() },
  of: ({ limit = WHOLE_MAX, offset = 0 }: { limit?: number | undefined; offset?: number | undefined }) => ({
    limit,
    offset,
  }),
}

/** Which records a list shows that has both: live ones, or with `is_test=1` those of tests. */
export const isTest = z.enum(['0', '1']).optional()

/** What a list of an account's own things is searched for: all of its words have to be found. */
const SEARCH_MAX = 200
export const search = z.string().max(SEARCH_MAX).optional()

/** The words of a search, as lists take them. */
export const wordsIn = (asked: string | undefined): { readonly words?: string[] } =>
  asked === undefined ? {} : { words: wordsOf(asked) }
