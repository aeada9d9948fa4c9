import { calculateJwkThumbprint } from 'jose'
import {
  type MerchantKey,
  type MerchantKeyState,
  merchantKeyFor,
  merchantKeysAt,
  type PublicJwk,
} from '../../domain/commerce/merchant-keys.ts'
import { refuse } from '../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { publicOf, SEED_BYTES, secretFrom } from './es256.ts'

/** The keys of a seller: made when they are first needed, published, rotated (C-SES-08, N-44). */

export type Keys = Pick<UseCaseContext, 'ledger' | 'world' | 'vault'>

/** A key as it is published: with its use, by RFC 7517. */
export type PublishedJwk = PublicJwk & { readonly kid: string; readonly use: 'sig'; readonly alg: 'ES256' }

/** The keys by which a seller's signatures are checked, the newest first; they go into its profile. */
export const publishedKeys = async (flow: Keys, accountId: string): Promise<readonly PublishedJwk[]> =>
  (await merchantKeyList(flow, accountId)).map(({ kid, publicJwk }) => ({
    ...publicJwk,
    kid,
    use: 'sig',
    alg: 'ES256',
  }))

/** The same keys, with the time from which they sign and their present use. */
export const merchantKeyList = async (flow: Keys, accountId: string) =>
  merchantKeysAt(await keysOf(flow, accountId), flow.world.now().toISOString())

/**
 * The key that signed at a time, or signs now when that is published no more, and its secret number. Refuses
 * `unavailable` when it cannot be read.
 */
export const merchantKeyOf = async (
  flow: Keys,
  accountId: string,
  at: string,
): Promise<{ kid: string; secret: string }> => {
  const now = flow.world.now().toISOString()
  const key: MerchantKey =
    merchantKeyFor(await keysOf(flow, accountId), at, now) ?? refuse('unavailable', 'there is no key to sign with')
  const secret = (await flow.vault.open(key.privateKey)) ?? refuse('unavailable', 'the key to sign with cannot be read')
  return { kid: key.kid, secret }
}

/**
 * Publishes the next key, which signs ten minutes later. Does nothing while one waits already. Refuses `too-many-keys`.
 */
export const rotateMerchantKey = async (flow: Keys, accountId: string): Promise<void> => {
  await keysOf(flow, accountId)
  await flow.ledger.merchantKeys.rotate(accountId, await sealedKey(flow, accountId))
}

const keysOf = async (flow: Keys, accountId: string): Promise<MerchantKeyState> => {
  const known = await flow.ledger.merchantKeys.recent(accountId)
  if (known.keys.length > 0) return known
  return (await flow.ledger.merchantKeys.begin(accountId, await sealedKey(flow, accountId))).state
}

const sealedKey = async ({ world, vault }: Keys, accountId: string) => {
  const secret = secretFrom(world.secret(SEED_BYTES))
  const publicJwk = publicOf(secret)
  return { kid: await calculateJwkThumbprint(publicJwk), publicJwk, privateKey: await vault.seal(accountId, secret) }
}
