import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { frontPage } from '../../pages/people/front.ts'
import { frontLink, MACHINE_LINKS } from '../../pages/people/front-links.ts'

/**
 * What answers at the origin itself: what this service is, and where a seller, a buyer, a program and an auditor begin.
 * The host of a store leads to the store instead.
 */

const DESCRIPTION =
  'Payments over HTTP 402 in many coins, straight to the seller’s own address, in a ledger in which nothing is rubbed out.'

/** The calls with which a seller begins, in their order. */
const FIRST_CALLS = [
  ['/v1/signup', 'Sign up: email and password. The answer has your API key, once.'],
  ['/v1/wallets', 'Say where you want to be paid: asset and address.'],
  ['/v1/resources', 'Price something: amount and currency. The answer has the link at which it is bought.'],
] as const

const common = { method: 'get', path: '/', auth: 'none', ignores: 'query', waits: 'never' } as const

const Front = z
  .object({
    name: z.literal('Daybook'),
    description: z.string(),
    begin: z.array(z.object({ method: z.string(), url: z.url(), what: z.string() })),
    links: z.record(z.string(), z.url()),
  })
  .meta({ id: 'Front', description: 'What this service is, and where to begin.' })

const firstCalls = ({ base }: { readonly base: string }) =>
  FIRST_CALLS.map(([path, what]) => ({ method: 'POST', url: `${base}${path}`, what }))

const forMachines = endpoint({
  ...common,
  summary: 'What this service is, and where to begin',
  returns: Front,
  answer: async ({ flow: { origins } }) => ({
    name: 'Daybook' as const,
    description: DESCRIPTION,
    begin: firstCalls(origins),
    links: Object.fromEntries(MACHINE_LINKS.map((name) => [name, frontLink(origins, name)])),
  }),
})

const forPeople = endpoint({
  ...common,
  page: true,
  summary: 'What this service is, and where to begin, for people',
  returns: z.string(),
  produces: 'text/html',
  answer: async ({ flow: { origins }, languages }) =>
    frontPage({ origins, begin: FIRST_CALLS.map(([path]) => path), languages }),
})

export const frontEndpoints = [forMachines, forPeople]
