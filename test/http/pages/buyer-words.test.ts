import test from 'ava'
import fc from 'fast-check'
import { renderToString } from 'preact-render-to-string'
import { coinIcon } from '../../../adapters/http/pages/buyer/coin-icon.ts'
import { hashView } from '../../../adapters/http/pages/buyer/hash.ts'
import { buyerLocale } from '../../../adapters/http/pages/buyer/messages/buyer-locale.ts'
import { de } from '../../../adapters/http/pages/buyer/messages/de.ts'
import { en } from '../../../adapters/http/pages/buyer/messages/en.ts'
import { symbolOf } from '../../../adapters/http/pages/plain-words.ts'
import { isReadable } from '../../../adapters/storefront/contrast.ts'
import { explorerOf } from '../../../domain/chains/explorers.ts'
import { assets } from '../../../domain/kernel/assets.ts'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { networks } from '../../../domain/kernel/networks.ts'

/** The words, numbers and marks of the buyer's pages. */

test('N-81 the best language that a browser wishes for is taken, and English where we speak none of them', (t) => {
  const wishes: [languages: string, lang: string][] = [
    ['', 'en'],
    ['de', 'de'],
    ['DE-at, en', 'de'],
    ['fr, de;q=0.4, en;q=0.3', 'de'],
    ['en;q=0.3, de;q=0.4', 'de'],
    ['fr', 'en'],
    ['*', 'en'],
    ['de;q=0', 'en'],
    ['constructor, __proto__', 'en'],
    ['de-u-nu-arab', 'en'],
  ]
  for (const [languages, lang] of wishes) t.is(buyerLocale(languages).lang, lang, languages)
  fc.assert(fc.property(fc.string(), (text) => ['de', 'en'].includes(buyerLocale(text).lang)))
})

test('N-81 numbers are written as the language does, without losing a digit', (t) => {
  const [english, german] = [buyerLocale('en'), buyerLocale('de-DE')]
  t.is(english.price('1234500000', 'USD'), '1,234.50 USD')
  t.is(german.price('1234500000', 'EUR'), '1.234,50 EUR')
  t.is(german.price('5000000000', 'JPY'), '5.000 JPY')
  t.is(english.moment('2026-11-21T15:05:59.000Z'), '21 Nov 2026, 15:05 UTC')
  t.is(german.moment('2026-11-21T15:05:59.000Z'), '21. Nov. 2026, 15:05 UTC')
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 30 }), (units, decimals) => {
      const exact = toDecimal(units, decimals)
      t.is(english.amount(units, decimals).replaceAll(',', ''), exact)
      t.is(german.amount(units, decimals).replaceAll('.', '').replace(',', '.'), exact)
    }),
  )
})

test('N-81 every text is there in both languages, and none was left in the other', (t) => {
  /** Words that are the same in both. */
  const SAME = new Set(['receipt.rateOf'])
  for (const [part, texts] of Object.entries(en))
    for (const [name, text] of Object.entries(texts)) {
      const [said, other] = [text, (de as typeof en)[part as 'frame'][name as 'test']].map(spoken)
      t.truthy(said)
      if (SAME.has(`${part}.${name}`)) t.is(said, other)
      else t.not(said, other, `${part}.${name}`)
    }
})

test('N-81 every network has an explorer on its main chain, and none on a chain for trying out', (t) => {
  for (const { name, chains } of networks) {
    const [main, ...tests] = chains
    const explorer = explorerOf(name, main.caip2)
    for (const url of [explorer?.tx, explorer?.address]) t.regex(url ?? '', /^https:\/\/[a-z.]+\/(\S*\/)?$/, name)
    for (const { caip2 } of tests) t.is(explorerOf(name, caip2), undefined, caip2)
  }
  t.is(explorerOf('eth', 'eip155:31337'), undefined)
  t.is(explorerOf('nothing', 'eip155:1'), undefined)
  t.is(hashView('a/"b', explorerOf('eth', 'eip155:1')).at, 'https://etherscan.io/tx/a%2F%22b')
})

test('N-81 every coin has a mark of its own, a token has its letter, and white can be read on each', (t) => {
  const known = [...new Set(assets.map(({ code }) => symbolOf(code)))]
  const marks = known.map((symbol) => renderToString(coinIcon(symbol)))
  t.is(new Set(marks).size, known.length)
  for (const symbol of [...known, 'TEST', 'PEPE', '', '<b>', '1INCH', '木']) {
    const mark = renderToString(coinIcon(symbol))
    t.regex(mark, /^<svg[^>]* aria-hidden="true"/)
    t.notRegex(mark, /<b>|style=/)
    const colour = /fill="(#[0-9a-f]{6})"/.exec(mark)?.[1]
    t.true(isReadable(colour as `#${string}`, '#ffffff'), `${symbol} ${colour}`)
  }
  for (const mark of marks) t.false(mark.includes('<text'))
  t.regex(renderToString(coinIcon('PEPE')), /<text[^>]*>\s*P\s*<\/text>/)
})

const spoken = (text: unknown): string => {
  const said = typeof text === 'function' ? text(...ARGUMENTS) : text
  return Array.isArray(said) ? said.join('') : String(said)
}
const ARGUMENTS = ['1', '2', '3']
