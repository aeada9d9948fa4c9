import { z } from 'zod'

/** What all pages for people who sign in have in common: everybody gets the page, and it needs no row of a read model. */
export const ofPeople = {
  page: 'always',
  returns: z.string(),
  produces: 'text/html',
  ledgerOnly: true,
  showsLater: true,
  refusals: ['rate-limited', 'busy', 'form-stale'],
  otherwise: {
    303: { description: 'The page that comes next' },
    422: { description: 'The page again, with what is wrong beside its field' },
  },
} as const

/** What a browser is known again by. */
export const aboutBrowser = z.object({ cookie: z.string().optional(), 'user-agent': z.string().optional() })
