import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, payPage } from '../../support/buyer.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import { hiddenIn } from '../../support/people.ts'
import { drawn, fileOf, formOf, uploads } from '../../support/pictures.ts'
import { assertReplayEqual, saidOf, verify } from '../../support/sale.ts'
import { activeSeller, freshAddress, ok } from '../../support/seller.ts'

/** Products from a CSV of Shopify, by the API and by the dashboard. */

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '20000' } })
})
test.after.always(() => app?.stop())

const HEADING = 'Handle,Title,Body (HTML),Tags,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Status'
const TEA = [
  HEADING,
  'tea,Tea,<p>Leaf</p>,black,Size,50 g,T-50,5,,active',
  'tea,,,,,1 kg,T-1000,80,,',
  'cup,Cup,,,,,,9,,',
].join('\n')

const seller = async (): Promise<string> => {
  const { key } = await activeSeller(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  return key
}
const send = async (key: string, body: BodyInit, query = '', type: string | undefined = 'text/csv') => {
  const headers = { 'x-api-key': key, ...(type && { 'content-type': type }) }
  const answer = await fetch(`${app.served().origin}/v1/products/import${query}`, { method: 'POST', headers, body })
  return { status: answer.status, json: await answer.json() }
}
const listed = async (key: string) =>
  (await ok(app.call('GET', '/v1/checkouts', { key }))).json.checkouts as {
    readonly id: number
    readonly title: string
    readonly price: number
    readonly version: number
    readonly variant: { readonly product: string; readonly position: number }
  }[]

test('N-106 a dry run tells what would be made and writes nothing; the import makes it, and once more leaves it', async (t) => {
  const key = await seller()
  const dry = await send(key, TEA, '?dry_run=1')
  t.like(dry.json, {
    dry_run: true,
    applied: false,
    made: 2,
    changed: 0,
    left: 0,
    faulty: 0,
    currency: 'USD',
  })
  t.deepEqual(await listed(key), [])
  const made = await send(key, TEA)
  t.deepEqual(made.json.products, dry.json.products)
  t.like(made.json, { applied: true, made: 2 })
  const first = await listed(key)
  t.deepEqual(first.map(({ title, price, variant }) => [title, price, variant.product, variant.position]).toSorted(), [
    ['Cup', 9, 'cup', 1],
    ['Tea, 1 kg', 80, 'tea', 2],
    ['Tea, 50 g', 5, 'tea', 1],
  ])
  t.like((await send(key, TEA)).json, { applied: true, made: 0, changed: 0, left: 2 })
  t.deepEqual(await listed(key), first)
  const dearer = await send(key, TEA.replace(',80,', ',81,'))
  t.like(dearer.json, { made: 0, changed: 1, left: 1 })
  t.deepEqual(dearer.json.products[0].variants, { made: 0, changed: 1, left: 1 })
  t.deepEqual(
    (await listed(key)).filter(({ version }) => version > 1).map(({ price }) => price),
    [81],
  )
})

const COUNTED = [
  'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Inventory Tracker,Variant Inventory Qty',
  'kettle,Kettle,Size,1 l,25,shopify,3',
  'kettle,,Size,2 l,30,,',
].join('\n')

/** A person buys one piece of a product, and pays for it. */
const buyOne = async (slug: string): Promise<void> => {
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const asked = await app.call('POST', `/buy/${slug}`, { headers, body: '' })
  const page = await choose(app, asked.headers.get('location') ?? '', 'eth')
  const hash = await payPage(app, page)
  await app.anvil.mine(12)
  await ok(verify(app, new URL(page, 'http://any').searchParams.get('challenge') ?? '', hash))
}

test('N-106 N-97 pieces are counted from the file once, and the same file after a sale leaves their number', async (t) => {
  const key = await seller()
  const stocks = async () =>
    (await ok(app.call('GET', '/v1/checkouts', { key }))).json.checkouts
      .toSorted((a: { price: number }, b: { price: number }) => a.price - b.price)
      .map(({ stock }: { stock: number | null }) => stock)
  const uncounted = COUNTED.replace('shopify,3', ',')
  await send(key, uncounted)
  t.deepEqual(await stocks(), [null, null])
  t.like((await send(key, COUNTED)).json, { changed: 1, notes: [] })
  t.deepEqual(await stocks(), [3, null])
  t.like((await send(key, COUNTED)).json, { left: 1, notes: [] })
  const [small] = (await ok(app.call('GET', '/v1/checkouts?search=1+l', { key }))).json.checkouts
  await buyOne(small.slug)
  await eventually('the piece to be taken', async () => (await stocks())[0] === 2)
  const again = (await send(key, COUNTED.replace(',25,', ',26,'))).json
  t.like(again, { changed: 1 })
  t.deepEqual(
    again.notes.map(({ row, column, code }: { row: number; column: string; code: string }) => [row, column, code]),
    [[2, 'Variant Inventory Qty', 'stock_kept']],
  )
  t.deepEqual(await stocks(), [2, null])
  const path = `/v1/checkouts?checkout_id=${small.id}&action=stock`
  await ok(app.call('POST', path, { key, body: { set: null, reason: 'counted' } }))
  t.like((await send(key, COUNTED.replace(',25,', ',26,'))).json, { left: 1 })
  t.deepEqual(await stocks(), [null, null], 'what is not counted any more stays so')
  const other = await seller()
  await send(other, COUNTED)
  const made = (await ok(app.call('GET', '/v1/checkouts?search=1+l', { key: other }))).json.checkouts
  t.like(made, [{ stock: 3, in_stock: true }])
})

test('N-106 two imports at once make everything once, and what was deleted is made again', async (t) => {
  const key = await seller()
  await Promise.all([send(key, TEA), send(key, TEA), send(key, TEA)])
  const all = await listed(key)
  t.is(all.length, 3)
  const cup = all.find(({ title }) => title === 'Cup')
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${cup?.id}`, { key }))
  t.like((await send(key, TEA)).json, { made: 1, left: 1 })
  const again = (await listed(key)).find(({ title }) => title === 'Cup')
  t.not(again?.id, cup?.id)
  if (DEEP) await assertReplayEqual(t, app)
})

test('N-106 the variant that stands for a product in lists is written last', async (t) => {
  await send(await seller(), TEA.replaceAll('\ntea,', '\noolong,'))
  const written = await saidOf(app, 'CheckoutCreated', '"product":"oolong"')
  t.deepEqual(
    written.map(({ title }) => title),
    ['Tea, 1 kg', 'Tea, 50 g'],
  )
})

test('N-106 what is wrong leaves out its product alone, or everything where all is asked for', async (t) => {
  const key = await seller()
  const file = `${TEA}\nbad,Bad,,,,,,none,,`
  const all = await send(key, file, '?all=1')
  t.like(all.json, { applied: false, made: 2, faulty: 1, left_out: ['bad'], faults_total: 1 })
  t.deepEqual(
    all.json.faults.map(({ row, column, code }: { row: number; column: string; code: string }) => [row, column, code]),
    [[5, 'Variant Price', 'not_a_price']],
  )
  t.deepEqual(await listed(key), [])
  t.like((await send(key, file)).json, { applied: true, made: 2, faulty: 1 })
  t.is((await listed(key)).length, 3)
})

test('N-106 pictures of the account are taken, and others are named and never fetched', async (t) => {
  const key = await seller()
  const { json } = await uploads(() => app)(key, formOf(fileOf(await drawn(5).png().toBuffer())))
  const rows = [`a,A,,,,,,1,${json.url},`, 'b,B,,,,,,1,http://169.254.169.254/latest.png,']
  const sent = await send(key, [HEADING, ...rows].join('\n'))
  t.deepEqual(
    sent.json.notes.map(({ row, code }: { row: number; code: string }) => [row, code]),
    [[3, 'picture_elsewhere']],
  )
  const pictures = (await listed(key)).map((each) => (each as unknown as { pictures: string[] }).pictures)
  t.deepEqual(pictures.flat(), [new URL(json.url).pathname])
})

test('N-106 what is no such file is refused whole, with a code and what to do', async (t) => {
  const key = await seller()
  const invalid = 'svc_invalid_request'
  const wrong: readonly (readonly [body: BodyInit, status: number, code: string, said: RegExp, type?: string])[] = [
    ['a,b\n1,2', 400, invalid, /no column Handle/],
    [`${HEADING}\n"tea`, 400, invalid, /Row 2 .*not closed/],
    [`${HEADING}\n${','.repeat(1_000_000)}`, 400, invalid, /Row 2 .*columns/],
    [`${HEADING}\ntea,"${'x'.repeat(70_000)}"`, 400, invalid, /65536 characters/],
    [`${HEADING}\ntea\0`, 400, invalid, /NUL/],
    ['x'.repeat(2 * 1_024 * 1_024 + 1), 413, 'svc_body_too_large', /larger than 2097152/],
    ['{}', 400, invalid, /multipart/, 'application/json'],
    ['', 400, invalid, /no column/],
  ]
  for (const [body, status, code, said, type] of wrong) {
    const answer = await send(key, body, '', type ?? 'text/csv')
    t.is(answer.status, status, String(said))
    t.is(answer.json.error_code, code, String(said))
    t.regex(answer.json.message, said)
  }
  t.is((await send(key, TEA, '?currency=XYZ')).status, 400)
  t.is((await send(key, TEA, '?store_id=9')).status, 404)
  t.is((await send(key, TEA, '?everything=1')).status, 400)
  t.like((await send(key, formOf(fileOf(Buffer.from(TEA), 'a.csv', 'text/csv')), '?dry_run=1', '')).json, { made: 2 })
  t.deepEqual(await listed(key), [])
})

deepTest('N-106 five hundred products come in one file, and no more than an account may have', async (t) => {
  const key = await seller()
  const rows = Array.from({ length: 500 }, (_, n) => [
    `p${n},P ${n},,,Size,S,,1,,`,
    `p${n},,,,,M,,2,,`,
    ...(n === 0 ? [`p${n},,,,,L,,3,,`] : []),
  ])
  const sent = await send(key, [HEADING, ...rows.flat()].join('\n'))
  t.like(sent.json, { made: 499, faulty: 1, left_out: ['p499'], faults_total: 1 })
  t.is(sent.json.faults[0].code, 'too_many')
  t.is((await listed(key)).length, 999)
})

deepTest(
  'N-106 N-105 a member sees what a file would do before it is done, and what is wrong with it by row',
  async (t) => {
    const { who, key } = await signedInMember(app)
    await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
    const path = '/dashboard/import-products'
    const post = async (fields: Readonly<Record<string, string>>, file?: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      if (file !== undefined) form.append('file', fileOf(Buffer.from(file), 'a.csv', 'text/csv'))
      const cookie = [...who.cookies].map((pair) => pair.join('=')).join('; ')
      const headers = { cookie, accept: 'text/html', origin: app.served().origin, 'sec-fetch-site': 'same-origin' }
      const answer = await fetch(app.served().origin + path, { method: 'POST', body: form, headers })
      return { status: answer.status, text: await answer.text() }
    }
    const { csrf = '' } = hiddenIn((await who.open(path)).text)
    t.is((await post({ act: 'check', currency: 'EUR', csrf: 'guessed' }, TEA)).status, 403)
    const none = await post({ act: 'check', currency: 'EUR', csrf }, '')
    t.is(none.status, 422)
    t.regex(none.text, /id="row-file-error"/)
    t.regex((await post({ act: 'check', currency: 'euro', csrf }, TEA)).text, /id="row-currency-error"/)
    const looked = await post({ act: 'check', currency: 'eur', csrf }, `${TEA}\nbad,"<b>""Bad",,,,,,none,,`)
    t.is(looked.status, 200)
    t.regex(looked.text, /Nothing is written yet/)
    t.regex(looked.text, /<code>not_a_price<\/code>/)
    t.deepEqual(await listed(key), [])
    const hidden = hiddenIn(looked.text.slice(looked.text.indexOf('value="apply"') - 400))
    t.is(hidden.act, 'apply')
    const done = await post(hidden)
    t.regex(done.text, /The products are imported/)
    const made = (await ok(app.call('GET', '/v1/checkouts', { key }))).json.checkouts
    t.deepEqual(made.map(({ title, currency }: { title: string; currency: string }) => [title, currency]).toSorted(), [
      ['Cup', 'EUR'],
      ['Tea, 1 kg', 'EUR'],
      ['Tea, 50 g', 'EUR'],
    ])
    t.regex((await post(hidden)).text, /As before/)
    t.true((await who.open(path, { 'accept-language': 'de' })).text.includes('Produkte importieren'))
  },
)
