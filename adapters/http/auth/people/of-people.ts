import { z } from 'zod'
import type { Refusal } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { PersonCaller } from '../../core/caller.ts'

/**
 * What pages for people who sign in have in common that show rows of a read model: each waits until the person's own
 * changes show.
 */
export const ofRows = {
  page: 'always',
  // A link to a page may come from a letter or a newsletter, with marks of its own.
  ignores: 'query',
  returns: z.string(),
  produces: 'text/html',
  refusals: ['rate-limited', 'busy', 'form-stale'],
  otherwise: {
    303: { description: 'The page that comes next' },
    422: { description: 'The page again, with what is wrong beside its field' },
  },
} as const

/** The same for pages that need no row, which are by far the most. */
export const ofPeople = { ...ofRows, waits: 'never' } as const

/** A request of a person for such a page. */
export type PersonRequest = { readonly flow: UseCaseContext; readonly queries: Queries; readonly actor: PersonCaller }

/** Why something was refused, in words for its page. */
export const saidOf = ({ detail }: Refusal): string => detail ?? 'That did not work.'

/** What a page says about what was just done, looked up by the word in its address. */
export const doneOf = (words: Readonly<Record<string, string>>, done: string | undefined): string | undefined =>
  done !== undefined && Object.hasOwn(words, done) ? words[done] : undefined

/** The headers by which a browser is recognised. */
export const aboutBrowser = z.object({ cookie: z.string().optional(), 'user-agent': z.string().optional() })
