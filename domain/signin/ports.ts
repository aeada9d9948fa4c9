/** What signing in asks of the outside, beside `domain/ports.ts`. */

/** What name servers say of a name's TXT records. `absent` is a definite answer; `unclear` says nothing about the name, and may pass. */
export type TxtAnswer =
  | { readonly status: 'found'; readonly texts: readonly string[] }
  | { readonly status: 'absent' }
  | { readonly status: 'unclear'; readonly reason: string }

export type Dns = {
  /** Each record's text whole, however it was cut on the wire. Never rejects; within 10 seconds. */
  txt(name: string): Promise<TxtAnswer>
}

export type LogoutTokens = {
  /** A signed logout token (OpenID Connect Back-Channel Logout 1.0 §2.4), made anew for each attempt. */
  sign(logout: { clientId: string; sub: string; sid: string }): Promise<string>
}
