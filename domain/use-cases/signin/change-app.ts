import { refuse } from '../../kernel/refusal.ts'
import { type ClientApp, PREVIOUS_KEY_MINUTES } from '../../signin/client-app.ts'
import {
  type AppFlow,
  newClientSecret,
  newCreditPushKey,
  newSigningSecret,
  refuseBackchannel,
  refuseUris,
} from './register-app.ts'

/** What the owner of an app, or the operator, changes in it. Every function refuses `client-unknown`. */

type Uris = {
  readonly redirectUris?: readonly string[] | undefined
  readonly postLogoutUris?: readonly string[] | undefined
}

/**
 * Sets where users may be sent back to, and where they may go after a logout, by the same rules: both or neither.
 * Refuses `redirect-uri-refused`.
 */
export const setUris = async ({ ledger }: AppFlow, clientId: string, uris: Uris): Promise<void> => {
  const { confidential, development } = await appOf(ledger, clientId)
  for (const redirectUris of [uris.redirectUris ?? [], uris.postLogoutUris ?? []])
    refuseUris({ redirectUris, confidential, development })
  await ledger.clientApp.setUris(clientId, uris)
}

/**
 * Sets where receipts and logout notifications go; null for nowhere. Refuses `webhook-url-refused`.
 * @returns the secret that receipts are signed with, when this is the first endpoint; null otherwise
 */
export const setBackchannel = async (flow: AppFlow, clientId: string, url: string | null): Promise<string | null> => {
  refuseBackchannel(flow, url)
  const { backchannelUrl, signingSecret } = await appOf(flow.ledger, clientId)
  await flow.ledger.clientApp.setBackchannel(clientId, { url })
  const isFirst = url !== null && backchannelUrl === null && signingSecret === null
  return isFirst ? await setSecret(flow, clientId, 'webhook-secret') : null
}

export type SecretKind = 'client-secret' | 'credit-push-key' | 'webhook-secret'

/**
 * Makes a new secret, which is shown this once. A former credit push key stays good for ten minutes (A-CRP-05). Refuses
 * `state-forbids` for a secret that a public app cannot have.
 */
export const rotateSecret = async (
  flow: AppFlow,
  clientId: string,
  kind: SecretKind,
): Promise<{ secret: string; previousUntil: string | null }> => {
  await appOf(flow.ledger, clientId)
  const secret = await setSecret(flow, clientId, kind)
  const until = flow.world.now().getTime() + PREVIOUS_KEY_MINUTES * 60_000
  return { secret, previousUntil: kind === 'credit-push-key' ? new Date(until).toISOString() : null }
}

/** Removes the signing secret, so that receipts are sent without a signature from now on. */
export const dropSigningSecret = async ({ ledger }: AppFlow, clientId: string): Promise<void> => {
  await ledger.clientApp.setSigningSecret(clientId, { secret: null })
}

const setSecret = async (flow: AppFlow, clientId: string, kind: SecretKind): Promise<string> => {
  const { ledger, world, vault } = flow
  if (kind === 'client-secret') {
    const secret = newClientSecret(flow)
    await ledger.clientApp.rotateSecret(clientId, { secretHash: world.digest(secret) })
    return secret
  }
  if (kind === 'credit-push-key') {
    const key = newCreditPushKey(flow)
    await ledger.clientApp.rotateCreditPushKey(clientId, { keyHash: world.digest(key) })
    return key
  }
  const secret = newSigningSecret(flow)
  await ledger.clientApp.setSigningSecret(clientId, { secret: await vault.seal(clientId, secret) })
  return secret
}

const appOf = async (ledger: AppFlow['ledger'], clientId: string): Promise<ClientApp> => {
  const app = await ledger.clientApp.read(clientId)
  return app.status === 'active'
    ? app
    : refuse('client-unknown', 'There is no app of this client_id. Look for it among your apps.')
}
