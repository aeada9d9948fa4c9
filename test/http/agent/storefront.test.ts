import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, signUp } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'
import { causedBy, type Refused, refused, strictly } from '../strict.ts'

/** Discount codes and custom fields: what a seller sets up for its checkout. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const INVALID = { status: 400, code: 'svc_invalid_request' }
const CONFLICT = { status: 409, code: 'svc_conflict' }
const MISSING = { status: 404, code: 'svc_not_found' }
const FORBIDDEN = { status: 403, code: 'svc_forbidden' }

test('S-DSC-01 S-DSC-02 S-DSC-03 S-DSC-04 I-DSC-01 discount codes are listed, added, replaced and removed', async (t) => {
  const { key } = await signUp(app)
  const call = strictly(t, app)
  const codes = async () => (await call('GET', '/v1/discount-codes', { key })).json
  t.deepEqual(await codes(), { discount_codes: [] })
  const harvest = { code: 'Harvest 20', multiplier: 0.8 }
  const added = await call('POST', '/v1/discount-codes', { key, body: harvest })
  t.deepEqual([added.status, added.json], [200, { discount_codes: [harvest], added: harvest }])
  const again = await call('POST', '/v1/discount-codes', { key, body: harvest })
  t.deepEqual(again.json, added.json)
  t.deepEqual(await causedBy(app, again.requestId), [])
  const dearer = { code: 'Harvest 20', multiplier: 0.000001 }
  t.is((await call('POST', '/v1/discount-codes', { key, body: { ...dearer, code: 'HARVEST 20' } })).status, 400)
  t.deepEqual(await codes(), { discount_codes: [harvest] })
  t.deepEqual((await call('POST', '/v1/discount-codes', { key, body: dearer })).json.discount_codes, [dearer])
  const both = [
    { code: 'b', multiplier: 1 },
    { code: 'a', multiplier: 0.75 },
  ]
  const replaced = await call('PUT', '/v1/discount-codes', { key, body: both })
  t.deepEqual([replaced.status, replaced.json], [200, { discount_codes: both.toReversed(), replaced: 2 }])
  const remove = async (code: string) =>
    (await call('DELETE', `/v1/discount-codes?code=${encodeURIComponent(code)}`, { key })).json
  t.deepEqual(await remove('A'), { removed: 1, discount_codes: [both[0]] })
  t.is((await remove('A')).error_code, 'svc_not_found')
  t.deepEqual((await call('PUT', '/v1/discount-codes', { key, body: [] })).json, { discount_codes: [], replaced: 0 })
  t.deepEqual(await codes(), { discount_codes: [] })
})

deepTest(
  'S-DSC-02 S-DSC-03 N-47 what is no discount code is refused, and a list of codes is taken whole or not at all',
  async (t) => {
    const { key } = await signUp(app)
    const good = { code: 'a', multiplier: 0.5 }
    const wrong: [what: string, body: unknown][] = [
      ['no code', { multiplier: 0.5 }],
      ['no multiplier', { code: 'a' }],
      ['a multiplier of nothing', { ...good, multiplier: 0 }],
      ['one above 1', { ...good, multiplier: 1.000001 }],
      ['one below nothing', { ...good, multiplier: -0.5 }],
      ['seven places', { ...good, multiplier: 0.1234567 }],
      ['one in text', { ...good, multiplier: '0.5' }],
      ['a space at an end', { ...good, code: 'a ' }],
      ['a code of 41 characters', { ...good, code: 'x'.repeat(41) }],
      ['a field that nobody knows', { ...good, expires: 1 }],
    ]
    const path = '/v1/discount-codes'
    await refused(t, app, [
      ...wrong.map(([what, body]) => ({ what, path, key, body, ...INVALID })),
      ...wrong.map(([what, body]) => ({ what, method: 'PUT', path, key, body: [good, body], ...INVALID })),
      { what: 'an object in place of the list', method: 'PUT', path, key, body: good, ...INVALID },
      { what: 'a list in place of an object', path, key, body: [good], ...INVALID },
      { what: 'nothing', method: 'PUT', path, key, body: '', ...INVALID },
      { what: 'a code twice', method: 'PUT', path, key, body: [good, { ...good, code: 'A' }], ...INVALID },
      { what: 'a key twice', method: 'PUT', path, key, body: '[{"code":"a","code":"b","multiplier":1}]', ...INVALID },
      { what: 'a removal of none', method: 'DELETE', path, key, ...INVALID },
      {
        what: 'too many',
        method: 'PUT',
        path,
        key,
        ...INVALID,
        body: Array.from({ length: 201 }, (_, n) => ({ code: `c${n}`, multiplier: 0.5 })),
      },
    ])
  },
)

test('S-FLD-01 S-FLD-02 S-FLD-03 custom fields of every type are added, listed and removed by their index', async (t) => {
  const { key } = await signUp(app)
  const call = strictly(t, app)
  const fields = [
    { type: 'text', label: 'Name', options: [], required: false },
    { type: 'checkbox', label: 'I agree', options: [], required: true },
    { type: 'textarea', label: 'Note', options: [], required: false },
    { type: 'select', label: 'Size', options: ['Small', 'Large'], required: true },
  ]
  t.deepEqual((await call('GET', '/v1/custom-fields', { key })).json, { custom_fields: [] })
  for (const [n, field] of fields.entries()) {
    const { status, json } = await call('POST', '/v1/custom-fields', { key, body: field })
    t.deepEqual([status, json], [200, { custom_fields: fields.slice(0, n + 1), added: true }])
  }
  const least = await call('POST', '/v1/custom-fields', { key, body: { type: 'text', label: 'Name' } })
  t.deepEqual(least.json, { custom_fields: fields, added: true })
  t.deepEqual(await causedBy(app, least.requestId), [])
  const removed = await call('DELETE', '/v1/custom-fields?index=0', { key })
  t.deepEqual([removed.status, removed.json], [200, { custom_fields: fields.slice(1), removed_index: 0 }])
  t.deepEqual((await call('GET', '/v1/custom-fields', { key })).json, { custom_fields: fields.slice(1) })

  const path = '/v1/custom-fields'
  const wrong: [what: string, body: object][] = [
    ['a type that is none', { type: 'date', label: 'When' }],
    ['no type', { label: 'When' }],
    ['no label', { type: 'text' }],
    ['an empty label', { type: 'text', label: ' ' }],
    ['a long label', { type: 'text', label: 'x'.repeat(101) }],
    ['a select without options', { type: 'select', label: 'Colour' }],
    ['an option twice', { type: 'select', label: 'Colour', options: ['a', 'a'] }],
    ['options of a text', { type: 'text', label: 'Colour', options: ['a'] }],
    ['a field that nobody knows', { type: 'text', label: 'Colour', index: 0 }],
  ]
  await refused(t, app, [
    ...wrong.map(([what, body]) => ({ what, path, key, body, ...INVALID })),
    { what: 'the same label', path, key, body: { type: 'text', label: 'NOTE' }, ...CONFLICT },
    ...['3', '9999'].map((index) => ({
      what: index,
      method: 'DELETE',
      path: `${path}?index=${index}`,
      key,
      ...MISSING,
    })),
    ...['-1', '1.5', 'x', ''].map((index) => ({
      what: index,
      method: 'DELETE',
      path: `${path}?index=${index}`,
      key,
      ...INVALID,
    })),
  ])
})

test('J-AUTH-04 X-TEN-01 the key of a store reads the codes and the fields of its account, and changes none', async (t) => {
  const [{ key }, other] = await Promise.all([activeSeller(app), signUp(app)])
  const call = strictly(t, app)
  const code = { code: 'OURS', multiplier: 0.5 }
  const field = { type: 'text', label: 'Ours', options: [], required: false }
  await call('POST', '/v1/discount-codes', { key, body: code })
  await call('POST', '/v1/custom-fields', { key, body: field })
  const store = await addStore(app, key)
  t.deepEqual((await call('GET', '/v1/discount-codes', store)).json, { discount_codes: [code] })
  t.deepEqual((await call('GET', '/v1/custom-fields', store)).json, { custom_fields: [field] })
  t.deepEqual((await call('GET', '/v1/discount-codes', other)).json, { discount_codes: [] })
  t.deepEqual((await call('GET', '/v1/custom-fields', other)).json, { custom_fields: [] })
  const no = { key: store.key, ...FORBIDDEN }
  const tried: Refused[] = [
    { what: 'adding a code', path: '/v1/discount-codes', body: code, ...no },
    { what: 'replacing codes', method: 'PUT', path: '/v1/discount-codes', body: [], ...no },
    { what: 'removing a code', method: 'DELETE', path: '/v1/discount-codes?code=ours', ...no },
    { what: 'adding a field', path: '/v1/custom-fields', body: field, ...no },
    { what: 'removing a field', method: 'DELETE', path: '/v1/custom-fields?index=0', ...no },
  ]
  await refused(t, app, tried)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
