import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { BearerCaller } from '../../core/caller.ts'
import { sameHash } from '../../core/callers.ts'

/** What an app proves beside a user's token: that it is the app the token was made for. */

type BearerRequest = { readonly flow: UseCaseContext; readonly actor: BearerCaller }

/** Refuses `client-unknown` unless the secret is that of the token's own client. */
export const mustHaveSecret = async (
  { flow, actor }: BearerRequest,
  { client_id, client_secret }: { client_id?: string | undefined; client_secret: string },
): Promise<void> => {
  refuseOther(actor, client_id)
  const good = await known(flow, actor, ({ secretHash }) => isOneOf(flow, client_secret, [secretHash]))
  if (!good) refuse('client-unknown', 'client_secret: has to be that of the app which the token was made for')
}

/**
 * Refuses `credit-push-key-wrong` unless the key is the token's own client's: its newest, or the one before for 10
 * minutes (A-CRP-05). The client secret never counts as one (A-CRP-04).
 */
export const mustHavePushKey = async (
  { flow, actor }: BearerRequest,
  { client_id, credit_push_key }: { client_id: string; credit_push_key: string },
): Promise<void> => {
  refuseOther(actor, client_id)
  const now = flow.world.now().toISOString()
  const good = await known(flow, actor, ({ creditPushKey: key }) => {
    const previous = key?.previous && now < key.previous.until ? key.previous.hash : null
    return isOneOf(flow, credit_push_key, [key?.hash ?? null, previous])
  })
  if (!good)
    refuse('credit-push-key-wrong', 'credit_push_key: is not one of this app; issue one on the page of the app')
}

const refuseOther = (actor: BearerCaller, clientId: string | undefined): void => {
  if (clientId !== undefined && clientId !== actor.clientId)
    refuse('client-unknown', 'client_id: has to be that of the app which the token was made for')
}

/** A key that another process has set a moment ago may not have come here yet. */
const known = async (
  { ledger }: UseCaseContext,
  { app, clientId }: BearerCaller,
  good: (app: ClientApp) => boolean,
): Promise<boolean> => {
  if (good(app)) return true
  const newest = await ledger.clientApp.read(clientId)
  return newest.status === 'active' && good(newest)
}

/** Whether the secret has one of these hashes. All are compared, so that the time tells nothing. */
const isOneOf = ({ world }: UseCaseContext, secret: string, hashes: readonly (string | null)[]): boolean => {
  const own = world.digest(secret)
  return hashes.map((hash) => hash !== null && sameHash(own, hash)).includes(true)
}
