import { refuse } from '../../kernel/refusal.ts'
import type { TokenType } from '../../signin/ports.ts'
import { isRotationDue, SIGNING_KEYS, type SigningKey, signingKeyAt } from '../../signin/signing-keys.ts'
import type { UseCaseContext } from '../context.ts'

/** The keys of the sign-in service: how they are made, rotated, and used to sign (A-GEN-04). */

type Keys = Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'signer'>

/** The subject whose data key private keys are sealed under. */
const SUBJECT = 'signing-keys'

/** Signs a token with the key that signs now, by RS256. Used for ID tokens and for logout tokens. */
export const signToken = async (flow: Keys, typ: TokenType, claims: object): Promise<string> => {
  const key = await signingKey(flow)
  try {
    return await signedBy(flow, key, typ, claims)
  } catch (error) {
    if (!(await flow.vault.isLost(key.privateKey))) throw error
    return signedBy(flow, await replaceLostKey(flow, key), typ, claims)
  }
}

const signedBy = async ({ vault, signer }: Keys, { kid, privateKey }: SigningKey, typ: TokenType, claims: object) => {
  const opened = async () => (await vault.open(privateKey)) ?? refuse('unavailable', 'the signing key cannot be read')
  return signer.sign({ kid, privateKey: opened }, typ, claims)
}

/**
 * Replaces a key that was given up with its data key, and so signs nothing more; the next one signs at once, under a
 * data key of its own.
 */
const replaceLostKey = async (flow: Keys, { kid }: SigningKey): Promise<SigningKey> => {
  const { state } = await flow.ledger.signingKeys.replace(SIGNING_KEYS, {
    ...(await sealedKey(flow, `${SUBJECT}-after-${kid}`)),
    lost: kid,
  })
  const now = flow.world.now().toISOString()
  return signingKeyAt(state, now) ?? refuse('unavailable', 'there is no signing key')
}

/** The key that signs now; the first one is made when it is first needed. */
export const signingKey = async (flow: Keys): Promise<SigningKey> => {
  const now = flow.world.now().toISOString()
  const known = signingKeyAt(await flow.ledger.signingKeys.recent(SIGNING_KEYS), now)
  if (known) return known
  const { state } = await flow.ledger.signingKeys.begin(SIGNING_KEYS, await sealedKey(flow))
  return signingKeyAt(state, now) ?? refuse('unavailable', 'there is no signing key')
}

/** Publishes the next key, which signs a day later. Does nothing while one waits already. */
export const rotateSigningKey = async (flow: Keys): Promise<SigningKey> => {
  await signingKey(flow)
  const { state } = await flow.ledger.signingKeys.add(SIGNING_KEYS, await sealedKey(flow))
  return state.keys.at(-1) ?? refuse('unavailable', 'there is no signing key')
}

/** Makes the first key, and the next one when it is time. */
export const tendSigningKeys = async (flow: Keys): Promise<void> => {
  await signingKey(flow)
  const keys = await flow.ledger.signingKeys.recent(SIGNING_KEYS)
  if (isRotationDue(keys, flow.world.now().toISOString())) await rotateSigningKey(flow)
}

/** A new key, sealed under the data key of the newest one, unless another is named. */
const sealedKey = async ({ signer, vault, ledger }: Keys, named?: string) => {
  const newest = (await ledger.signingKeys.recent(SIGNING_KEYS)).keys.at(-1)
  const subject = named ?? newest?.privateKey.split('.')[1] ?? SUBJECT
  const key = await signer.newKey()
  return { ...key, privateKey: await vault.seal(subject, key.privateKey) }
}
