/** Rows of lists, straight into the log: the n-th of an account, live or a test. */
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { sessionCreated } from '../../domain/commerce-samples.ts'
import {
  checkoutSaved,
  created,
  entry,
  opened,
  PAY_TO,
  payoutRequested,
  recordedTransaction,
  requestOpened,
  transferData,
} from '../../domain/samples.ts'
import type { FixedWorld } from '../../support/world.ts'

export type Filling = { readonly ledger: Ledger; readonly world: FixedWorld; readonly accountId: string }

/** Makes a row and answers what the list calls it. */
export type Filler = (to: Filling, n: number, test: boolean) => Promise<string>

const FAR = '2040-01-01T00:00:00.000Z'
const HOUR_MS = 3_600_000
/** Sealed under the key of somebody who is not there. */
const ERASED = `v1.acc_nobody.${'a'.repeat(16)}.${'a'.repeat(40)}`
const hex = (world: FixedWorld, bytes: number) => `0x${world.secret(bytes)}`

export const transaction: Filler = async ({ ledger, world, accountId }, _, test) => {
  const id = String(world.numberFrom('transaction', world.id('x')))
  const [challengeId, createdAt] = [`${world.id('ch')}.eth`, world.now().toISOString()]
  await ledger.transaction.create(id, {
    ...recordedTransaction,
    accountId,
    challengeId,
    createdAt,
    test,
    expiresAt: FAR,
  })
  return id
}

export const resource: Filler = async ({ ledger, world, accountId }, _, test) => {
  const id = world.id('res')
  await ledger.resource.create(id, { ...created, accountId, checkoutId: world.id('co'), test })
  return id
}

export const paymentRequest: Filler = async ({ ledger, world, accountId }, n, test) => {
  const id = world.id('pr')
  const transactionId = String(world.numberFrom('request', id))
  await ledger.paymentRequest.open(id, {
    ...requestOpened,
    accountId,
    transactionId,
    expiresAt: FAR,
    test,
    title: `${n}`,
  })
  return id
}

/** Money that is nobody's is live, and what somebody simulated is a test. */
export const settlement: Filler = async ({ ledger, world, accountId }, _, test) => {
  const setId = world.id('ch')
  if (test) {
    await ledger.challenge.open(setId, { ...opened, accountId, resId: null, test, expiresAt: FAR })
    const challenge = { challengeId: `${setId}.eth`, asset: 'eth', tx: hex(world, 32) }
    await ledger.challenge.simulate(setId, { ...challenge, added: entry.confirmations })
    return `${setId}.eth`
  }
  const transfer = { ...transferData, tx: hex(world, 32) }
  const aside = { accountId, challengeId: null, asset: 'eth', reason: 'unmatched' as const, transfer }
  await ledger.transfer.setAside(`eth:${transfer.tx}:native`, aside)
  return `eth:${transfer.tx}:native`
}

/** The payers of the first resource of the account. */
export const caller =
  (resId: string): Filler =>
  async ({ ledger, world, accountId }) => {
    const [setId, from] = [world.id('ch'), hex(world, 20)]
    await ledger.challenge.open(setId, { ...opened, accountId, resId })
    const transfer = { ...transferData, from, tx: hex(world, 32), to: PAY_TO }
    await ledger.challenge.settle(setId, { challengeId: `${setId}.eth`, asset: 'eth', transfer })
    return from
  }

export const payout: Filler = async ({ ledger, world, accountId }) => {
  const id = world.id('po')
  const transactionId = String(world.numberFrom('payout', id))
  const { asset } = payoutRequested
  await ledger.transaction.create(transactionId, {
    ...recordedTransaction,
    accountId,
    challengeId: null,
    resId: null,
    payoutId: id,
    type: 'payout',
  })
  const requestedAt = world.now().toISOString()
  await ledger.payout.request(id, { accountId, transactionId, asset, details: ERASED, requestedAt })
  return transactionId
}

export const checkout: Filler = async ({ ledger, world, accountId }, n, test) => {
  const number = String(world.numberFrom('checkout', world.id('co')))
  await ledger.checkout.create(number, {
    ...checkoutSaved,
    accountId,
    slug: `thing-${n}-${number}`,
    ...(test && { test: true }),
    origin: world.id('co'),
  })
  return number
}

/** Offers on the landing page of one payment link. */
export const offer =
  (checkoutId: string): Filler =>
  async ({ ledger, world, accountId }) => {
    const id = String(world.numberFrom('offer', world.id('of')))
    const made = {
      accountId,
      landerId: 1,
      checkoutId,
      amount: '1000000',
      currency: 'USD',
      email: ERASED,
      message: null,
    }
    await ledger.offer.make(id, { ...made, origin: world.id('of') })
    return id
  }

export const order: Filler = async ({ ledger, world, accountId }, _, test) => {
  const id = world.id('cs')
  await ledger.checkoutSession.create(id, { ...sessionCreated, accountId, storeId: 1, test, expiresAt: FAR })
  await ledger.checkoutSession.ready(id, { terms: 0, requestId: world.id('pr'), mandate: null })
  const paid = { orderId: `ord_${id.slice(3)}`, transactionId: '7', challengeId: 'ch_1.eth' }
  await ledger.checkoutSession.complete(id, paid)
  return paid.orderId
}

/** A few an hour, and few of them active at once. */
export const sandboxKey: Filler = async ({ ledger, world, accountId }, n) => {
  if (n % 4 === 0) world.step(2 * HOUR_MS)
  const [keyId, keyHash] = [world.secret(8), world.secret(32)]
  const { state } = await ledger.sandboxKeys.issue(accountId, {
    keyId,
    keyHash,
    hint: 'sk_test_…',
    kind: 'secret',
    label: null,
  })
  if (n % 20 !== 0) await ledger.sandboxKeys.revoke(accountId, { number: state.last })
  return String(state.last)
}

/** Webhooks that tried a URL out. */
export const delivery: Filler = async ({ ledger, world, accountId }) => {
  const id = world.secret(16)
  const url = 'https://hooks.example/in'
  const data = { accountId, transactionId: '', url, slot: 'account', test: true, reason: 'test' } as const
  await ledger.delivery.schedule(id, data)
  return id
}

/** Bookings of the seller's credit. */
export const booking: Filler = async ({ ledger, world, accountId }, n) => {
  const ref = world.id('res')
  const grant = { amount: String(n + 1), reason: 'email-verified' as const, ref, source: 'lists', position: String(n) }
  const { events } = await ledger.creditAccount.grant(accountId, grant)
  return events.length === 1 ? String(n + 1) : ''
}
