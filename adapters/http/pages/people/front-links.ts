import type { FrontWords } from './messages/front-en.ts'

/** What is here beside the calls, under names for programs: which of the service’s origins, and the path. */
export const FRONT_LINKS = {
  seller_sign_up: ['base', '/dashboard/sign-up'],
  dashboard: ['base', '/dashboard'],
  openapi: ['base', '/openapi.json'],
  market: ['base', '/v1/market'],
  services: ['base', '/v1/services'],
  openid_configuration: ['auth', '/.well-known/openid-configuration'],
  sign_in: ['auth', '/sign-in'],
  sign_up: ['auth', '/sign-up'],
  account: ['auth', '/account'],
  audit: ['base', '/audit'],
  status: ['base', '/readyz'],
} as const satisfies Readonly<Record<keyof FrontWords['links'], readonly ['base' | 'auth', string]>>

/** Those that machines are told. */
export const MACHINE_LINKS = [
  'openapi',
  'market',
  'services',
  'openid_configuration',
  'sign_in',
  'sign_up',
  'account',
  'audit',
] as const satisfies readonly (keyof typeof FRONT_LINKS)[]

type Origins = { readonly base: string; readonly auth: string }

export const frontLink = (origins: Origins, name: keyof typeof FRONT_LINKS): string => {
  const [origin, path] = FRONT_LINKS[name]
  return `${origins[origin]}${path}`
}
