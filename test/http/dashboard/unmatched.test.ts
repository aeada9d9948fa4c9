import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { type Person, person } from '../../support/people.ts'
import { payInFull, shop } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** The screen of money that settles nothing, and what a member does there, without script. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const LIST = '/dashboard/unmatched'

/** An owner before the screen, and money that came for an offer and settles nothing. */
const odd = async () => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { odd_payments: 'ask', refunds: true } } }))
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await payInFull(app, offer, BigInt(offer.amountAtomic) - 10n ** 13n)
  const money = await eventually('the money', async () => {
    const { unmatched } = (await ok(app.call('GET', '/v1/unmatched', { key: s.key }))).json
    return unmatched.find((each: { hash: string }) => each.hash === hash)
  })
  const who = person(app)
  await memberSignIn(who, { email: s.email })
  return { ...s, who, offer, hash, path: `${LIST}/${encodeURIComponent(money.transfer)}` }
}

const german = async (who: Person, path: string) => (await who.open(path, { 'accept-language': 'de-DE' })).text

test('N-103 N-82 a member sees what money may be meant for, why, and matches it', async (t) => {
  const { who, path, hash, offer } = await odd()
  const list = await who.open(LIST)
  t.true(list.text.includes(path) && list.text.includes('Nobody asked for it'))
  const page = await who.open(path)
  for (const shown of [
    hash,
    'It came to the address of this payment.',
    'It is less than is missing.',
    offer.challengeId,
  ])
    t.true(page.text.includes(shown), shown)
  t.regex(await german(who, path), /Es kam auf der Adresse dieser Zahlung an\./)
  const wrong = await who.send(path, { act: 'match-payment', payment: '1' }, path)
  t.is(wrong.status, 422)
  t.regex(wrong.text, /<details class="dialog" open>\s*<summary>Name the payment/)
  const done = await who.send(path, { act: 'match', challenge: offer.challengeId }, path)
  t.is(done.location, `${LIST}?done=match`)
  t.regex((await who.open(LIST)).text, /No money waits for a hand/)
  t.is((await who.open(path)).status, 404)
})

test('N-102 N-82 a member ignores money, takes that back, and notes a return with what was wrong said beside it', async (t) => {
  const { who, path } = await odd()
  t.regex((await who.open('/dashboard')).text, new RegExp(`href="${LIST}"`))
  t.is((await who.send(path, { act: 'ignore', reason: 'spam' }, path)).location, `${path}?done=ignore`)
  t.regex((await who.open(path)).text, /Sent to be seen/)
  t.notRegex((await who.open(LIST)).text, /row-link/)
  t.regex((await who.open(`${LIST}?state=ignored`)).text, /row-link/)
  t.is((await who.send(path, { act: 'reopen' }, path)).location, `${path}?done=reopen`)
  const much = await who.send(path, { act: 'return', amount: '5', hash: '' }, path)
  t.is(much.status, 422)
  t.regex(much.text, /no more than came/)
  t.regex(much.text, /value="5"/)
  t.is((await who.send(path, { act: 'return', amount: '', hash: '' }, path)).location, `${path}?done=return`)
  t.regex((await who.open(path)).text, /noted by you/)
  t.regex(await german(who, path), /von Ihnen vermerkt/)
})

deepTest('N-103 N-82 the list says what is wrong with a filter, and its CSV has what it shows', async (t) => {
  const { who, hash } = await odd()
  const wrong = await who.open(`${LIST}?from=yesterday`)
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="filter-from-error"/)
  t.is((await who.open(`${LIST}?search=nothing-like-it`)).status, 200)
  const csv = await who.open(`${LIST}.csv?search=${hash}`)
  t.is(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const [head, line, ...more] = csv.text.trim().split('\n')
  t.regex(head ?? '', /^"transfer","at",/)
  t.true(line?.includes(hash))
  t.deepEqual(more, [])
  t.is((await who.open(`${LIST}.csv?state=returned`)).text.trim().split('\n').length, 1)
})

test('N-102 X-TEN-01 money of another account is not there, and neither is anything done with it', async (t) => {
  const { path } = await odd()
  const { who } = await odd()
  t.is((await who.open(path)).status, 404)
  for (const fields of [
    { act: 'match', challenge: 'ch_x.eth' },
    { act: 'match-payment', payment: '1' },
    { act: 'return' },
    { act: 'ignore', reason: 'spam' },
    { act: 'reopen' },
  ])
    t.is((await who.send(path, fields, '/dashboard')).status, 404, fields.act)
})
