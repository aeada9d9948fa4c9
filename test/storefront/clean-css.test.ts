import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { cleanCss } from '../../adapters/storefront/clean-css.ts'
import { ownImageOf } from '../../adapters/storefront/own-images.ts'
import { anyCharacter } from '../support/any-character.ts'
import { runs } from '../support/depth.ts'
import {
  BROKEN_RULES,
  FOREIGN_DECLARATIONS,
  FOREIGN_RULES,
  KEPT_WITHIN,
  NAME,
  OUTSIDE,
  OWN,
  ofP,
  RUNNING_DECLARATIONS,
  WELCOME_DECLARATIONS,
  WELCOME_RULES,
} from './css-cases.ts'

/** Stylesheets of merchants, the hostile ones among them, and what is left of them. */

const clean = (css: string) => cleanCss(css, ownImageOf({ [NAME]: { format: 'png', bytes: 1 } }))

const cleans = (
  t: { is(a: string, b: string, message?: string): void },
  cases: readonly (readonly [string, string])[],
) => {
  for (const [css, expected] of cases) {
    t.is(clean(css).trim().replaceAll(/\n+/g, ' '), expected, css)
    t.is(clean(clean(css)), clean(css), `twice: ${css}`)
  }
}
const declared = (t: Parameters<typeof cleans>[0], cases: readonly (readonly [string, string])[]) =>
  cleans(
    t,
    cases.map(([given, left]) => [`p{${given}}`, ofP(left)]),
  )

test('S-SITE-04 N-49 what a merchant may say of its storefront comes through, within the storefront', (t) => {
  cleans(t, WELCOME_RULES)
  declared(t, WELCOME_DECLARATIONS)
})

test('S-SITE-04 a stylesheet loads nothing but the merchant’s own pictures, however it is spelt', (t) => {
  declared(t, FOREIGN_DECLARATIONS)
  cleans(t, FOREIGN_RULES)
})

test('S-SITE-04 a stylesheet runs nothing, takes nothing over and shadows nothing of ours', (t) => {
  declared(t, RUNNING_DECLARATIONS)
  cleans(t, BROKEN_RULES)
})

test('S-SITE-04 no selector reaches anything outside the storefront', (t) => {
  cleans(
    t,
    OUTSIDE.map((selector) => [`${selector}{top:0}`, ''] as const),
  )
  cleans(t, KEPT_WITHIN)
})

test('S-SITE-04 a stylesheet that is a bomb is left out, and takes no time', (t) => {
  const start = performance.now()
  const [size, wide] = [32 * 1_024, 'a,'.repeat(16_000)]
  const bombs = [
    '(',
    '[',
    '{',
    ')',
    '}',
    '@',
    '"',
    "'",
    '\\',
    '/*',
    'a{',
    '@media print{',
    ':not(',
    'url(',
    'calc(',
    'a b',
    'a>',
    ':is(a,',
    '-',
    '+',
    '1e',
    '#',
    '<!--',
    '\0',
    '\u202e',
    '🂡',
  ].map((part) => part.repeat(size / part.length))
  for (const bomb of bombs)
    for (const css of [bomb, `p{top:${bomb}`, `p{top:${bomb}}`, `${bomb}{top:0}`, `@media ${bomb}{p{top:0}}`])
      t.true(clean(css).length <= 65_536, css.slice(0, 20))
  t.is(clean(`${wide}a{top:0}`), '')
  t.true(clean(`${'a{top:0}'.repeat(4_000)}`).length <= 65_536)
  t.is(clean(`p{top:0}${' '.repeat(70_000)}`), '')
  t.is(
    clean(`${':is('.repeat(30)}p${')'.repeat(30)}{top:0}`).length,
    0 + `.store ${':is('.repeat(30)}p${')'.repeat(30)}{top:0}\n`.length,
  )
  t.is(clean(`${':is('.repeat(40)}p${')'.repeat(40)}{top:0}`), '')
  t.true(performance.now() - start < 20_000)
})

const words = [
  'p',
  'body',
  'html',
  ':root',
  '.store',
  '*',
  '::before',
  ':is(',
  ':has(',
  '~',
  '+',
  '>',
  ' ',
  ',',
  '{',
  '}',
  '(',
  ')',
  '@import',
  '@im\\port',
  '@media',
  '@font-face',
  'screen',
  '(width:1px)',
  'and',
  ';',
  ':',
  '!important',
  '/*',
  '*/',
  'color',
  'background',
  'content',
  'position',
  'fixed',
  '--x',
  'var(',
  'calc(',
  '--store-ink',
  'behavior',
  'top',
  'url(',
  'u\\72l(',
  `url(${OWN})`,
  'url(https://e.example/)',
  'image-set(',
  '"',
  "'",
  '\\',
  '</style>',
  '<!--',
  '-->',
  '1px',
  '1',
  '/',
  '*',
  '-',
  '#fff',
  'red',
  '"a"',
  '\n',
  '\\3c ',
  '</',
  '[',
  ']',
  'expression(',
  '%',
]
const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(''))
const ruled = fc
  .tuple(fc.constantFrom('p', 'body', '*', 'a:hover', '.store'), soup)
  .map(([selector, inner]) => `${selector}{color:red;${inner};top:0}`)

test('S-SITE-04 whatever is cleaned loads nothing foreign, ends no element, stays within, and is clean', (t) => {
  const holds = (css: string) => {
    const out = clean(css)
    const foreign = out.replaceAll(`url(${OWN})`, '').replaceAll(/"[^"\n]*"/g, '')
    if (/[<\\]/.test(out) || /url\s*\(|@(?!media )|["'!]|expression\(|position:[^;}]*fixed|\/\*/i.test(foreign))
      return false
    const selectors = [...foreign.matchAll(/(?:^|[\n}])([^\n{}@]+)\{/g)].map(([, selector = '']) => selector)
    return clean(out) === out && selectors.every((each) => each.startsWith('.store'))
  }
  for (const any of [soup, ruled, fc.string({ unit: anyCharacter, maxLength: 60 })])
    fc.assert(fc.property(any, holds), { numRuns: runs({ quick: 400, deep: 2_000 }) })
  t.pass()
})

test('S-SITE-04 none of the custom properties of our own stylesheets can be set', (t) => {
  const pages = new URL('../../adapters/http/pages/', import.meta.url)
  const sheets = globSync('{*.css,buyer/*.css,store/*.css}', { cwd: pages }).map((name) =>
    readFileSync(new URL(name, pages), 'utf8'),
  )
  const names = new Set(sheets.flatMap((sheet) => sheet.match(/--[a-z][\w-]*(?=\s*[:,)])/g) ?? []))
  t.true(names.size > 15)
  for (const name of names) t.is(clean(`p{${name}:red}`), '', name)
})
