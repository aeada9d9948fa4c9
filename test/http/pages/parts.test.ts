import test from 'ava'
import fc from 'fast-check'
import { html } from 'htm/preact'
import jsqr from 'jsqr'
import { renderToString } from 'preact-render-to-string'
import { brandHeader, brandOf } from '../../../adapters/http/pages/buyer/branding.ts'
import { failurePage } from '../../../adapters/http/pages/buyer/failure.ts'
import { coinAmount, coinOf, fullStopAfter, moment, price } from '../../../adapters/http/pages/plain-words.ts'
import { qrCode } from '../../../adapters/http/pages/qr.ts'
import { colourOf, inkOn, isReadable } from '../../../adapters/storefront/contrast.ts'
import { runs } from '../../support/depth.ts'

/** What the buyer's pages are made of. */

const branding = { brandName: '', logoUrl: '', logoUrlDark: '', color1: '', color2: '', color3: '' }

test('a QR code says to a scanner of another maker what it was made of', (t) => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
      t.is(scanned(renderToString(qrCode(text, 'code'))), text)
    }),
    { numRuns: runs({ quick: 3, deep: 10 }) },
  )
  const token = `ethereum:0x${'Ab'.repeat(20)}@8453/transfer?address=0x${'cD'.repeat(20)}&uint256=${'9'.repeat(24)}`
  t.is(scanned(renderToString(qrCode(token, 'code'))), token)
})

test('the words of a QR code for who cannot see it are text, not markup', (t) => {
  t.notRegex(renderToString(qrCode('a', '"><script>')), /<script/)
})

test('prices have every digit, groups of three, and the places of their currency', (t) => {
  t.is(price('100000000', 'USD'), '100.00 USD')
  t.is(price('1234567891234', 'USD'), '1,234,567.891234 USD')
  t.is(price('999999999999999', 'EUR'), '999,999,999.999999 EUR')
  t.is(price('5000000000', 'JPY'), '5,000 JPY')
  t.is(price('1', 'USD'), '0.000001 USD')
})

test('coin amounts are exactly what is asked, without an exponent', (t) => {
  t.is(coinAmount(40_000_010_000_000_000n, 18), '0.04000001')
  t.is(coinAmount(1n, 18), '0.000000000000000001')
  t.is(coinAmount(123_456_789_012_345n, 6), '123,456,789.012345')
  t.is(coinAmount(1_000_000n, 6), '1')
})

test('coins and networks are named as people know them', (t) => {
  t.like(coinOf({ asset: 'usdc_base', network: 'base' }), { name: 'USD Coin', symbol: 'USDC', network: 'Base' })
  t.like(coinOf({ asset: 'eth', network: 'eth' }), { name: 'Ether', symbol: 'ETH', network: 'Ethereum' })
  t.like(coinOf({ asset: 'pepe', network: 'somenet' }), { name: 'PEPE', symbol: 'PEPE', network: 'somenet' })
  const own = { asset: 'pepe', network: 'arb', decimals: 3, name: 'Pepe', contract: '0x1' }
  t.deepEqual(coinOf(own), {
    code: 'pepe',
    name: 'Pepe',
    symbol: 'PEPE',
    network: 'Arbitrum One',
    family: 'evm',
    decimals: 3,
    contract: '0x1',
  })
})

test('times are in UTC and say so', (t) => {
  t.is(moment('2026-11-21T15:05:59.000Z'), '21 Nov 2026, 15:05 UTC')
})

test('J-SET-01 contrast is that of WCAG: its own pairs, and black or white is readable on every colour', (t) => {
  t.true(isReadable('#767676', '#ffffff'))
  t.false(isReadable('#777777', '#ffffff'))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const colour = colourOf(`#${number.toString(16).padStart(6, '0')}`)
      return colour !== undefined && isReadable(colour, inkOn(colour))
    }),
  )
})

test('J-SET-01 a colour of the seller is used where it can be read, and our own where it cannot', (t) => {
  t.is(brandOf(branding, '', 'Nobody').style, '')
  const dark = brandOf({ ...branding, color1: '#123A6B' }, '', 'Nobody').style
  t.true(dark.includes('--accent-light:#123a6b') && dark.includes('--on-accent-light:#ffffff'))
  t.false(dark.includes('--accent-dark'))
  const both = brandOf({ ...branding, color1: '#123a6b', color2: '#ffcc66' }, '', 'Nobody').style
  t.true(both.includes('--accent-dark:#ffcc66') && both.includes('--on-accent-dark:#000000'))
  t.true(both.includes('--band:#123a6b'))
})

test('a sentence that ends in a name has one full stop, whatever the name ends with', (t) => {
  for (const name of ['Tea', 'Tea & Co', 'Tea?x', ' Tea ']) t.is(fullStopAfter(name), '.', name)
  for (const name of ['Tea & Co.', 'Tea!', 'Tea? ', 'Tea & C…']) t.is(fullStopAfter(name), '', name)
})

test('J-SET-01 what is no colour and no https address never comes near a page', (t) => {
  for (const color1 of ['red', '#fff', '#12345', '#1234567', '#12345g', '#123456}body{display:none', 'url(https://x)'])
    t.is(brandOf({ ...branding, color1 }, '', 'Nobody').style, '', color1)
  for (const logoUrl of [
    'javascript:alert(1)',
    'http://shop.example/a.png',
    'data:image/svg+xml,<svg/>',
    '//x',
    'https://a:b@c/',
  ])
    t.is(brandOf({ ...branding, logoUrl }, '', 'Nobody').logo, undefined, logoUrl)
  const shown = brandHeader(
    brandOf({ ...branding, brandName: '<b>x', logoUrl: 'https://shop.example/"onerror="a' }, '', 'Nobody'),
  )
  t.notRegex(renderToString(html`<div>${shown}</div>`), /<b>|"onerror/)
})

/** Draws the path of the SVG, eight dots a module, and gives it to the scanner. */
const scanned = (svg: string): string | undefined => {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1])
  const side = size * DOTS
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g))
    for (let row = Number(y) * DOTS; row < (Number(y) + 1) * DOTS; row++)
      for (let column = Number(x) * DOTS; column < (Number(x) + Number(width)) * DOTS; column++)
        pixels.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
  return scan(pixels, side, side)?.data
}
const DOTS = 8

/** The package is a module of the old kind whose types say otherwise. */
const scan = ((jsqr as { default?: unknown }).default ?? jsqr) as typeof jsqr.default

test('N-09 a page that refuses for a while says for how long', (t) => {
  t.true(failurePage(429, '', 1).includes('Please wait 1 second and'))
  t.true(failurePage(429, '', 3_541).includes('Please wait 60 minutes and'))
  t.false(failurePage(429, '').includes('Please wait'))
})
