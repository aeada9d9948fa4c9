import test from 'ava'
import {
  type CheckoutEvents,
  checkout,
  isNamed,
  numberNamed,
  productTitle,
  slugOf,
  variantTitle,
} from '../../domain/selling/checkout.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, checkoutSaved } from './samples.ts'

const LATER = '2026-03-02T10:30:00.000Z'
const created = { type: 'CheckoutCreated', data: { ...checkoutSaved, createdAt: NOW } } as const
const deleted = { type: 'CheckoutDeleted', data: { accountId: ACCOUNT } } as const
const { accountId: _, slug: __, origin: ___, ...facts } = checkoutSaved
const changed = (version: number, change: Partial<CheckoutEvents['CheckoutChanged']>) => ({
  type: 'CheckoutChanged' as const,
  data: { ...facts, accountId: ACCOUNT, version, changedAt: LATER, ...change },
})

test('S-CHK-02 a checkout is saved once, for more than nothing', (t) => {
  given(t, checkout).when('create', checkoutSaved).yields(created)
  given(t, checkout, created).when('create', checkoutSaved).isRefused('id-taken')
  const least = { ...checkoutSaved, price: '1' }
  given(t, checkout)
    .when('create', least)
    .yields({ ...created, data: { ...least, createdAt: NOW } })
  given(t, checkout)
    .when('create', { ...checkoutSaved, price: '0' })
    .isRefused('amount-not-positive')
})

test('S-CHK-04 X-VERS-01 each change raises the version by one, and what is not given stays', (t) => {
  const dearer = { accountId: ACCOUNT, version: 1, facts: { price: '52000000' } }
  given(t, checkout, created)
    .when('change', dearer, LATER)
    .yields(changed(2, { price: '52000000' }))
  given(t, checkout, created, changed(2, { price: '52000000' }))
    .when('change', { accountId: ACCOUNT, version: 2, facts: { asset: 'eth', storeId: 2 } }, LATER)
    .yields(changed(3, { price: '52000000', asset: 'eth', storeId: 2 }))
  given(t, checkout, created)
    .when('change', { ...dearer, facts: { price: '1' } }, LATER)
    .yields(changed(2, { price: '1' }))
  given(t, checkout, created)
    .when('change', { ...dearer, facts: { price: '0' } })
    .isRefused('amount-not-positive')
})

test('S-CHK-05 X-VERS-01 a change that was made on another version is refused, whatever it says', (t) => {
  const second = changed(2, { title: 'Darjeeling' })
  for (const version of [1, 3])
    given(t, checkout, created, second)
      .when('change', { accountId: ACCOUNT, version, facts: { title: 'Darjeeling' } })
      .isRefused('version-conflict')
})

test('M-CHK-01 without a version the newest one is changed, and a change that changes nothing is none', (t) => {
  const second = changed(2, { title: 'Darjeeling' })
  given(t, checkout, created, second)
    .when('change', { accountId: ACCOUNT, facts: { title: 'Ceylon' } }, LATER)
    .yields(changed(3, { title: 'Ceylon' }))
  given(t, checkout, created, second)
    .when('change', { accountId: ACCOUNT, facts: { title: 'Darjeeling' } })
    .yieldsNothing()
})

test('S-CHK-06 M-CHK-03 a checkout is deleted once, and is then not found', (t) => {
  given(t, checkout, created).when('delete', { accountId: ACCOUNT }).yields(deleted)
  given(t, checkout, created, deleted).when('delete', { accountId: ACCOUNT }).yieldsNothing()
  given(t, checkout, created, deleted)
    .when('change', { accountId: ACCOUNT, facts: { title: 'x' } })
    .isRefused('checkout-not-found')
  given(t, checkout, created, deleted).when('create', checkoutSaved).isRefused('id-taken')
  given(t, checkout).when('delete', { accountId: ACCOUNT }).isRefused('checkout-not-found')
})

test('X-TEN-01 J-AUTH-04 the checkout of another tenant, or of a store that a key is not for, is not found', (t) => {
  for (const whose of [{ accountId: 'acc_2' }, { accountId: ACCOUNT, stores: [2, 3] }]) {
    for (const history of [[created], [created, deleted]])
      given(t, checkout, ...history)
        .when('delete', whose)
        .isRefused('checkout-not-found')
    given(t, checkout, created)
      .when('change', { ...whose, facts: { title: 'x' } })
      .isRefused('checkout-not-found')
  }
  given(t, checkout, created)
    .when('delete', { accountId: ACCOUNT, stores: [1] })
    .yields(deleted)
})

test('S-CHK-01 a slug says the title and holds the number, so that either of them leads to the checkout', (t) => {
  const slugs = [
    ['Assam, two pounds', 'assam-two-pounds'],
    ['Crème brûlée!', 'creme-brulee'],
    ['  --  ', 'item'],
    ['お茶', 'item'],
    ['42', '42'],
    ['a'.repeat(200), 'a'.repeat(48)],
    [`${'a'.repeat(47)} b`, 'a'.repeat(47)],
  ] as const
  for (const [title, words] of slugs)
    for (const number of [1, 4_503_599_627_370_495]) {
      const slug = slugOf(title, number)
      t.is(slug, `${words}-${number.toString(36)}`)
      t.is(numberNamed(slug), String(number))
      t.true(isNamed({ slug }, slug))
      t.true(isNamed({ slug }, String(number)))
      t.false(isNamed({ slug }, `x${slug}`))
    }
  t.is(numberNamed('0042'), '42')
  for (const none of [
    '',
    '-',
    'x',
    'tea-',
    'Tea-1',
    'tea-zzzzzzzzzzzz',
    '1.5',
    '-1',
    '1e3',
    '9'.repeat(17),
    '../1',
    'a b-1',
  ])
    t.is(numberNamed(none), undefined, none)
})

test('N-105 pictures and variants are compared by what is in them, and what a later event leaves out is gone', (t) => {
  const variant = { product: 'assam', position: 2, options: [{ name: 'Weight', value: '50 g' }] }
  const whole = { pictures: ['/assets/media/a.png'], variant, vendor: 'Harbour', tags: ['leaf'], sku: 'A-1' }
  const second = changed(2, whole)
  const again = { accountId: ACCOUNT, facts: structuredClone(whole) }
  given(t, checkout, created).when('change', again, LATER).yields(second)
  given(t, checkout, created, second).when('change', again).yieldsNothing()
  given(t, checkout, created, second)
    .when('change', { accountId: ACCOUNT, facts: { ...whole, pictures: ['/assets/media/b.png'] } }, LATER)
    .yields(changed(3, { ...whole, pictures: ['/assets/media/b.png'] }))
  const bare = { pictures: [], variant: null, vendor: '', tags: [], sku: '' }
  given(t, checkout, created, second).when('change', { accountId: ACCOUNT, facts: bare }, LATER).yields(changed(3, {}))
  given(t, checkout, created, second, changed(3, {}))
    .when('change', { accountId: ACCOUNT, facts: bare })
    .yieldsNothing()
})

test('N-105 a variant is called after its product and its options, and its product by the title without them', (t) => {
  const options = [
    { name: 'Weight', value: '50 g' },
    { name: 'Packing', value: 'tin' },
  ]
  const variant = { product: 'assam', position: 1, options }
  t.is(variantTitle('Assam', options), 'Assam, 50 g / tin')
  t.is(variantTitle('Assam', []), 'Assam')
  t.is(productTitle({ title: 'Assam, 50 g / tin', variant }), 'Assam')
  for (const title of ['Assam', ', 50 g / tin']) t.is(productTitle({ title, variant }), title)
  t.is(productTitle({ title: 'Assam, 50 g / tin' }), 'Assam, 50 g / tin')
})
