import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { frontPage } from '../../pages/people/front.ts'

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

/** What else is here, under names for programs: which of the service’s origins, the path, and what it is. */
const LINKS = {
  openapi: ['base', '/openapi.json', 'Every call, as an OpenAPI 3.1 document'],
  market: ['base', '/v1/market', 'What is for sale'],
  services: ['base', '/v1/services', 'Who sells services'],
  openid_configuration: ['auth', '/.well-known/openid-configuration', 'Sign-in for apps (OpenID Connect)'],
  sign_in: ['auth', '/sign-in', 'Sign in'],
  sign_up: ['auth', '/sign-up', 'Make an account'],
  account: ['auth', '/account', 'Your account'],
  audit: ['base', '/audit', 'Read the ledger'],
} as const

const common = { method: 'get', path: '/', auth: 'none', ignores: 'query', waits: 'never' } as const

const Front = z
  .object({
    name: z.literal('Daybook'),
    description: z.string(),
    begin: z.array(z.object({ method: z.string(), url: z.url(), what: z.string() })),
    links: z.record(z.string(), z.url()),
  })
  .meta({ id: 'Front', description: 'What this service is, and where to begin.' })

type Origins = { readonly base: string; readonly auth: string }

const firstCalls = ({ base }: Origins) =>
  FIRST_CALLS.map(([path, what]) => ({ method: 'POST', url: `${base}${path}`, what }))

const linksAt = (origins: Origins) =>
  Object.entries(LINKS).map(([name, [origin, path, what]]) => ({ name, url: `${origins[origin]}${path}`, what }))

const forMachines = endpoint({
  ...common,
  summary: 'What this service is, and where to begin',
  returns: Front,
  answer: async ({ flow: { origins } }) => ({
    name: 'Daybook' as const,
    description: DESCRIPTION,
    begin: firstCalls(origins),
    links: Object.fromEntries(linksAt(origins).map(({ name, url }) => [name, url])),
  }),
})

const forPeople = endpoint({
  ...common,
  page: true,
  summary: 'What this service is, and where to begin, for people',
  returns: z.string(),
  produces: 'text/html',
  answer: async ({ flow: { origins } }) => frontPage(origins.base, firstCalls(origins), linksAt(origins)),
})

export const frontEndpoints = [forMachines, forPeople]
