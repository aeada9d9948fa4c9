import { canonicalJson, signedCompact } from './es256.ts'
import { type Keys, merchantKeyOf, publishedKeys } from './merchant-keys.ts'
import { termsOf } from './own-terms.ts'

/** The signature of a seller on a checkout, and how the seller recognises it again (C-SES-08, N-44). */

export type MerchantAuthorization = {
  /** The detached signature, `header..signature`: the `merchant_authorization` of the answer. */
  readonly authorization: string
  /** The same with the content in its place: what a mandate holds as `checkout_jwt`. */
  readonly checkoutJwt: string
}

/**
 * Signs what a checkout says, which is the answer without its `ap2`, as RFC 8785 writes it. The same content has the
 * same signature. Once a key was rotated, that holds only where `signedAt` says when the content was first signed, and
 * while the key of that time is published. Refuses `unavailable` when the key cannot be read.
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
