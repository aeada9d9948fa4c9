import { canonicalJson, signedCompact } from './es256.ts'
import { type Keys, merchantKeyOf, publishedKeys } from './merchant-keys.ts'
import { termsOf } from './own-terms.ts'

/** What a seller signs of a checkout, and how it knows its own signature again (C-SES-08, N-44). */

export type MerchantAuthorization = {
  /** Detached, `header..signature`: the `merchant_authorization` of the answer. */
  readonly authorization: string
  /** The same with the content in its place: what a mandate holds as `checkout_jwt`. */
  readonly checkoutJwt: string
}

/**
 * Signs what a checkout says, which is the answer without its `ap2`, as RFC 8785 writes it. The same content has the
 * same signature; once a key was rotated, only where `signedAt` says when it was signed first, and while the key of
 * then is published. Refuses `unavailable` when the key cannot be read.
 */
export const authorize = async (
  flow: Keys,
  accountId: string,
  content: object,
  signedAt = flow.world.now().toISOString(),
): Promise<MerchantAuthorization> => {
  const { kid, secret } = await merchantKeyOf(flow, accountId, signedAt)
  const checkoutJwt = signedCompact(secret, { kid }, canonicalJson({ ...content, ap2: undefined }) ?? '')
  const [header, , signature] = checkoutJwt.split('.')
  return { authorization: `${header}..${signature}`, checkoutJwt }
}

/** What the seller has signed with a key that is published still; undefined for everything else. */
export const verifyOwn = async (
  flow: Keys,
  accountId: string,
  checkoutJwt: string,
): Promise<Readonly<Record<string, unknown>> | undefined> =>
  await termsOf(checkoutJwt, await publishedKeys(flow, accountId))
