import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { consoleCall, consoleOk } from '../../support/console.ts'
import { enrolledMember, memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { letterTo, person } from '../../support/people.ts'
import {
  assertReplayEqual,
  payInFull,
  saidOf,
  sell,
  send,
  sendBack,
  transactionOf,
  verify,
} from '../../support/sale.ts'
import { freshAddress, offerOf, ok } from '../../support/seller.ts'
import { ownerOf } from '../../support/stores.ts'

/** Closing an account: what stands against it, what it ends, and what stays. */

const clock = { shiftMs: 0 }
let app: TestApp
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
})
test.after.always(() => app?.stop())

const CLOSE = '/dashboard/settings/close'
const HOUR_MS = 3_600_000

/** An owner who has just shown their second factor. */
const confirmed = async () => {
  const member = await enrolledMember(app, clock)
  await member.who.send('/dashboard/confirm', { code: member.code() })
  return member
}
const priced = async (key: string, amount = 100): Promise<string> => {
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  return (await ok(app.call('POST', '/v1/resources', { key, body: { amount, currency: 'USD' } }))).json.res_id
}
const worksStill = async (key: string) => (await app.call('GET', '/v1/me', { key })).status === 200
const refused = async (member: Awaited<ReturnType<typeof confirmed>>) => {
  const answer = await member.who.send(CLOSE, { email: member.email }, '/dashboard')
  return answer.status === 422 && (await worksStill(member.key))
    ? answer.text
    : `closed: ${answer.status} ${answer.location}`
}

test.serial('N-91 without a second step nothing is closed, and the page leads to one', async (t) => {
  const { who, key, email } = await signedInMember(app)
  const page = (await who.open(CLOSE)).text
  t.regex(page, /href="\/dashboard\/security\/enrol"/)
  t.notRegex(page, /name="email"/)
  t.is((await who.send(CLOSE, { email }, '/dashboard')).status, 422)
  t.true(await worksStill(key))
})

test.serial('N-91 closing needs a second factor that is fresh, and the right address typed', async (t) => {
  const { who, key, email } = await confirmed()
  t.is((await who.send(CLOSE, { email: 'other@example.test' }, CLOSE)).status, 422)
  t.true(await worksStill(key))
  clock.shiftMs += 6 * 60_000
  t.regex((await who.open(CLOSE)).location ?? '', /^\/dashboard\/confirm\?next=/)
  t.regex((await who.send(CLOSE, { email }, '/dashboard')).location ?? '', /^\/dashboard\/confirm/)
  t.true(await worksStill(key))
})

test.serial('N-91 an open payment stands against it, and is named with its end, until nobody can pay it', async (t) => {
  const member = await confirmed()
  const { key, email, code } = member
  const offer = await offerOf(app, key, await priced(key))
  t.regex(await refused(member), /1 open payment<\/a>.*ends at the latest on <time/s)
  clock.shiftMs += HOUR_MS * 2
  const later = person(app)
  await memberSignIn(later, { email, code })
  t.notRegex((await later.open(CLOSE)).text, /open payment/, `${offer.challengeId} has ended`)
  t.is((await later.send(CLOSE, { email }, CLOSE)).status, 200)
  t.false(await worksStill(key))
})

test.serial('N-91 a payment that waits for confirmations and a refund that is not sent stand against it', async (t) => {
  const member = await confirmed()
  const { who, key, email } = member
  const resId = await priced(key)
  await ok(app.call('PUT', '/v1/settings', { key, body: { payment: { refunds: true } } }))
  const offer = await offerOf(app, key, resId)
  const paid = await send(app, offer)
  t.not((await verify(app, offer.challengeId, paid)).json.settled, true)
  t.regex(await refused(member), /1 open payment<\/a>/)
  await app.anvil.mine(offer.requiredConfirmations)
  t.true((await ok(verify(app, offer.challengeId, paid))).json.settled)
  const { id = '' } = await transactionOf(app, key, offer.challengeId, 'C')
  await ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key, body: {} }))
  const text = await refused(member)
  t.regex(text, /1 refund<\/a>/)
  t.notRegex(text, /open payment/)
  const hash = await sendBack(app, BigInt(offer.amountAtomic))
  await ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key, body: { hash } }))
  t.notRegex((await who.open(CLOSE)).text, /1 refund/)
  t.is((await who.send(CLOSE, { email }, CLOSE)).status, 200)
})

test.serial('N-91 fees that the credit did not cover stand against it', async (t) => {
  const member = await confirmed()
  const { key } = member
  const { offer } = await sell(app, { key, resId: await priced(key, 10_000) })
  await transactionOf(app, key, offer.challengeId, 'C')
  t.regex(await refused(member), /Fees that you owe: <span class="money">US\$15\.00/)
})

test.serial(
  'N-91 X-CLOSED-01 closing ends every key, token and session at once, and whoever signs in is told',
  async (t) => {
    const { who, key, email } = await confirmed()
    const resId = await priced(key)
    const sandbox = (await ok(app.call('POST', '/v1/sandbox-keys', { key, body: {} }))).json.api_key as string
    const store = (await ok(app.call('POST', '/v1/stores', { key, body: { label: 'North' } }))).json
    const cloud = (await consoleOk(app, key, 'get-cloud-token')).cloud_token as string
    const { accountId } = await ownerOf(app, { resId })
    const closed = await who.send(CLOSE, { email: email.toUpperCase() }, CLOSE)
    t.is(closed.status, 200)
    t.regex(closed.text, /The account is closed/)
    for (const each of [key, sandbox, store.api_key as string]) {
      const answer = await app.call('GET', `/v1/resources?res_id=${resId}`, { key: each })
      t.is(answer.status, 401)
      t.regex(answer.json.message, /closed by its owner/)
    }
    const asked = await consoleCall(
      app,
      undefined,
      'create-transaction',
      { cloud, amount: '5', currency_code: 'USD' },
      '/payment/ajax.php',
    )
    t.is(asked.status, 401, asked.text)
    t.is((await who.open('/dashboard')).location, '/dashboard/sign-in?next=%2Fdashboard')
    t.is((await app.call('GET', `/r/${resId}`)).status, 503)
    t.is((await app.call('GET', new URL((store.store ?? store).page_url as string).pathname)).status, 404)

    const again = person(app)
    const told = await memberSignIn(again, { email })
    t.is(told.status, 403)
    t.regex(told.text, /This account is closed/)
    t.is((await memberSignIn(person(app), { email, password: 'a wrong one' })).status, 422)
    t.regex(await letterTo(app, email, 'Your account is closed'), /with its second factor/)
    t.like((await saidOf(app, 'AccountClosed', accountId))[0], { by: accountId.replace('acc_', 'mem_') })
    await assertReplayEqual(t, app)
  },
)

test.serial(
  'N-91 what a buyer was asked for before is booked after it, and nobody is charged for it twice',
  async (t) => {
    const { key } = await confirmed()
    const resId = await priced(key)
    const offer = await offerOf(app, key, resId)
    const { accountId } = await ownerOf(app, { resId })
    await byLog(app, ({ account }) => account.close(accountId, { by: 'mem_x', network: 'v1.x.iv.net' }))
    const hash = await payInFull(app, offer)
    t.true((await ok(verify(app, offer.challengeId, hash))).json.settled)
    t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId.split('.')[0] ?? '')).length, 1)
  },
)

deepTest.serial('N-91 the page speaks German', async (t) => {
  const { who } = await signedInMember(app)
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const page = await fetch(`${app.served().origin}${CLOSE}`, { headers: { cookie, 'accept-language': 'de' } })
  t.regex(await page.text(), /Konto schließen/)
})
