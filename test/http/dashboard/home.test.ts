import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { type Page, type Person, person } from '../../support/people.ts'
import { sell, shop, transactionOf } from '../../support/sale.ts'
import { SIMULATE } from '../../support/sandbox.ts'
import { ok } from '../../support/seller.ts'

/** The first page of the dashboard: it tells what the API tells. */

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { PLATFORM_WALLETS: 'eth=0x90F79bf6EB2c4f870365E785982E1f101E93b906' } })
})
test.after.always(() => app?.stop())

const signedIn = async (email: string): Promise<Person> => {
  const who = person(app)
  await memberSignIn(who, { email })
  return who
}

/** What the page says, without markup; the head of the page is left out. */
const said = ({ text }: Page): string =>
  (/<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('N-83 Home tells what the API tells, for the period in the address', async (t) => {
  const s = await shop(app, { amount: 1_234.5, webhook: false })
  await sell(app, s)
  const who = await signedIn(s.email)
  for (const period of ['today', '7d', '30d']) {
    const page = await who.open(`/dashboard?period=${period}`)
    t.is(page.status, 200)
    const { json } = await ok(app.call('GET', `/v1/reports/overview?period=${period}`, { key: s.key }))
    t.deepEqual(json.sold, { sales: 1, usd: 1_234.5 })
    const words = said(page)
    t.true(words.includes('$1,234.50') && words.includes('1 sale'), words)
    t.true(words.includes(`$${json.fees.platform.toFixed(2)}`), 'fees')
    t.true(words.includes(`$${json.credit.balance.toFixed(2)}`), 'credit')
    t.true(words.includes(json.settled.coins[0].settled_amount), 'coins with every digit')
    t.true(words.includes('Lasts 1 day more'))
    t.is([...page.text.matchAll(/aria-current="page"/g)].length, 2, 'the screen and the period')
    t.regex(page.text, new RegExp(`period=${period}" aria-current="page"`))
    t.is(page.text.includes('<svg'), period !== 'today', 'one day alone is no chart')
    // A sale of one coin: one bar.
    if (period !== 'today') t.is([...page.text.matchAll(/<rect class="s1"/g)].length, 1)
    t.regex(page.text, /data-live="[^"]*transaction/)
  }
  // What is no period is passed over, as in any public link.
  t.true(said(await who.open('/dashboard?period=year&utm_source=x')).includes('$1,234.50'))
})

deepTest('N-83 the numbers of the chart stand as a table beside it, in German as Germans write them', async (t) => {
  const s = await shop(app, { amount: 1_234.5, webhook: false })
  await sell(app, s)
  const who = await signedIn(s.email)
  const page = await who.open('/dashboard?period=7d', { 'accept-language': 'de-DE' })
  const words = said(page)
  t.true(words.includes('1.234,50\u00a0$') || words.includes('1.234,50 $'), words)
  t.true(words.includes('Die Zahlen als Tabelle'), words)
  t.is([...page.text.matchAll(/<tr>/g)].length, 1 + 7 + 1 + 1, 'a row a day, and one for the coin')
  t.true(words.includes('Reicht noch 1 Tag'))
})

test('N-83 an account that has sold nothing is led to the first steps, and tests are shown by a switch', async (t) => {
  const { who, key } = await signedInMember(app)
  const empty = await who.open('/dashboard')
  t.true(said(empty).includes('Nothing was sold in this period'))
  t.true(said(empty).includes('Nothing needs a hand.'))
  t.true(empty.text.includes('href="/dashboard/first-steps"'))
  const made = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 7, test: true } }))
  const minted = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: made.json.res_id } }))
  const { challengeId } = minted.json.accepts[0]
  await ok(app.call('POST', SIMULATE, { body: { challengeId, confirmations: 100 } }))
  await transactionOf(app, key, challengeId, 'C')
  t.true(said(await who.open('/dashboard')).includes('Nothing was sold in this period'))
  const tests = await who.open('/dashboard?test=1')
  t.true(said(tests).includes('$7.00'))
  t.true(said(tests).includes('No money moved for them.'))
  t.false(said(tests).includes('Credit left'), 'tests cost nothing')
  t.true(tests.text.includes('href="/dashboard?period=7d"'), 'the way back')
})

test('N-83 what needs a hand leads to where it is mended', async (t) => {
  const s = await shop(app)
  app.receiver.answer.status = 500
  const { offer } = await sell(app, s)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  const who = await signedIn(s.email)
  let page = await who.open('/dashboard')
  for (let n = 0; n < 100 && !page.text.includes(`/dashboard/payments/${id}`); n++) page = await who.open('/dashboard')
  app.receiver.answer.status = 200
  t.true(said(page).includes('Payments whose webhook failed: 1.'))
  t.true(page.text.includes(`href="/dashboard/payments/${id}"`))
  t.is((await who.open(`/dashboard/payments/${id}`)).status, 200)
})

deepTest(
  'N-83 I-CRD-02 credit is bought at the dashboard as by the API, and what is no amount is said beside the field',
  async (t) => {
    const { who } = await signedInMember(app)
    const path = '/dashboard/top-up'
    for (const amount of ['0', '-3', 'ten', '0.5', '1.2345678', '']) {
      const { status, text } = await who.send(path, { amount }, path)
      t.is(status, 422, amount)
      t.true(text.includes('Write at least 1') && (amount === '' || text.includes(`value="${amount}"`)), amount)
    }
    const { status, text } = await who.send(path, { amount: '25' }, path)
    t.is(status, 200)
    t.true(text.includes('$25.00'))
    const where = /href="([^"]*\/id\/[^"]+)"/.exec(text)?.[1] ?? ''
    const { pathname } = new URL(where)
    const page = await app.call('GET', pathname, { headers: { accept: 'text/html' } })
    t.true([200, 303].includes(page.status), 'it can be paid there')
  },
)
