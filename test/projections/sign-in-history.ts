import type { EventStore } from '../../domain/kernel/ports.ts'
import { grantCredit, refundIntent } from '../../domain/use-cases/balance/credit.ts'
import { createIntent, declineIntent } from '../../domain/use-cases/balance/intent.ts'
import { revokeMandate } from '../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { payIntent, standingOrder } from '../support/balances.ts'
import { everything, ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ODD_TEXT } from './history.ts'

/** A user and the apps they sign in to: from registration to payments, receipts and what is taken back on the way. */

const SUB = 'usr_1'
const APP = 'app_1'
const FAR = '2099-01-01T00:00:00.000Z'
const ways = { redirectUri: 'https://app.test/cb', appState: ODD_TEXT, expiresAt: FAR }

export const signInHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('sign-in-history')
  const ledger = ledgerOn(store, world)
  const vault = {
    seal: async (subject: string, text: string) => `v1.${subject}.iv.${text}`,
    fingerprint: (purpose: string, value: string) => world.digest(`${purpose}|${value}`),
  }
  const flow = { ledger, world, vault } as unknown as UseCaseContext
  await registered(ledger)
  await grantCredit(flow, { to: `user:${SUB}`, amount: 100_000_000n, id: 'one', note: ODD_TEXT })
  await grantCredit(flow, { to: `app:${APP}`, amount: 5_000_000n, id: 'two', note: 'start' })
  await runPolicies(store, ledger, world)
  const { intentId } = await payIntent(flow, { sub: SUB, clientId: APP, amount: 12_340_000n })
  const order = await standingOrder(flow, { sub: SUB, clientId: APP })
  await order.debit(5_000_000n, 'first')
  await runPolicies(store, ledger, world)
  await refundIntent(flow, { clientId: APP, intentId, ref: 'r1', amount: 1_000_000n })
  const wish = { sub: SUB, clientId: APP, amount: 1n, description: 'no', idempotencyKey: 'k', ...ways }
  await declineIntent(flow, (await createIntent(flow, wish)).intentId)
  await revokeMandate(flow, order.mandateId, 'user')
  await toppedUp(ledger)
  await runPolicies(store, ledger, world)
  await sent(store, ledger)
}

const registered = async ({ user, clientApp, consent }: Ledger): Promise<void> => {
  const person = { email: 'v1.usr_1.iv.e', passwordHash: '$argon2id$x', profile: 'v1.usr_1.iv.p' }
  await user.register(SUB, { ...person, emailFingerprint: 'f1', verification: null })
  await user.register('usr_2', { ...person, emailFingerprint: 'f2', verification: null })
  await user.erase('usr_2', {})
  const app = { name: ODD_TEXT, owner: SUB, confidential: true, firstParty: false, redirectUris: [ways.redirectUri] }
  const secrets = { secretHash: 'h', creditPushKeyHash: 'k', signingSecret: 'v1.app_1.iv.s' }
  await clientApp.register(APP, { ...app, ...secrets, backchannelUrl: 'https://app.test/hook' })
  await clientApp.register('app_2', { ...app, ...secrets, owner: null, backchannelUrl: null })
  for (const domain of ['app.test', 'old.test']) await clientApp.claimDomain(APP, { domain, token: 't' })
  await clientApp.verifyDomain(APP, { domain: 'app.test' })
  await clientApp.lapseDomain(APP, { domain: 'app.test' })
  await clientApp.verifyDomain(APP, { domain: 'app.test' })
  await clientApp.releaseDomain(APP, { domain: 'old.test' })
  await clientApp.rename(APP, { name: 'Shop' })
  const grant = { sub: SUB, clientId: APP }
  await consent.grant(`${SUB}:${APP}`, { ...grant, scopes: ['openid'] })
  await consent.grant(`${SUB}:${APP}`, { ...grant, scopes: ['balance', 'openid'] })
  await consent.grant(`${SUB}:app_2`, { sub: SUB, clientId: 'app_2', scopes: ['openid'] })
  await consent.revoke(`${SUB}:app_2`, { sub: SUB, clientId: 'app_2' })
  await clientApp.disable('app_2', {})
}

const toppedUp = async ({ topUp }: Ledger): Promise<void> => {
  await topUp.start('tu_1', { clientId: APP, amount: '20000000', ...ways })
  await topUp.accept('tu_1', { sub: SUB, requestId: 'pr_1', expiresAt: FAR })
  await topUp.settle('tu_1', {
    transferId: 'topup:tu_1:c',
    ledgerRef: 'oidctop-1',
    kind: 'top-up',
    total: '19000000',
    clientId: APP,
    legs: [{ to: `user:${SUB}`, amount: '19000000' }],
    request: 'r',
    description: null,
    sub: SUB,
    topUpId: 'tu_1',
    challengeId: 'c',
    short: true,
    source: 'settle-top-ups',
    position: '1',
  })
}

/** Each receipt fails once; the first is then accepted and sent again, the second is wanted no more. */
const sent = async (store: EventStore, { notification }: Ledger): Promise<void> => {
  const at = '2026-03-02T10:00:00.000Z'
  const attempt = { url: 'https://app.test/hook', reason: null, bodyHead: ODD_TEXT, durationMs: 5, attemptedAt: at }
  const ids = (await everything(store)).flatMap(({ type, stream }) =>
    type === 'NotificationScheduled' ? [stream.slice('notification-'.length)] : [],
  )
  for (const [n, id] of ids.entries()) {
    await notification.record(id, { ...attempt, attempt: 1, status: 500, jitter: 0 })
    if (n < 2) await notification.record(id, { ...attempt, attempt: 2, status: n === 0 ? 200 : 410, jitter: 0 })
    if (n === 0) await notification.replay(id, {})
  }
}
