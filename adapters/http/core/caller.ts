import type { Capability } from '../../../domain/account/capabilities.ts'
import type { ClientApp } from '../../../domain/signin/client-app.ts'
import type { SessionRow } from '../../postgres/sign-in/sessions.ts'

/**
 * The callers of the sign-in service: an app by its secret, an app for a user by a token, a person by the session of
 * the browser. And those of the dashboard: a member of a seller's account by the session, and whoever is not signed in.
 */

/** Who is calling, resolved from the credential of the surface. Owners may do everything in their own tenant. */
export type Actor = {
  readonly accountId: string
  readonly kind: 'owner' | 'sandbox' | 'publishable' | 'sub-key' | 'store' | 'member'
  /** The lookup id of its key; of a member, the member's id. */
  readonly keyId: string
  /** An owner key that another has taken the place of, and that is good for a while yet. */
  readonly replaced?: boolean
  /** A sandbox key: it makes test records only, and sees no others (X-SBX-01). */
  readonly testOnly: boolean
  /** The stores that it is limited to; all of them when undefined (J-AUTH-04). Never empty. */
  readonly storeScope: readonly number[] | undefined
  /** The member is the one owner of the account: what is the owner's alone is theirs as well. */
  readonly isOwner?: true
  can(capability: Capability): boolean
}

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
  /** The header `Accept-Language` of the browser. */
  readonly languages: string
}

/** A member of a seller's account, who is signed in to the dashboard; `sub` is the member's id. */
export type MemberCaller = SessionRow & {
  readonly kind: 'member'
  readonly memberId: string
  /** The account in which they act. */
  readonly accountId: string
  /** The account that they own, in whichever they act; undefined for who owns none. */
  readonly ownAccount: string | undefined
  /** All accounts that they belong to. */
  readonly accounts: readonly string[]
  readonly csrf: string
  /** What use cases and queries take, as they take that of a key. */
  readonly actor: Actor
  /** The header `Accept-Language` of the browser. */
  readonly languages: string
  /** The time zone of the account. */
  readonly zone: string
}

/** Somebody at the dashboard who is not signed in. */
export type GuestCaller = {
  readonly kind: 'guest'
  /** The token that stands in every form of this browser, and in no other's. */
  readonly csrf: string
  /** Sets the cookie that the token comes from, where the browser has none yet. */
  readonly cookies: readonly string[]
  readonly languages: string
}

export type SignInCaller = AppCaller | BearerCaller | PersonCaller | MemberCaller | GuestCaller
