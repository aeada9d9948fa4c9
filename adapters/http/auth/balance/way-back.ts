import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import { isLive, type UriRules, verifiedDomainOf } from '../../../../domain/signin/redirect-uris.ts'
import type { AppView } from '../../pages/balance/who-asks.ts'

/** The way back to the app: only to an address of its own that is alive. */

/** Refuses `redirect-uri-refused` unless the URI is registered and alive (X-EXACT-01, A-CLI-02). */
export const ownUri = (rules: UriRules, uri: string, app: ClientApp): string =>
  isLive(uri, app, rules)
    ? uri
    : refuse(
        'redirect-uri-refused',
        'redirect_uri: is not registered, or its domain is not verified; register it on the page of the app',
      )

/** A redirect URI with what the app is told; a query of its own stays as it is. An empty `state` was never sent. */
export const backTo = (redirectUri: string, told: Readonly<Record<string, string>>, state: string): string => {
  const { href } = new URL(redirectUri)
  const query = new URLSearchParams({ ...told, ...(state !== '' && { state }) }).toString()
  const joint = href.includes('?') ? (/[?&]$/.test(href) ? '' : '&') : '?'
  return `${href}${joint}${query}`
}

/** The app that asks, and the origin where forms may end up. */
export type AppAsking = AppView & { readonly origin: string }

/**
 * The app that asks; undefined when it is gone or may not be returned to any more: then nothing is asked in its name.
 */
export const appAsking = (
  rules: UriRules,
  app: ClientApp | { status: 'none' },
  redirectUri: string,
): AppAsking | undefined => {
  if (app.status !== 'active' || !isLive(redirectUri, app, rules)) return undefined
  const { name, domains, development = false } = app
  const domain = verifiedDomainOf(redirectUri, domains)
  return { name, domain, development, origin: new URL(redirectUri).origin }
}
