/**
 * Wallets and platforms as others build them: mandates minted by @sd-jwt, of which nothing is used by Daybook itself.
 */
import { digest, ES256, ES384, ES512, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import type { Alg, Minter } from './mint.ts'

const CURVES = { ES256, ES384, ES512 }

export type Minted = {
  readonly by: Minter
  readonly alg?: Alg
  readonly hashAlg?: 'sha-256' | 'sha-384' | 'sha-512'
  readonly header?: object
  readonly claims: object
  /** Which claims are disclosed selectively, in the library's own words. */
  readonly frame?: object
  /** What is shown of it when it is presented. */
  readonly show?: object
  /** Who proves the key, and for whom; nobody without it. */
  readonly proof?: { readonly by: Minter; readonly iat: number; readonly aud: string; readonly nonce: string }
}

export const mandateBy = async ({
  by,
  alg = 'ES256',
  hashAlg = 'sha-256',
  header,
  claims,
  frame,
  show,
  proof,
}: Minted) => {
  const signer = await CURVES[alg].getSigner(by.privateKey.export({ format: 'jwk' }))
  const kbSigner = proof && (await ES256.getSigner(proof.by.privateKey.export({ format: 'jwk' })))
  const library = new SDJwtVcInstance({
    signer,
    signAlg: alg,
    hasher: digest,
    hashAlg,
    saltGenerator: generateSalt,
    ...(kbSigner && { kbSigner, kbSignAlg: 'ES256' }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: claims that the library's types do not foresee.
  const issued = await library.issue({ vct: 'mandate.checkout.1', ...claims } as any, frame as any, {
    header: { ...(by.jwk.kid !== undefined && { kid: by.jwk.kid }), ...header },
  })
  if (!proof) return issued
  const { iat, aud, nonce } = proof
  // biome-ignore lint/suspicious/noExplicitAny: claims that the library's types do not foresee.
  return await library.present(issued, show as any, { kb: { payload: { iat, aud, nonce } } })
}
