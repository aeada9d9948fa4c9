import type { ClientApp } from '../../../domain/signin/client-app.ts'
import type { SessionRow } from '../../postgres/sign-in/sessions.ts'

/**
 * The callers of the sign-in service: an app by its secret, an app for a user by a token, a person by the session of
 * the browser.
 */

export type AppCaller = { readonly kind: 'app'; readonly clientId: string; readonly app: ClientApp }

export type BearerCaller = {
  readonly kind: 'bearer'
  readonly sub: string
  readonly clientId: string
  readonly app: ClientApp
  readonly scopes: ReadonlySet<string>
  readonly sid: string
}

export type PersonCaller = SessionRow & {
  readonly kind: 'person'
  /** The token that stands in every form of this browser's session, and in no other's. */
  readonly csrf: string
}

export type SignInCaller = AppCaller | BearerCaller | PersonCaller
