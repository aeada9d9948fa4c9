import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { ok } from '../../support/seller.ts'

/** The settings of the dashboard, over real HTTP. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const SETTINGS = '/dashboard/settings'
const settingsOf = async (key: string) => (await ok(app.call('GET', '/v1/settings', { key }))).json

test('N-82 J-SET-02 each group is saved by itself, and the others stay', async (t) => {
  const { who, key } = await signedInMember(app)
  const before = await settingsOf(key)
  t.is((await who.send(SETTINGS, { act: 'currency', currency: 'eur' })).location, `${SETTINGS}?done=currency`)
  t.deepEqual(await settingsOf(key), { ...before, currency: 'EUR' })
  const payment = { default: '4', accept_underpayments: '1,5', redirect: 'https://shop.test/thanks', refunds: '1' }
  await who.send(SETTINGS, { act: 'payment', ...payment })
  await who.send(SETTINGS, { act: 'branding', brand_name: 'Tea & Co', color_1: '#116644' })
  await who.send(SETTINGS, { act: 'notifications', email: '1' })
  const after = await settingsOf(key)
  t.like(after, {
    currency: 'EUR',
    confirmations: { default: 4 },
    payment: { accept_underpayments: 1.5, redirect: 'https://shop.test/thanks', refunds: true },
    branding: { brand_name: 'Tea & Co', color_1: '#116644' },
    notifications: { email: true },
  })
  const page = (await who.open(`${SETTINGS}?done=branding`)).text
  t.regex(page, /Your name and colours: saved/)
  t.regex(page, /value="Tea &amp; Co"/)
  t.regex(page, /name="email" value="1" checked/)
})

test('N-82 what is wrong in a group stands beside its field, what was typed stays, and nothing is saved', async (t) => {
  const { who, key } = await signedInMember(app)
  const before = await settingsOf(key)
  const wrong = async (fields: Record<string, string>, ...names: string[]) => {
    const page = await who.send(SETTINGS, fields)
    t.is(page.status, 422)
    for (const name of names) {
      t.regex(page.text, new RegExp(`id="row-${name}-error"`), name)
      t.regex(page.text, new RegExp(`name="${name}"[^>]*value="${fields[name]}"`), name)
    }
  }
  await wrong({ act: 'currency', currency: 'tea' }, 'currency')
  await wrong({ act: 'currency', currency: 'dollars' }, 'currency')
  const payment = { act: 'payment', default: 'many', accept_underpayments: '101', redirect: 'ftp:x' }
  await wrong(payment, 'default', 'accept_underpayments', 'redirect')
  await wrong({ act: 'branding', brand_name: 'Tea', color_1: 'red', logo_url: 'nowhere' }, 'color_1', 'logo_url')
  t.deepEqual(await settingsOf(key), before)
})

deepTest(
  'N-82 M-VAT-01 VAT is set by a form, and rules by which nothing could be taxed are refused there',
  async (t) => {
    const { who } = await signedInMember(app)
    const nowhere = await who.send(SETTINGS, { act: 'vat', enabled: '1', country: '', number: '' })
    t.is(nowhere.status, 422)
    t.regex(nowhere.text, /id="row-country-error"/)
    t.regex((await who.send(SETTINGS, { act: 'vat', country: 'Germany', number: '' })).text, /id="row-country-error"/)
    t.regex((await who.send(SETTINGS, { act: 'vat', country: 'DE', number: 'DE1' })).text, /id="row-number-error"/)
    const vat = { act: 'vat', enabled: '1', inclusive: '1', country: 'de', number: '' }
    t.is((await who.send(SETTINGS, vat)).location, `${SETTINGS}?done=vat`)
    const page = (await who.open(SETTINGS)).text
    t.regex(page, /name="enabled" value="1" checked/)
    t.regex(page, /name="inclusive" value="1" checked/)
    t.regex(page, /name="country"[^>]*value="DE"/)
  },
)
