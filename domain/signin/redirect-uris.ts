import type { ClientApp } from './client-app.ts'

/**
 * Which redirect URIs an app may have, and which of them are alive (A-CLI-02, A-CLI-03). They are compared letter by
 * letter (X-EXACT-01).
 */

const URI_MAX = 2_048
/** The characters of a URI (RFC 3986): no space, no backslash, nothing that would have to be encoded in a header. */
const ASCII = /^[\x21-\x5b\x5d-\x7e]+$/

/** What says where an app may have its users sent back to. */
export type UriOwner = Pick<ClientApp, 'confidential' | 'development'>
/** Whether apps in development are taken: nowhere in production. */
export type UriRules = { readonly developmentApps: boolean }

/** Why a URI cannot be one of an app's; undefined when it can. */
export const redirectUriFault = (uri: string, { confidential, development }: UriOwner): string | undefined => {
  if (uri.length > URI_MAX) return `has to have at most ${URI_MAX} characters`
  const url = URL.parse(uri)
  if (!url || !ASCII.test(uri)) return 'has to be a URI'
  if (uri.includes('#')) return 'must not have a fragment'
  if (url.username || url.password) return 'must not have a user name or password'
  if (development && isOwnMachine(url)) return undefined
  if (isLoopback(url))
    return confidential
      ? 'has to start with https://: http://127.0.0.1 is for public apps, and for apps in development'
      : undefined
  if (url.protocol !== 'https:') return 'has to start with https://'
  return undefined
}

/** Whether a URI is one of the app's and alive: its host, or a parent of it, is a domain that the app has verified. */
export const isLive = (
  uri: string,
  { redirectUris, ...app }: UriOwner & Pick<ClientApp, 'redirectUris' | 'domains'>,
  rules: UriRules,
): boolean => redirectUris.some((own) => matches(own, uri)) && hasLiveHost(uri, app, rules)

/** The same for the URI that a user goes to after a logout. */
export const isLivePostLogout = (
  uri: string,
  { postLogoutUris, ...app }: UriOwner & Pick<ClientApp, 'postLogoutUris' | 'domains'>,
  rules: UriRules,
): boolean => postLogoutUris.includes(uri) && hasLiveHost(uri, app, rules)

/** The verified domain that a URI lies under; undefined for a loopback URI, or when there is none. */
export const verifiedDomainOf = (uri: string, domains: ClientApp['domains']): string | undefined => {
  const labels = (URL.parse(uri)?.hostname ?? '').split('.')
  return labels.map((_, i) => labels.slice(i).join('.')).find((domain) => domains[domain]?.status === 'verified')
}

const hasLiveHost = (
  uri: string,
  { confidential, development, domains }: UriOwner & Pick<ClientApp, 'domains'>,
  { developmentApps }: UriRules,
): boolean => {
  const url = URL.parse(uri)
  if (!url) return false
  if (development && isOwnMachine(url)) return developmentApps
  return isLoopback(url) ? !confidential : verifiedDomainOf(uri, domains) !== undefined
}

/**
 * Whether a URI is the registered one. A loopback URI may have any port, because an app on one's own machine takes what
 * is free (RFC 8252 §7.3).
 */
const matches = (own: string, uri: string): boolean => {
  if (own === uri) return true
  const [a, b] = [URL.parse(own), URL.parse(uri)]
  return a !== null && b !== null && isOwnMachine(a) && isOwnMachine(b) && withoutPort(own) === withoutPort(uri)
}

const withoutPort = (uri: string): string => uri.replace(PORT, '$1')
const PORT = /^(http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(:\d{1,5})?(?=[/?]|$)/

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && hostname === '127.0.0.1'

/** The names by which frameworks call the machine that they run on. Of these, 127.0.0.1 alone is for apps in use. */
const isOwnMachine = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
