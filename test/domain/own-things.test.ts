import test from 'ava'
import { type CheckoutCommands, checkout } from '../../domain/selling/checkout.ts'
import { paymentRequest } from '../../domain/selling/payment-request.ts'
import { resource } from '../../domain/selling/resource.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, checkoutSaved, created, EXPIRES, requestOpened } from './samples.ts'

/** Whose a resource and a saved checkout are, and what their owner changes of them and of a request. */

const accountId = ACCOUNT
const mine = (more: object = {}) => ({ type: 'ResourceCreated', data: { ...created, ...more } }) as const
const saved = (more: object = {}) =>
  ({ type: 'CheckoutCreated', data: { ...checkoutSaved, createdAt: NOW, ...more } }) as const

test('J-AUTH-04 X-SBX-01 a key of some stores finds no resource of others, and a sandbox key no live one', (t) => {
  const disabled = { type: 'ResourceDisabled', data: { accountId } } as const
  given(t, resource, mine())
    .when('disable', { accountId, stores: [1] })
    .yields(disabled)
  given(t, resource, mine({ storeId: 3 }))
    .when('disable', { accountId, stores: [1, 3] })
    .yields(disabled)
  for (const stores of [[], [2], [3]])
    given(t, resource, mine()).when('disable', { accountId, stores }).isRefused('resource-not-found')
  given(t, resource, mine({ storeId: 3 }))
    .when('describe', { accountId, stores: [1], title: 'x' })
    .isRefused('resource-not-found')
  given(t, resource, mine()).when('disable', { accountId, testOnly: true }).isRefused('resource-not-found')
  given(t, resource, mine({ test: true }))
    .when('disable', { accountId, testOnly: true })
    .yields(disabled)
  given(t, resource, mine(), disabled)
    .when('disable', { accountId, stores: [2] })
    .isRefused('resource-not-found')
  given(t, resource, mine(), disabled).when('disable', { accountId, testOnly: true }).isRefused('resource-not-found')
})

test('a resource is described in parts, and what is not given stays', (t) => {
  const described = (title: string, listed: boolean) =>
    ({ type: 'ResourceDescribed', data: { accountId, title, listed } }) as const
  given(t, resource, mine()).when('describe', { accountId, title: '', listed: false }).yieldsNothing()
  given(t, resource, mine()).when('describe', { accountId }).yieldsNothing()
  given(t, resource, mine()).when('describe', { accountId, title: 'Tea' }).yields(described('Tea', false))
  const known = given(t, resource, mine(), described('Tea', true))
  known.when('describe', { accountId, title: 'Tea' }).yieldsNothing()
  known.when('describe', { accountId, title: 'Green tea' }).yields(described('Green tea', true))
  known.when('describe', { accountId, listed: false }).yields(described('Tea', false))
})

test('J-AUTH-04 X-SBX-01 X-TEN-01 a saved checkout is found by its account, its store’s keys and, on test, sandbox keys', (t) => {
  const gone = { type: 'CheckoutDeleted', data: { accountId } } as const
  given(t, checkout, saved())
    .when('delete', { accountId, stores: [1] })
    .yields(gone)
  given(t, checkout, saved({ test: true }))
    .when('delete', { accountId, testOnly: true })
    .yields(gone)
  for (const whose of [{ accountId: 'acc_2' }, { accountId, stores: [2] }, { accountId, testOnly: true }]) {
    given(t, checkout, saved()).when('delete', whose).isRefused('checkout-not-found')
    given(t, checkout, saved(), gone).when('delete', whose).isRefused('checkout-not-found')
    given(t, checkout, saved())
      .when('change', { ...whose, facts: { title: 'x' } })
      .isRefused('checkout-not-found')
  }
  given(t, checkout, saved(), gone).when('delete', { accountId }).yieldsNothing()
})

test('S-CHK-04 a checkout is taken off the lists and put back as any other fact of it changes', (t) => {
  const { accountId: _, slug: __, origin: ___, ...facts } = checkoutSaved
  const changed = (version: number, more: object) =>
    ({ type: 'CheckoutChanged', data: { ...facts, accountId, version, changedAt: NOW, ...more } }) as const
  const list = (listed: boolean): CheckoutCommands['change'] => ({ accountId, facts: { listed } })
  given(t, checkout, saved()).when('change', list(true)).yieldsNothing()
  given(t, checkout, saved())
    .when('change', list(false))
    .yields(changed(2, { listed: false }))
  const off = given(t, checkout, saved(), changed(2, { listed: false }))
  off.when('change', list(false)).yieldsNothing()
  off.when('change', { accountId, facts: { title: 'x' } }).yields(changed(3, { listed: false, title: 'x' }))
  off.when('change', list(true)).yields(changed(3, {}))
  given(t, checkout, saved(), changed(2, { listed: false }), changed(3, {}))
    .when('change', list(true))
    .yieldsNothing()
})

test('J-PRQ-03 M-TXN-12 a request ends once, and says how', (t) => {
  const { transactionId } = requestOpened
  const whose = { accountId, transactionId }
  const open = { type: 'PaymentRequestOpened', data: requestOpened } as const
  const paid = { type: 'PaymentRequestPaid', data: { ...whose, challengeId: CHALLENGE_ID } } as const
  const expired = { type: 'PaymentRequestExpired', data: whose } as const
  const ends = { ...whose, reason: 'canceled', withdrawnAt: NOW } as const
  const withdrawn = { type: 'PaymentRequestWithdrawn', data: ends } as const
  const late = '2026-03-02T11:00:00.001Z'
  given(t, paymentRequest, open).when('expire', {}, EXPIRES).yieldsNothing()
  given(t, paymentRequest, open).when('expire', {}, late).yields(expired)
  for (const end of [paid, expired, withdrawn]) {
    given(t, paymentRequest, open, end).when('expire', {}, late).yieldsNothing()
    given(t, paymentRequest, open, end).when('withdraw', { reason: 'deleted' }).yieldsNothing()
    given(t, paymentRequest, open, end).when('change', { title: 'x' }).isRefused('state-forbids')
    given(t, paymentRequest, open, end).when('change', { title: requestOpened.title }).yieldsNothing()
  }
  given(t, paymentRequest, open).when('withdraw', { reason: 'canceled' }).yields(withdrawn)
  const other = { challengeId: 'ch_other.eth' }
  given(t, paymentRequest, open, paid).when('pay', other).isRefused('already-paid')
  given(t, paymentRequest, open, expired).when('pay', { challengeId: CHALLENGE_ID }).yields(paid)
  given(t, paymentRequest).when('pay', other).isRefused('request-not-found')
  for (const command of ['expire', 'change'] as const)
    given(t, paymentRequest).when(command, {}).isRefused('request-not-found')
  given(t, paymentRequest).when('withdraw', { reason: 'deleted' }).isRefused('request-not-found')
  given(t, paymentRequest)
    .when('reopen', { ...other, round: 0 })
    .isRefused('request-not-found')
})
