/** What signing in asks of the outside, beside `domain/kernel/ports.ts`. */

/**
 * What name servers say of a name's TXT records. `absent` is a definite answer; `unclear` says nothing about the name,
 * and may be temporary.
 */
type TxtAnswer =
  | { readonly status: 'found'; readonly texts: readonly string[] }
  | { readonly status: 'absent' }
  | { readonly status: 'unclear'; readonly reason: string }

export type Dns = {
  /**
   * The text of each record as a whole, even where DNS sends it in pieces. Never rejects; answers within 10 seconds.
   */
  txt(name: string): Promise<TxtAnswer>
}

/**
 * A signing key as it is made: its public half as a JWK, its private half as PKCS #8 in PEM. `kid` is the thumbprint of
 * RFC 7638.
 */
export type NewSigningKey = {
  readonly kid: string
  readonly publicJwk: { readonly kty: string; readonly n: string; readonly e: string }
  readonly privateKey: string
}

/** Signs what others check by our published keys (RFC 7519, RS256). */
export type Signer = {
  /** Makes an RSA key of 2,048 bits. Whoever asks while one is being made gets that one. */
  newKey(): Promise<NewSigningKey>
  /** Signs a compact JWT. The private key is asked for once, and stays in memory under its `kid`. */
  sign(key: { kid: string; privateKey(): Promise<string> }, typ: TokenType, claims: object): Promise<string>
}
export type TokenType = 'JWT' | 'logout+jwt'
