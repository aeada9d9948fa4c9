import test from 'ava'
import { transactionActions } from '../../../adapters/http/agent/selling/transaction-actions.ts'
import { allow } from '../../../adapters/http/core/actor.ts'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { paymentActEndpoints } from '../../../adapters/http/dashboard/payments/acts.ts'
import { paymentPage } from '../../../adapters/http/pages/dashboard/payments/detail.ts'
import type { Capability } from '../../../domain/account/capabilities.ts'
import { capabilitiesOf, type Role } from '../../../domain/account/roles.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { type Person, person } from '../../support/people.ts'
import { inLine, logOf, sell, shop, transactionOf, webhookLog } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'

/** One payment at the dashboard, and what a member does with it. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** A shop with one sale, before its owner. */
const sale = async () => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
  const { offer, hash } = await sell(app, s)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  const who = person(app)
  await memberSignIn(who, { email: s.email })
  return { ...s, who, offer, hash, id, path: `/dashboard/payments/${id}` }
}

const acted = async (who: Person, path: string, fields: Record<string, string>) => {
  const { status, location, text } = await who.send(path, fields)
  return { status, location, text }
}

test('N-82 a payment shows what was asked and came, its fee, its life, and its webhook with the answer', async (t) => {
  const { who, path, key, id, hash } = await sale()
  await webhookLog(app, key, id)
  const { status, text } = await who.open(path)
  t.is(status, 200)
  for (const shown of [
    id,
    hash,
    'Completed',
    '$100.00',
    '$0.20',
    'ChallengeSettled',
    'TransactionCompleted',
    'Accepted',
  ])
    t.true(text.includes(shown), shown)
})

test('N-82 X-TEN-01 a payment of another account is not there, and neither is anything done with it', async (t) => {
  const { path } = await sale()
  const { who } = await signedInMember(app)
  t.is((await who.open(path)).status, 404)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open('/dashboard')).text)?.[1] ?? ''
  for (const { when } of paymentActEndpoints)
    t.is((await who.post(path, { csrf, act: String(when?.act) })).status, 404, String(when?.act))
})

deepTest('N-82 W-RTY-02 a member sends the webhook of a payment again, and the log says who', async (t) => {
  const { who, path, key, id } = await sale()
  await webhookLog(app, key, id)
  t.is((await acted(who, path, { act: 'resend' })).location, `${path}?done=resend`)
  t.is((await webhookLog(app, key, id)).length, 2)
  const resent = (await logOf(app)).findLast(
    ({ type, data }) => type === 'DeliveryScheduled' && JSON.stringify(data).includes(id),
  )
  t.regex(resent?.cause.actor ?? '', /^acc_\w+\/member\/mem_\w+$/)
})

test('N-82 N-68 a member records a refund once, however often the form is sent', async (t) => {
  const { who, path, key, id } = await sale()
  const { text } = await who.open(path)
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const form = { csrf, act: 'refund', amount: '0.01', hash: '', refunded: '' }
  t.is((await who.post(path, form)).location, `${path}?done=refund`)
  const again = await who.post(path, form)
  t.is(again.status, 422)
  t.regex(again.text, /A refund was recorded since this page was opened/)
  const { json } = await ok(app.call('GET', `/v1/transactions?transaction_id=${id}`, { key }))
  t.is(json.transaction.refunded_amount, '0.01')
})

deepTest('N-82 what an act is refused for is said beside its form, with what was typed', async (t) => {
  const { who, path } = await sale()
  const refund = await acted(who, path, { act: 'refund', amount: 'much', hash: '' })
  t.is(refund.status, 422)
  t.regex(refund.text, /<details class="dialog" open>\s*<summary>Refund/)
  t.regex(refund.text, /amount: has to be a plain decimal number/)
  t.regex(refund.text, /value="much"/)
  const edit = await acted(who, path, { act: 'edit', amount_fiat: 'cheap' })
  t.is(edit.status, 422)
  t.regex(edit.text, /amount_fiat: /)
})

deepTest(
  'N-82 M-TXN-10 a member edits a payment and notes on it: only what was changed in the form is written',
  async (t) => {
    const { who, path, key, id } = await sale()
    const page = await who.open(path)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    await consoleOk(app, key, 'update-transaction', { transaction_id: id, values: JSON.stringify({ title: 'Tea' }) })
    const form = { csrf, act: 'edit', description: 'Called back', was_description: '', title: 'Old', was_title: 'Old' }
    t.is((await who.post(path, form)).location, `${path}?done=edit`)
    const { json } = await ok(app.call('GET', `/v1/transactions?transaction_id=${id}`, { key }))
    t.is(json.transaction.description, 'Called back')
    t.is(json.transaction.title, 'Tea')
    t.is(json.transaction.edited_by_hand, 'description,title')
  },
)

test('N-82 J-TXN-08 a member says which hash pays a payment that waits', async (t) => {
  const { who, key } = await sale()
  const made = await consoleOk(app, key, 'create-transaction', { amount: '5', currency_code: 'USD' })
  const path = `/dashboard/payments/${made.transaction_id}`
  const wrong = await acted(who, path, { act: 'match', hash: `0x${'1'.repeat(64)}` })
  t.is(wrong.status, 422)
  t.regex(wrong.text, /<details class="dialog" open>\s*<summary>Say which hash pays it/)
})

/** A payment request that waits, and a payment to the same seller's address that is none of what is asked for. */
const oddSale = async () => {
  const { who, key, address, path: soldAt } = await sale()
  const { json } = await ok(app.call('POST', '/v1/payment-requests', { key, body: { amount: 100, currency: 'USD' } }))
  const { encrypted_id: id, transaction_id } = json
  const { json: offer } = await app.call('GET', `/id/${id}?agent=1`)
  const asked = BigInt(offer.accepts.find((each: { asset: string }) => each.asset === 'eth').amountAtomic)
  const hash = await inLine(() => app.anvil.send(address, asked - 10n ** 15n))
  await app.anvil.mine(12)
  const row = await eventually('the odd payment', async () => {
    const { settlements } = (await ok(app.call('GET', '/v1/settlements', { key }))).json
    return settlements.find((each: { hash: string }) => each.hash === hash)
  })
  return { who, key, soldAt, hash, path: `/dashboard/payments/${transaction_id}`, transfer: String(row.transfer) }
}

deepTest(
  'N-82 N-24 N-103 a member chooses among the payments that came and settle nothing, and sees what is still missing',
  async (t) => {
    const { who, path, soldAt, key, hash, transfer } = await oddSale()
    const { text } = await who.open(path)
    t.regex(text, /<summary>Choose which payment pays it/)
    for (const shown of [hash, `value="${transfer}"`, 'Ether', 'matched nothing', 'It may be meant for this.'])
      t.true(text.includes(shown), shown)
    t.notRegex((await who.open(soldAt)).text, /Choose which payment pays it/)
    const list = (await who.open('/dashboard/payments')).text
    t.deepEqual(
      [...list.matchAll(/href="([^"]*)" aria-label="may be paid: [^"]+">may be paid</g)].map(([, href]) => href),
      [`${path}?open=match-transfer#match-transfer`],
    )
    t.regex(
      (await who.open(`${path}?open=match-transfer`)).text,
      /<details class="dialog" open>\s*<summary>Choose which payment pays it/,
    )
    const none = await acted(who, path, { act: 'match-transfer', transfer: '' })
    t.is(none.status, 422)
    t.regex(none.text, /transfer: has to be one of the payments that came/)
    t.is((await acted(who, path, { act: 'match-transfer', transfer })).location, `${path}?done=match-transfer`)
    const { json } = await ok(app.call('GET', '/v1/settlements', { key }))
    t.like(
      json.settlements.find((each: { hash: string }) => each.hash === hash),
      {
        status: 'underpaid',
        matched_by_hand: true,
      },
    )
    const after = (await who.open(path)).text
    t.regex(after, /<dt>Still missing<\/dt>\s*<dd><span class="money">0\.0010000\d Ether/)
    t.notRegex(after, /Choose which payment pays it/)
    t.notRegex((await who.open('/dashboard/payments')).text, /may be paid/)
  },
)

test('N-82 X-TEN-01 nobody is offered another seller’s odd payment, or takes it', async (t) => {
  const [{ transfer, hash }, ours] = [await oddSale(), await oddSale()]
  t.false((await ours.who.open(ours.path)).text.includes(hash))
  t.is((await ours.who.open('/dashboard/payments')).text.match(/>may be paid</g)?.length, 1)
  const taken = await acted(ours.who, ours.path, { act: 'match-transfer', transfer })
  t.is(taken.status, 422)
  t.regex(taken.text, /<details class="dialog" open>\s*<summary>Choose which payment pays it/)
})

test('N-82 a payment says by whose word its rate was asked for', async (t) => {
  const { who, path } = await sale()
  t.regex((await who.open(path)).text, /<dt>Rate of one coin<\/dt>\s*<dd>2500 USD, as fixed said/)
})

const endpointsByAct = new Map(paymentActEndpoints.map((e) => [String(e.when?.act), e]))
const capabilityOf = (e: Endpoint | undefined) => e?.callers?.capability

test('N-82 each act needs what the call of the API needs', (t) => {
  const byAction = new Map(transactionActions.map((e) => [String(e.when?.action), e]))
  t.is(capabilityOf(endpointsByAct.get('resend')), capabilityOf(byAction.get('resend-webhook')))
  t.is(capabilityOf(endpointsByAct.get('refund')), capabilityOf(byAction.get('refund')))
  t.is(capabilityOf(endpointsByAct.get('match')), capabilityOf(byAction.get('submit-hash')))
  t.is(capabilityOf(endpointsByAct.get('edit')), 'transactions.edit')
})

test('N-82 whoever lacks a capability is refused the act, and is not shown it', (t) => {
  for (const [role, acts] of Object.entries({
    clerk: [],
    lead: ['resend', 'edit'],
    supervisor: ['resend', 'refund', 'edit'],
  })) {
    const can = (capability: Capability) => capabilitiesOf(role as Role, []).includes(capability)
    const actor = {
      accountId: 'acc_x',
      kind: 'member',
      keyId: 'mem_x',
      testOnly: false,
      storeScope: undefined,
      can,
    } as const
    const { body } = paymentPage({
      member: { csrf: 'x', languages: 'en', zone: 'UTC', accounts: [], actor },
      ...completed,
    })
    const shown = [...String(body).matchAll(/name="act" value="(\w+)"/g)].map(([, act]) => act)
    t.deepEqual(shown, acts, role)
    for (const [act, e] of endpointsByAct) {
      if (act.startsWith('match') ? can('transactions.edit') : (acts as string[]).includes(act))
        t.notThrows(() => allow(actor, e))
      else t.throws(() => allow(actor, e), { message: /forbidden/ }, `${role} ${act}`)
    }
  }
})

/** A completed payment as its page gets it. */
const completed = {
  record: { title: 'Tea' },
  row: {
    id: '7',
    status: 'C',
    test: false,
    refundedAt: null,
    refundedPart: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  },
  deliveries: [],
  sent: new Map(),
  settlement: undefined,
  progress: undefined,
  due: undefined,
  rate: undefined,
  rateSource: undefined,
  network: undefined,
  life: undefined,
} as unknown as Omit<Parameters<typeof paymentPage>[0], 'member'>
