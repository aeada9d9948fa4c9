import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { BROWSER, look, saidIn } from '../../support/buyer.ts'
import { deepTest } from '../../support/deep-test.ts'
import { ok } from '../../support/seller.ts'
import { putOnSale, storeOf } from '../../support/storefront.ts'
import { walletHolder } from '../../support/stores.ts'

/** A store in the language of its visitor: our words, prices and refusals; what the seller wrote stays as it is. */

const FORMS = { accept: BROWSER, 'content-type': 'application/x-www-form-urlencoded' }
const GERMAN = { 'accept-language': 'de-DE,de;q=0.9' }

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('N-92 a store, its product and its form speak German to who asks for it, and keep the seller’s words', async (t) => {
  const key = await walletHolder(app)
  const tea = { title: 'Green tea', price: 1234.5, currency: 'EUR', description: 'Picked by hand' }
  const sold = await putOnSale(app, key, tea)
  const field = { type: 'text', label: 'Size', required: true }
  await ok(app.call('POST', '/v1/custom-fields', { key, body: field }))
  const store = await look(app, await storeOf(app, sold), GERMAN)
  t.regex(store.text, /<html lang="de">/)
  t.regex(store.headers.get('vary') ?? '', /Accept-Language/)
  t.regex(saidIn(store), /Produkte Green tea 1\.234,50 EUR/)
  const path = `/buy/${sold.slug}`
  const page = await look(app, path, GERMAN)
  t.true(page.text.includes('Sie bezahlen den Verkäufer direkt'))
  const said = saidIn(page)
  for (const words of ['Green tea', 'Picked by hand', '1.234,50 EUR', 'Bezahlen'])
    t.true(said.includes(words), `${words}: ${said}`)
  const refused = await app.call('POST', path, { headers: { ...FORMS, ...GERMAN }, body: 'field-1=' })
  t.is(refused.status, 400)
  t.regex(saidIn(refused), /Bitte beantworten Sie dies/)
  t.regex(saidIn(await look(app, path)), /1,234\.50 EUR .*Pay/)
})

deepTest('N-92 what is not there is said in German, too, and an unknown language is answered in English', async (t) => {
  for (const [path, words] of [
    ['/shop/nowhere', 'Hier ist kein Laden'],
    ['/buy/nothing', 'Das wird nicht verkauft'],
    ['/session/cs_none', 'Diese Bestellung gibt es nicht'],
    ['/payout/none', 'Diese Auszahlung gibt es nicht'],
  ] as const) {
    const page = await look(app, path, GERMAN)
    t.is(page.status, 404, path)
    t.true(saidIn(page).includes(words), path)
    t.regex((await look(app, path, { 'accept-language': 'fr' })).text, /<html lang="en">/)
  }
})
