import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { type JWTPayload, SignJWT } from 'jose'
import { hintedBy } from '../../../../adapters/http/auth/oidc/id-token-hint.ts'
import type { SigningKey } from '../../../../domain/signin/signing-keys.ts'
import { SIGNING_KEYS } from '../../../../domain/signin/signing-keys.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { ledgerOn } from '../../../support/ledger.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { fixedWorld } from '../../../support/world.ts'

/** Which ID tokens tell whom an app means. */

const pairs = [1, 2, 3].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }))
const ISSUER = 'https://auth.example'
const CLAIMS = { iss: ISSUER, sub: 'usr_1', aud: 'app_1', sid: 'ses_1', exp: 1 }

const signed = (payload: JWTPayload, n = 0, header: object = {}): Promise<string> => {
  const key = pairs[n]?.privateKey
  if (!key) throw new Error('no such key')
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: `k${n}`, ...header }).sign(key)
}

/** Two keys are ours, the third is not. */
const service = async () => {
  const ledger = ledgerOn(memoryStore(), fixedWorld('hints'))
  for (const [n, { publicKey }] of pairs.slice(0, 2).entries()) {
    const publicJwk = publicKey.export({ format: 'jwk' }) as SigningKey['publicJwk']
    await ledger.signingKeys.add(SIGNING_KEYS, { kid: `k${n}`, publicJwk, privateKey: 'v1.key' })
  }
  return { ledger, origins: { auth: ISSUER } } as Pick<UseCaseContext, 'ledger' | 'origins'>
}

test('A-OID-20 an ID token of ours tells its user, app and session, by whichever of our keys, also when it has expired', async (t) => {
  const ours = await service()
  const hint = { sub: 'usr_1', clientId: 'app_1', sid: 'ses_1' }
  t.deepEqual(await hintedBy(ours, await signed(CLAIMS)), hint)
  t.deepEqual(await hintedBy(ours, await signed(CLAIMS, 1)), hint)
  const { sid: _, ...without } = CLAIMS
  t.deepEqual(await hintedBy(ours, await signed(without)), { ...hint, sid: undefined })
  t.deepEqual(await hintedBy(ours, await signed({ ...CLAIMS, sid: 7 })), { ...hint, sid: undefined })
})

test('A-OID-20 a token of another issuer, key, kind or shape tells nothing', async (t) => {
  const ours = await service()
  const tells = async (token: string | Promise<string>) => await hintedBy(ours, await token)
  t.is(await tells(signed({ ...CLAIMS, iss: 'https://other.example' })), undefined)
  t.is(await tells(signed(CLAIMS, 2)), undefined)
  t.is(await tells(signed(CLAIMS, 2, { kid: 'k0' })), undefined, 'a stranger says that a key of ours signed it')
  t.is(await tells(signed(CLAIMS, 0, { kid: 'k1' })), undefined)
  t.is(await tells(signed(CLAIMS, 0, { kid: undefined })), undefined)
  t.is(await tells(signed(CLAIMS, 0, { typ: 'logout+jwt' })), undefined, 'a logout token is no ID token')
  t.is(await tells(signed(CLAIMS, 0, { alg: 'RS512' })), undefined)
  t.is(await tells(signed({ ...CLAIMS, aud: ['app_1'] })), undefined)
  const { sub: _, ...nobody } = CLAIMS
  t.is(await tells(signed(nobody)), undefined)
  for (const text of ['', 'x', 'a.b.c']) t.is(await tells(text), undefined)
})

test('a token of up to 4,096 characters is read', async (t) => {
  const ours = await service()
  const padded = async (length: number): Promise<string> => await signed({ ...CLAIMS, pad: 'x'.repeat(length) })
  let pad = 2_600
  while ((await padded(pad)).length < 4_095) pad++
  const fits = await padded(pad)
  t.true(fits.length <= 4_096)
  t.truthy(await hintedBy(ours, fits))
  t.is(await hintedBy(ours, await padded(pad + 3)), undefined)
})
