import { generateKeyPair, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import type { CryptoKey } from 'jose'
import type { NewSigningKey, Signer } from '../../domain/signin/ports.ts'

/** Signs with RSA keys that it keeps in memory as imported keys: importing one costs more than signing with it. */

const BITS = 2_048
const ALGORITHM = 'RS256'
/** Keys in memory; those of before two rotations sign no more. */
const KEYS_KEPT = 4

export const createSigner = (): Signer => {
  const imported = new Map<string, Promise<CryptoKey>>()
  let making: Promise<NewSigningKey> | undefined

  const keyOf = ({ kid, privateKey }: Parameters<Signer['sign']>[0]): Promise<CryptoKey> => {
    const known = imported.get(kid)
    if (known) return known
    const importing = importedFrom(privateKey)
    imported.set(kid, importing)
    importing.catch(() => imported.delete(kid))
    const oldest = imported.size > KEYS_KEPT ? imported.keys().next().value : undefined
    if (oldest !== undefined) imported.delete(oldest)
    return importing
  }

  return {
    newKey() {
      making ??= newKey().finally(() => {
        making = undefined
      })
      return making
    },
    async sign(key, typ, claims) {
      const { SignJWT } = await library()
      const header = { alg: ALGORITHM, typ, kid: key.kid }
      return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(await keyOf(key))
    },
  }
}

/** Loaded by the first signature: only apps are signed for. */
const library = () => import('jose')

const importedFrom = async (privateKey: () => Promise<string>): Promise<CryptoKey> =>
  (await library()).importPKCS8(await privateKey(), ALGORITHM)

const newKey = async (): Promise<NewSigningKey> => {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  const { kty, n, e } = publicKey.export({ format: 'jwk' }) as Required<Pick<JsonWebKey, 'kty' | 'n' | 'e'>>
  const publicJwk = { kty, n, e }
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  const { calculateJwkThumbprint } = await library()
  return { kid: await calculateJwkThumbprint(publicJwk), publicJwk, privateKey: pem }
}
