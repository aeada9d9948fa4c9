import test from 'ava'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, offerOn, payPage, postHash, requestOf, saidIn } from '../../support/buyer.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, freshAddress, inLine, saidOf, shop, transactionOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { changeSettings } from '../../support/settings.ts'

/** Every state of a payment as a person without script sees it, from the coin to the receipt. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The clock of the service; the chain keeps its own. Whoever moves it runs alone. */
let shift = 0
let app: TestApp
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
})
test.after.always(() => app?.stop())

test.serial('J-DOOR-03 J-DOOR-08 T-CHL-01 a person pays: coin, address, seen, receipt', async (t) => {
  const s = await shop(app)
  const path = await checkoutOf(s)
  const list = await look(app, path)
  t.regex(saidIn(list), /Pay 100\.00 USD Choose how to pay Ether on the Ethereum network ≈ 0\.04 ETH/)
  const page = await choose(app, path, 'eth')
  t.regex(page, /^\/checkout\/co_[a-z2-7]{26}\?challenge=ch_[a-z2-7]{26}\.eth$/)
  const offer = await offerOn(app, page)
  const [opened] = await saidOf(app, 'ChallengeOpened', offer.challengeId.split('.')[0] ?? '')
  t.is(offer.payTo, s.address)
  t.regex(offer.amount, /^0\.0400\d{4}$/)
  const waiting = await look(app, page)
  t.true(saidIn(waiting).includes(`Send exactly ${offer.amount} ETH`))
  t.regex(saidIn(waiting), /Only Ether on the Ethereum network arrives here/)
  t.true(waiting.text.includes(`href="ethereum:${s.address}@${app.anvil.chainId}?value=${toUnits(offer.amount, 18)}"`))
  t.true(waiting.text.includes(`<time datetime="${opened?.expiresAt}">`))
  t.regex(waiting.text, /<noscript><meta http-equiv="refresh" content="15"\/?><\/noscript>/)

  const hash = await payPage(app, page)
  const seen = await eventually('the payment to be seen', () => pageThat(page, /^Payment seen/))
  t.regex(saidIn(seen), /[1-5] of 6 confirmations/)
  t.true(seen.text.includes(hash))
  await app.anvil.mine(6)
  const paid = await eventually('the receipt', () => pageThat(page, /^Paid/))
  t.regex(
    saidIn(paid),
    /Received 0\.0400\d{4} ETH on Ethereum Rate 1 ETH = 2,500 USD Fee None\. .* When \d+ \w{3,4} \d{4}, \d\d:\d\d UTC/,
  )
  t.true(paid.text.includes(hash))
  t.notRegex(paid.text, /http-equiv|data-events/)
  const transaction = await transactionOf(app, s.key, offer.challengeId)
  t.true(paid.text.includes(transaction.external_reference ?? ''))
})

deepTest.serial(
  'J-DOOR-03 J-DOOR-04 Q-03 a resource that was sold shows that at its door, and goes on selling at its checkout',
  async (t) => {
    const s = await shop(app)
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    const hash = await payPage(app, page)
    await app.anvil.mine(6)
    await eventually('the receipt', () => pageThat(page, /^Paid/))
    const sold = await eventually('the door to know', () => pageThat(`/r/${s.resId}`, /^Paid/))
    t.is(sold.status, 200)
    t.regex(saidIn(sold), /^Paid Seller Seller without a name Price 100\.00 USD Reference res_/)
    t.false(sold.text.includes(hash), 'whose payment it was is for nobody else')
    t.is((await look(app, `/r/${s.resId}?asset=eth`)).headers.get('location'), `/r/${s.resId}`)
    t.regex(saidIn(await look(app, await checkoutOf(s))), /Choose how to pay/)
  },
)

test.serial(
  'J-VER-01 the form takes a hash, as POST /v1/verify does, and says in words what is wrong with it',
  async (t) => {
    const s = await shop(app)
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    const unknown = await look(app, await postHash(app, page, `0x${'1'.repeat(64)}`))
    t.regex(saidIn(unknown), /The chain does not know this transaction yet/)
    t.true(unknown.text.includes(`value="0x${'1'.repeat(64)}"`), 'what was typed is still there')
    t.notRegex(unknown.text, /http-equiv="refresh"/)
    const elsewhere = await inLine(() => app.anvil.send(freshAddress(), 1n))
    t.regex(saidIn(await look(app, await postHash(app, page, elsewhere))), /does not pay what is asked here/)
    t.regex(saidIn(await look(app, await postHash(app, page, ' '))), /does not pay what is asked here/)
    t.is((await look(app, `${page}&said=nonsense`)).status, 200)
    const hash = await payPage(app, page)
    t.is(await postHash(app, page, ` ${hash} `), page)
    await app.anvil.mine(6)
    t.is(await postHash(app, page, hash), page)
    t.regex(saidIn(await look(app, page)), /^Paid/)
    const second = await choose(app, await checkoutOf(s), 'eth')
    t.regex(saidIn(await look(app, await postHash(app, second, hash))), /already paid for something else|does not pay/)
  },
)

test.serial('J-GEN-04 a form that is none, or for another sale, is refused in a page', async (t) => {
  const [s, other] = [await shop(app), await shop(app)]
  const page = await choose(app, `/r/${s.resId}`, 'eth')
  const challenge = new URL(page, 'http://any').searchParams.get('challenge') ?? ''
  const send = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
    app.call('POST', path, { headers: { accept: 'text/html', 'content-type': type }, body })
  t.is((await send(`/r/${s.resId}`, 'hash=0x1')).status, 400)
  t.is((await send(`/r/${s.resId}`, JSON.stringify({ challenge, hash: '0x1' }), 'application/json')).status, 400)
  const foreign = await send(`/r/${other.resId}`, `challenge=${challenge}&hash=0x1`)
  t.is(foreign.status, 404)
  t.regex(foreign.headers.get('content-type') ?? '', /^text\/html/)
  t.is((await app.call('POST', `/r/${s.resId}`, { body: { challenge, hash: '0x1' } })).status, 404)
})

test.serial(
  'T-CHL-03 N-25 too little is explained: what came, what is missing, and where to send it; paid, it is a receipt',
  async (t) => {
    const s = await shop(app)
    shift = -2 * MINUTE_MS
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    shift = 0
    const { amount } = await offerOn(app, page)
    const half = toDecimal(toUnits(amount, 18) / 2n, 18)
    const hash = await payPage(app, page, { by: 1n, of: 2n })
    await app.anvil.mine(6)
    await postHash(app, page, hash)
    const short = await look(app, page)
    t.true(saidIn(short).includes(`Asked ${amount} ETH Arrived ${half} ETH Missing ${half} ETH`))
    t.regex(saidIn(short), /A part of this is paid/)
    t.true(short.text.includes(hash))
    // The rest has an amount of its own, which is asked for now; what came is the seller's if it does not come.
    const rest = await offerOn(app, page)
    t.true(toUnits(rest.amount, 18) >= toUnits(half, 18) && toUnits(rest.amount, 18) < toUnits(amount, 18))
    shift = 2 * HOUR_MS
    t.regex(saidIn(await look(app, page)), /The seller has this money\. Please contact the seller/)
    shift = 0
    await inLine(() => app.anvil.send(rest.payTo, toUnits(rest.amount, 18)))
    await app.anvil.mine(6)
    await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', s.resId)).length > 0)
    t.regex(saidIn(await look(app, page)), /^Paid/)
  },
)

deepTest.serial(
  'N-24 N-10 a page that was left open too long says so, and a payment that came too late is explained',
  async (t) => {
    const s = await shop(app)
    const path = await checkoutOf(s)
    shift = -2 * HOUR_MS
    const page = await choose(app, path, 'eth')
    const { payTo, amount } = await offerOn(app, page)
    shift = 0
    const expired = await look(app, page)
    t.regex(saidIn(expired), /^The time to pay is up/)
    t.true(expired.text.includes(`href="${path}"`), 'it can be begun again')
    t.notRegex(expired.text, /<svg|data-copy/)
    const hash = await inLine(() => app.anvil.send(payTo, toUnits(amount, 18)))
    await app.anvil.mine(6)
    const late = await eventually('the late payment', () => pageThat(page, /^Your payment came too late/))
    t.true(saidIn(late).includes(`Arrived ${amount} ETH`))
    t.regex(saidIn(late), /The seller has this money/)
    t.true(late.text.includes(hash))
  },
)

deepTest.serial(
  'J-SET-01 the settings of the seller say where the buyer goes on, unless the request does',
  async (t) => {
    const s = await shop(app)
    await changeSettings(app, s.resId, { payment: { redirect: 'https://shop.example/thanks' } })
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    await payPage(app, page)
    await app.anvil.mine(6)
    const paid = await eventually('the receipt', () => pageThat(page, /^Paid/))
    t.regex(paid.text, /<a class="button" href="https:\/\/shop\.example\/thanks"[^>]*>Continue to shop\.example<\/a>/)
  },
)

test.serial('a seller’s words are only ever words', async (t) => {
  const s = await shop(app)
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{x}}'
  await changeSettings(app, s.resId, {
    branding: { brandName: evil, color1: '#000000}</style><script>alert(1)</script>', logoUrl: 'javascript:alert(1)' },
    payment: { redirect: 'javascript:alert(1)' },
  })
  const path = await requestOf(app, s, { amount: 1, title: evil, note: evil })
  const page = await choose(app, path, 'eth')
  await payPage(app, page)
  const pages = [
    await look(app, path),
    await look(app, page),
    await look(app, `${page}&said=other&hash=${encodeURIComponent(evil)}`),
  ]
  await app.anvil.mine(6)
  pages.push(await eventually('the receipt', () => pageThat(page, /^Paid/)))
  for (const { text } of pages) {
    t.notRegex(text, /<script>|<img|<style|="javascript:/)
    t.true(text.includes('&lt;script'))
  }
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const pageThat = async (page: string, says: RegExp) => {
  const seen = await look(app, page)
  return says.test(saidIn(seen)) && seen
}

const checkoutOf = async (s: { key: string }): Promise<string> => {
  const { resources } = (await ok(app.call('GET', '/v1/resources', { key: s.key }))).json
  return new URL(resources[0].checkout_url).pathname
}
