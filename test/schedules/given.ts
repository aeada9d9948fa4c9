/** Logs that schedules begin with. Each is written once, and read by every schedule. */

import { PLATFORM } from '../../domain/kernel/platform.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import type { TransferData } from '../../domain/selling/challenge-terms.ts'
import { CARD_ID, cardOpened, connectedProcessor } from '../domain/card-samples.ts'
import {
  ACCOUNT,
  created,
  opened,
  RES_ID,
  recordedTransaction,
  requestOpened,
  SET_ID,
  transferData,
} from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'

export const OTHER_SET_ID = `ch_${'b'.repeat(26)}`
export const OTHER_CHALLENGE_ID = `${OTHER_SET_ID}.eth`
export const TOKEN_HASH = 'vh'

/** A seller whose email address is not verified, with a webhook URL and a resource. */
const signedUp = async () => {
  const store = memoryStore()
  const world = fixedWorld('given')
  const ledger = ledgerOn(store, world)
  await ledger.account.signUp(ACCOUNT, {
    email: 'v1.a.b.c',
    emailFingerprint: 'f',
    passwordHash: 'p',
    primaryWallet: null,
    termsAgreed: 'explicit',
    key: { keyId: 'k', keyHash: 'h', hint: 'x', kind: 'owner' },
    cloudToken: { token: 'v1.t', tokenHash: 'th' },
    verification: { tokenHash: TOKEN_HASH, expiresAt: '2026-03-03T10:00:00.000Z', letter: 'v1.l' },
  })
  await ledger.webhook.setUrl(ACCOUNT, { slot: 'account', url: 'https://shop.example/', secret: 's', last4: 'last' })
  await ledger.resource.create(RES_ID, created)
  return { store, ledger, world }
}

/**
 * Two challenges that ask for the same are open, one of them holds the amount, and the chain watch has seen it paid.
 */
export const paid = async (): Promise<readonly RecordedEvent[]> => {
  const { store, ledger, world } = await signedUp()
  await ledger.account.verifyEmail(ACCOUNT, { tokenHash: TOKEN_HASH })
  await runPolicies(store, ledger, world, policies)
  const [endsAt, heldUntil] = ['2026-03-02T11:00:00.000Z', '2026-03-02T13:00:00.000Z']
  const wish = { price: '40000000000000000', step: '10000000000', anonymous: false }
  const reservation = { challengeId: `${SET_ID}.eth`, accountId: ACCOUNT, ...wish, endsAt, heldUntil }
  await ledger.receiveAddress.reserve(`eth:eth:${transferData.to}`, reservation)
  await ledger.challenge.open(SET_ID, opened)
  await ledger.challenge.open(OTHER_SET_ID, opened)
  await ledger.chainWatch.scanned('eth', {
    network: 'eth',
    height: 110,
    hash: '0x110',
    head: 110,
    transfers: [transferData],
  })
  return store.events()
}

/** A top-up is asked for, in two challenges of its one request; two transfers pay one each. */
export const toppingUp = async () => {
  const { store, ledger, world } = await signedUp()
  await ledger.account.verifyEmail(ACCOUNT, { tokenHash: TOKEN_HASH })
  await runPolicies(store, ledger, world, policies)
  const topUp = { accountId: ACCOUNT, amount: '10000000' }
  await ledger.paymentRequest.open(REQUEST_ID, { ...requestOpened, accountId: PLATFORM, topUp })
  await ledger.transaction.create(requestOpened.transactionId, {
    ...recordedTransaction,
    accountId: PLATFORM,
    challengeId: null,
    resId: null,
    requestId: REQUEST_ID,
    type: 'payment-request',
  })
  const paymentRequest = { requestId: REQUEST_ID, transactionId: requestOpened.transactionId }
  for (const setId of [SET_ID, OTHER_SET_ID])
    await ledger.challenge.open(setId, { ...opened, accountId: PLATFORM, resId: null, paymentRequest })
  return store.events()
}
const REQUEST_ID = 'pr_1'

/**
 * A request that is paid by a coin or by a card, whichever comes first; a challenge of it is open, and its time is up
 * already.
 */
export const aboutToPayByCard = async (): Promise<readonly RecordedEvent[]> => {
  const { store, ledger, world } = await signedUp()
  await ledger.account.verifyEmail(ACCOUNT, { tokenHash: TOKEN_HASH })
  await runPolicies(store, ledger, world, policies)
  const { requestId, transactionId } = cardOpened.paymentRequest
  const expiresAt = new Date(world.now().getTime() - 1).toISOString()
  await ledger.paymentRequest.open(requestId, { ...requestOpened, accountId: ACCOUNT, transactionId, expiresAt })
  await ledger.transaction.create(transactionId, {
    ...recordedTransaction,
    challengeId: null,
    resId: null,
    requestId,
    type: 'payment-request',
  })
  await ledger.challenge.open(SET_ID, { ...opened, resId: null, paymentRequest: cardOpened.paymentRequest })
  const secrets = JSON.stringify({ secretKey: 'sk_live_1', webhookSecret: 'whsec_1' })
  await ledger.cardProcessor.connect(ACCOUNT, { ...connectedProcessor, secrets })
  return store.events()
}

/** The same, and a page of the processor is open for it. */
export const payingByCard = async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await aboutToPayByCard())
  const ledger = ledgerOn(store, fixedWorld('paying'))
  await ledger.cardPayment.open(CARD_ID, cardOpened)
  await ledger.cardPayment.place(CARD_ID, { sessionId: 'cs_1' })
  return store.events()
}

/** What pays for a challenge. */
export type Sale = { setId: string; challengeId: string; asset: string; transfer: TransferData }

/** Challenges of these prices in US dollars are open, the account is not yet activated; what pays each of them. */
export const unbilled = async (...prices: readonly number[]) => {
  const { store, ledger } = await signedUp()
  const sales: Sale[] = []
  for (const [i, dollars] of prices.entries()) {
    const setId = `ch_${'cdefgh'[i]?.repeat(26)}`
    await ledger.challenge.open(setId, { ...opened, usd: String(dollars * 1_000_000) })
    const transfer = { ...transferData, tx: `0x${String(i).repeat(64)}` }
    sales.push({ setId, challengeId: `${setId}.eth`, asset: 'eth', transfer })
  }
  return { store, ledger, sales }
}

/** A challenge has settled, and nothing has followed from it. */
export const settled = async (): Promise<readonly RecordedEvent[]> => {
  const { store, ledger, sales } = await unbilled(100)
  for (const { setId, ...sale } of sales) await ledger.challenge.settle(setId, sale)
  return store.events()
}

/** The delivery of a settlement is scheduled, and not sent. */
export const scheduled = async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await settled())
  const world = fixedWorld('scheduled')
  await runPolicies(store, ledgerOn(store, world), world, policies)
  return store.events()
}
