import test from 'ava'
import { toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, offerOn, payPage, postHash, requestOf, saidIn } from '../../support/buyer.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, inLine, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { changeSettings } from '../../support/settings.ts'

/** What a buyer’s page says beside the payment: who sells, what was chosen, which transaction it was. */

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
const GERMAN = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let shift = 0
let app: TestApp
test.before(async () => {
  // A chain that goes by the id of the public one has an explorer.
  app = await startApp({ chainId: 1, world: { now: () => new Date(Date.now() + shift) } })
})
test.after.always(() => app?.stop())

test.serial('N-81 J-DOOR-08 a receipt says who sold what for how much, and where the chain shows it', async (t) => {
  const s = await shop(app)
  await changeSettings(app, s.resId, { branding: { brandName: 'Harbour Tea' } })
  const { page, hash, receipt } = await bought(s)
  const said = saidIn(receipt)
  for (const part of ['Seller Harbour Tea', 'For Assam', 'Chosen Size: Large', 'Price 40.00 USD'])
    t.true(said.includes(part), `${part} in ${said}`)
  t.true(said.includes('50.00 USD, less 10.00 USD discount'))
  t.regex(said, /Rate 1 ETH = 2,500 USD Fee None\./)
  t.regex(said, /When \d+ \w{3,4} \d{4}, \d\d:\d\d UTC/)
  t.false(said.includes('12 Harbour Street'), 'whoever has the link sees the receipt: what was typed is not in it')
  t.regex(receipt.text, /<title>Paid – Harbour Tea<\/title>/)
  const links = explorerLinks(receipt.text)
  t.deepEqual(links, [`https://etherscan.io/tx/${hash}`])
  // Another sale of the same seller shows nothing of it.
  const other = await requestOf(app, s, { amount: 1 })
  t.is((await look(app, `${other}?${page.split('?')[1]}`)).status, 404)
})

deepTest.serial(
  'N-81 an address and a payment that was seen lead to the explorer, and tell it nothing of the page',
  async (t) => {
    const s = await shop(app)
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    const waiting = await look(app, page)
    t.deepEqual(explorerLinks(waiting.text), [`https://etherscan.io/address/${s.address}`])
    const hash = await payPage(app, page)
    const seen = await eventually('the payment to be seen', () => pageThat(page, /^Payment seen/))
    t.deepEqual(explorerLinks(seen.text), [`https://etherscan.io/tx/${hash}`])
    for (const { text, headers } of [waiting, seen]) {
      t.regex(text, /<a href="https:\/\/etherscan[^>]*rel="noreferrer noopener"/)
      t.regex(headers.get('content-security-policy') ?? '', /connect-src 'self';/)
    }
    const played = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 5, test: true } }))).json
    const test = await look(app, await choose(app, `/r/${played.res_id}`, 'eth'))
    t.deepEqual(explorerLinks(test.text), [], 'nobody shows a payment that is only played')
  },
)

deepTest.serial(
  'N-81 the seller’s name is always there: that of the branding, else the site’s, else a neutral one',
  async (t) => {
    const s = await shop(app)
    const nameOn = async (headers = {}) => {
      const { text } = await look(app, `/r/${s.resId}`, headers)
      return [/<title>([^<]*)<\/title>/.exec(text)?.[1], /<p class="brand"><bdi>([^<]*)<\/bdi>/.exec(text)?.[1]]
    }
    t.deepEqual(await nameOn(), ['Pay 100.00 USD – Seller without a name', 'Seller without a name'])
    t.deepEqual(await nameOn(GERMAN), ['100,00 USD bezahlen – Verkäufer ohne Namen', 'Verkäufer ohne Namen'])
    await ok(app.call('PUT', '/v1/site', { key: s.key, body: { chrome: { title: 'Tea <b>& more' } } }))
    t.deepEqual(await nameOn(), ['Pay 100.00 USD – Tea &lt;b>&amp; more', 'Tea &lt;b>&amp; more'])
    await changeSettings(app, s.resId, { branding: { brandName: 'Harbour Tea' } })
    t.deepEqual(await nameOn(), ['Pay 100.00 USD – Harbour Tea', 'Harbour Tea'])
  },
)

deepTest.serial(
  'N-81 the page speaks the language of the browser, from the choice of a coin to the receipt and to what fails',
  async (t) => {
    const s = await shop(app)
    const path = await requestOf(app, s, { amount: 2500.5, title: 'Assam' })
    const list = await look(app, path, GERMAN)
    t.regex(list.text, /<html lang="de">/)
    t.is(list.headers.get('vary'), 'Accept, Accept-Language')
    t.regex(
      saidIn(list),
      /^2\.500,50 USD bezahlen Assam Wie möchten Sie bezahlen\? Ether im Netzwerk Ethereum ≈ 1,0002 ETH/,
    )
    const page = await choose(app, path, 'eth')
    const { amount } = await offerOn(app, page)
    const waiting = await look(app, page, GERMAN)
    t.true(saidIn(waiting).includes(`Senden Sie genau ${amount.replace('.', ',')} ETH`))
    t.true(waiting.text.includes(`data-copy="${amount}"`), 'a wallet reads a point')
    await payPage(app, page)
    await app.anvil.mine(6)
    const paid = await eventually('the receipt', () => pageThat(page, /^Bezahlt/, GERMAN))
    t.regex(saidIn(paid), /Kurs 1 ETH = 2\.500 USD Gebühr Keine\. .* Wann 2?\d\. \w+\.? \d{4}, \d\d:\d\d UTC/)
    for (const each of [list, waiting, paid]) t.notRegex(saidIn(each), /\b(the|your|Pay)\b/i)
    const missing = await look(app, '/r/nothing', GERMAN)
    t.is(missing.status, 404)
    t.regex(missing.text, /<html lang="de">.*Hier gibt es nichts zu bezahlen/s)
    t.regex(missing.headers.get('vary') ?? '', /Accept-Language/)
    for (const languages of ['fr', '', '*', 'xx-yy;q=9', 'de;q=0', '"><script>', 'x'.repeat(5_000)])
      t.regex((await look(app, path, { 'accept-language': languages })).text, /<html lang="en">/, languages)
  },
)

deepTest.serial(
  'N-81 N-25 after a part, the page asks for exactly the rest by a code of its own; a rest that comes late is told as late',
  async (t) => {
    const s = await shop(app)
    shift = -2 * MINUTE_MS
    const page = await choose(app, `/r/${s.resId}`, 'eth')
    shift = 0
    const { payTo } = await offerOn(app, page)
    const first = await payPage(app, page, { by: 1n, of: 4n })
    await app.anvil.mine(6)
    await postHash(app, page, first)
    const rest = await offerOn(app, page)
    const wei = toUnits(rest.amount, 18)
    const { text } = await look(app, page)
    t.true(text.includes(`ethereum:${payTo}@1?value=${wei}"`))
    t.regex(text, new RegExp(`aria-label="QR code to pay ${rest.amount} ETH to ${payTo}"`))
    shift = 2 * HOUR_MS
    t.regex(saidIn(await look(app, page)), /the time to pay the rest is up/)
    await app.anvil.client.increaseTime({ seconds: (2 * HOUR_MS) / 1_000 })
    const late = await inLine(() => app.anvil.send(payTo, wei))
    await app.anvil.mine(6)
    const told = await eventually('the late rest', () => pageThat(page, /The rest came too late: /))
    t.true(told.text.includes(late) && told.text.includes(first))
    t.notRegex(told.text, /data-copy/, 'nothing more is asked for')
    shift = 0
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Something with questions is bought at a discount and paid. */
const bought = async (s: { key: string; resId: string }) => {
  const post = async (path: string, body: object) => (await ok(app.call('POST', path, { key: s.key, body }))).json
  await post('/v1/custom-fields', { type: 'select', label: 'Size', options: ['Small', 'Large'], required: true })
  await post('/v1/custom-fields', { type: 'text', label: 'Address' })
  await post('/v1/discount-codes', { code: 'Harvest 20', multiplier: 0.8 })
  const { checkout } = await post('/v1/checkouts', { title: 'Assam', price: 50 })
  const answers = { 'field-0': 'Large', 'field-1': '12 Harbour Street', discount_code: 'harvest 20' }
  const { headers } = await app.call('POST', new URL(checkout.url).pathname, {
    headers: FORM,
    body: new URLSearchParams(answers).toString(),
  })
  const page = await choose(app, headers.get('location') ?? '', 'eth')
  const hash = await payPage(app, page)
  await app.anvil.mine(6)
  return { page, hash, receipt: await eventually('the receipt', () => pageThat(page, /^Paid/)) }
}

const explorerLinks = (text: string): string[] =>
  [...text.matchAll(/href="(https:\/\/[^"]*)"/g)].map(([, href]) => href ?? '')

const pageThat = async (page: string, says: RegExp, headers = {}) => {
  const seen = await look(app, page, headers)
  return says.test(saidIn(seen)) && seen
}
