import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { freshAddress, ok } from '../../support/seller.ts'

/** The time zone of an account: by whose clocks its members read days and times. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const SETTINGS = '/dashboard/settings'
const ZONE = 'Pacific/Kiritimati'

test('N-90 the time zone is set by the API or a form alike, by a name of IANA, and is UTC before', async (t) => {
  const { who, key } = await signedInMember(app)
  const read = async () => (await ok(app.call('GET', '/v1/settings', { key }))).json.time_zone
  t.is(await read(), undefined)
  t.regex((await who.open(SETTINGS)).text, /<option selected[^>]*>UTC<\/option>/)
  t.is((await who.send(SETTINGS, { act: 'zone', time_zone: ZONE })).location, `${SETTINGS}?done=zone`)
  t.is(await read(), ZONE)
  t.regex((await who.open(SETTINGS)).text, /<option selected[^>]*>Pacific\/Kiritimati<\/option>/)
  const page = await who.open(SETTINGS)
  const sheets = await Promise.all(
    [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
      async ([, path = '']) => (await who.open(path)).text,
    ),
  )
  const bytes = Buffer.byteLength([page.text, ...sheets].join(''))
  t.true(bytes <= 60_000, `with the list of zones the page has ${bytes} bytes`)
  const wrong = await who.send(SETTINGS, { act: 'zone', time_zone: 'Europe/Atlantis' })
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="row-time_zone-error"/)
  const refused = await app.call('PUT', '/v1/settings', { key, body: { time_zone: '+01:00' } })
  t.like(refused, { status: 400, json: { error_code: 'svc_invalid_request' } })
  t.regex(refused.json.message, /time_zone.*Europe\/Berlin/)
  t.is(
    (await ok(app.call('PUT', '/v1/settings', { key, body: { time_zone: 'Asia/Kolkata' } }))).json.time_zone,
    'Asia/Kolkata',
  )
})

test('N-90 pages, the days of their filters and their CSV follow the zone; the API and its CSV stay in UTC', async (t) => {
  const { who, key } = await signedInMember(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  const { transaction_id: id } = await consoleOk(app, key, 'create-transaction', { amount: '5', currency_code: 'USD' })
  const values = JSON.stringify({ creation_time: '2026-03-01 12:00:00' })
  await consoleOk(app, key, 'update-transaction', { transaction_id: id, values })
  const onPage = async (query = '') => {
    const { text } = await who.open(`/dashboard/payments${query}`)
    return { isThere: text.includes(`/dashboard/payments/${id}`), text }
  }
  const made = (await app.call('GET', '/v1/transactions', { key })).json.transactions[0].creation_time as string
  const day = made.slice(0, 10)
  const before = await onPage(`?from=${day}&to=${day}`)
  t.true(before.isThere)
  t.regex(before.text, /<time[^>]*>[^<]*UTC<\/time>/)
  await ok(app.call('PUT', '/v1/settings', { key, body: { time_zone: ZONE } }))

  // Fourteen hours ahead of UTC: the same instant is there on this day or on the next one.
  const there = new Date(Date.parse(`${made.replace(' ', 'T')}Z`) + 14 * 3_600_000).toISOString()
  const [its, dayAfter] = [there.slice(0, 10), new Date(Date.parse(there) + 86_400_000).toISOString().slice(0, 10)]
  t.true((await onPage(`?from=${its}&to=${its}`)).isThere)
  t.false((await onPage(`?from=${dayAfter}`)).isThere)
  if (its !== day) t.false((await onPage(`?to=${day}`)).isThere)
  t.regex((await onPage()).text, /<time[^>]*>[^<]*GMT\+14<\/time>/)
  t.regex((await who.open(`/dashboard/payments/${id}`)).text, /GMT\+14/)
  t.regex((await who.open('/dashboard/security/devices')).text, /GMT\+14/)

  const cellsOf = (csv: string) => csv.trim().split('\n')[1]?.split(',') ?? []
  const file = await who.open(`/dashboard/payments.csv?from=${its}&to=${its}`)
  t.true(cellsOf(file.text).includes(`${there.slice(0, 19).replace('T', ' ')}+14:00`), file.text)
  const { text } = await app.call('GET', '/v1/transactions?download=1', { key })
  t.true(cellsOf(text).includes(made), text)
  t.is((await app.call('GET', '/v1/transactions', { key })).json.transactions[0].creation_time, made)
})
