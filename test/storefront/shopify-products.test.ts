import test from 'ava'
import fc from 'fast-check'
import { CsvFault, readCsv } from '../../adapters/input/csv.ts'
import { plainText } from '../../adapters/storefront/plain-text.ts'
import { shopifyProducts } from '../../adapters/storefront/shopify-products.ts'

/** What is made of a product CSV of Shopify. */

const BOUNDS = { rows: 20_000, columns: 200, cell: 65_536 }
const read = async (...lines: readonly string[]) => shopifyProducts(readCsv(Buffer.from(lines.join('\n')), BOUNDS))

const OLDER =
  'Handle,Title,Body (HTML),Vendor,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src,Status'
const NEWER =
  'Title,URL handle,Description,Vendor,Tags,Published on online store,Status,SKU,Option1 name,Option1 value,Option2 name,Option2 value,Price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Product image URL'

test('N-106 both forms of the file say the same: what is common in the first row, and a variant in each', async (t) => {
  const older = await read(
    OLDER,
    'tea,Tea,<p>Whole <b>leaf</b> &amp; dust</p>,Harbour,"black, leaf",TRUE,Size,50 g,Kind,tin,T-50,shopify,7,deny,5.00,https://cdn.test/a.png,active',
    'tea,,,,,,,1 kg,,bag,T-1000,shopify,-2,deny,80,,',
    'tea,,,,,,,,,,,,,,,https://cdn.test/b.png,',
  )
  const newer = await read(
    NEWER,
    'Tea,tea,<p>Whole <b>leaf</b> &amp; dust</p>,Harbour,"black, leaf",TRUE,Active,T-50,Size,50 g,Kind,tin,5.00,shopify,7,DENY,https://cdn.test/a.png',
    ',tea,,,,,,T-1000,,1 kg,,bag,80,shopify,-2,DENY,',
    ',tea,,,,,,,,,,,,,,,https://cdn.test/b.png',
  )
  for (const { products, faults, notes } of [older, newer]) {
    t.deepEqual([faults, notes], [[], []])
    t.is(products.length, 1)
    const [tea] = products
    t.like(tea, {
      handle: 'tea',
      title: 'Tea',
      row: 2,
      description: 'Whole leaf & dust',
      vendor: 'Harbour',
      listed: true,
    })
    t.deepEqual(tea?.tags, ['black', 'leaf'])
    t.deepEqual(
      tea?.variants.map(({ title, price, sku, stock }) => [title, price, sku, stock]),
      [
        ['Tea, 50 g / tin', 5, 'T-50', 7],
        ['Tea, 1 kg / bag', 80, 'T-1000', 0],
      ],
    )
    t.deepEqual(
      tea?.pictures.map(({ row }) => row),
      [2, 4],
    )
  }
})

test('N-106 a product in one form has no options, and pieces are counted only where somebody keeps track of them', async (t) => {
  const { products } = await read(
    'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Inventory Qty,Variant Inventory Tracker,Variant Inventory Policy',
    'one,One,Title,Default Title,1,5,shopify,deny',
    'two,Two,Title,Default Title,1,5,,deny',
    'three,Three,Title,Default Title,1,5,shopify,continue',
    'four,Four,Title,Default Title,1,,shopify,deny',
  )
  t.deepEqual(
    products.map(({ variants: [first] }) => [first?.options.length, first?.title, first?.stock]),
    [
      [0, 'One', 5],
      [0, 'Two', null],
      [0, 'Three', null],
      [0, 'Four', null],
    ],
  )
  t.is((await read('Handle,Title,Price,Inventory quantity', 'a,A,1,3')).products[0]?.variants[0]?.stock, 3)
})

test('N-106 each fault is told by row and column with its code, and leaves out the whole of its product alone', async (t) => {
  const { products, faulty, faults } = await read(
    OLDER,
    'good,Good,,,,true,,,,,,,,,1,,',
    'a,A,,,,true,Size,S,,,,,,,free,,',
    'a,,,,,,,M,,,,,,,2,,',
    ',B,,,,,,,,,,,,,1,,',
    'c,=1+1,,,,maybe,,,,,,shopify,many,,1,,gone',
    'd,,,,,,,,,,,,,,1,,',
    'e,E,,,,,Size,S,,,,,,,1,,',
    'e,,,,,,,S,,,,,,,2,,',
    'f/g,F,,,,,,,,,,,,,1,,',
    'h,H,1',
    `i,${'x'.repeat(201)},,,"${'y'.repeat(101)}",,,,,,,,,,0,,`,
    'j,J,,,,,,S,,,,,,,1,,',
  )
  t.deepEqual(
    faults.map(({ row, column, code }) => [row, column, code]),
    [
      [5, 'Handle', 'missing'],
      [11, 'Handle', 'cell_count'],
      [3, 'Variant Price', 'not_a_price'],
      [6, 'Title', 'formula'],
      [6, 'Variant Inventory Qty', 'not_a_count'],
      [6, 'Published', 'unknown_value'],
      [6, 'Status', 'unknown_value'],
      [7, 'Title', 'missing'],
      [9, 'Option1 Value', 'twice'],
      [10, 'Handle', 'not_a_handle'],
      [11, 'Variant Price', 'missing'],
      [12, 'Title', 'too_long'],
      [12, 'Option1 Value', 'too_long'],
      [12, 'Variant Price', 'not_a_price'],
      [12, 'Tags', 'too_long'],
      [13, 'Option1 Name', 'missing'],
    ],
  )
  t.true(faults.every(({ message }) => /\.$/.test(message)))
  t.deepEqual(
    products.map(({ handle }) => handle),
    ['good'],
  )
  t.deepEqual([...faulty].sort(), ['a', 'c', 'd', 'e', 'f/g', 'h', 'i', 'j'])
})

test('N-106 what is archived is left out, what is a draft is not listed, and both are no fault', async (t) => {
  const { products, faults, notes } = await read(
    'Handle,Title,Price,Status,Published,Body (HTML)',
    'a,A,1,archived,true,',
    'b,B,1,draft,true,',
    'c,C,1,active,false,',
    `d,D,1,active,true,${'z'.repeat(2_500)}`,
  )
  t.deepEqual(faults, [])
  t.deepEqual(
    notes.map(({ row, code }) => [row, code]),
    [
      [2, 'archived'],
      [5, 'text_cut'],
    ],
  )
  t.deepEqual(
    products.map(({ handle, listed }) => [handle, listed]),
    [
      ['b', false],
      ['c', false],
      ['d', true],
    ],
  )
  t.is(products[2]?.description.length, 2_000)
})

test('N-106 a file without its columns, with one twice, or with too many products is refused whole', async (t) => {
  const refused = async (said: RegExp, ...lines: readonly string[]) =>
    t.regex((await t.throwsAsync(read(...lines), { instanceOf: CsvFault }))?.message ?? '', said)
  await refused(/no column Handle or URL handle/, 'Title,Price', 'A,1')
  await refused(/no column Handle/, 'Handle;Title;Price', 'a;A;1')
  await refused(/Variant Price or Price twice/, 'Handle,Title,Price,Variant Price', 'a,A,1,1')
  await refused(/no column/, '')
  await refused(/more than 500 products/, 'Handle,Title,Price', ...Array.from({ length: 501 }, (_, n) => `p${n},P,1`))
  const most = await read('Handle,Title,Price', ...Array.from({ length: 500 }, (_, n) => `p${n},P,1`))
  t.is(most.products.length, 500)
})

test('N-106 the description is text: no element of it is left, and what stood for a sign is that sign', (t) => {
  t.is(plainText('<p>One</p><p>Two&nbsp;&lt;3</p><ul><li>a</li><li>b</li></ul>'), 'One\nTwo <3\na\nb')
  t.is(plainText('<script>alert(1)</script>Tea<style>p{}</style>'), 'Tea')
  t.is(plainText('&amp;lt;b&amp;gt;'), '&lt;b&gt;')
  t.is(plainText('plain & simple'), 'plain & simple')
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '&', 'b', '/', ' ', '"', '\n', 'p'), maxLength: 40 }),
      (html) => {
        t.notRegex(plainText(html), /<(?:script|b|p)\b[^<]*>/)
      },
    ),
  )
})

test('N-106 whatever stands in the cells, a product that is taken keeps to the bounds of the API', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', '=', '"', ',', '<b>', ' ', '7', '.', '-'), maxLength: 6 })
  const line = fc.tuple(fc.constantFrom('a', 'b', '', '-'), text, text, text, text, text)
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
      const quoted = lines.map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
      const { products } = await read('Handle,Title,Price,Option1 Name,Option1 Value,Tags', ...quoted)
      for (const { title, variants } of products) {
        t.true(title !== '' && variants.length > 0)
        for (const { price, options } of variants)
          t.true(price > 0 && options.every(({ name, value }) => name !== '' && value !== ''))
      }
    }),
    { numRuns: 500 },
  )
})
