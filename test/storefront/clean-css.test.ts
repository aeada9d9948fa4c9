import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { cleanCss } from '../../adapters/storefront/clean-css.ts'
import { ownImageOf } from '../../adapters/storefront/own-images.ts'

/** Stylesheets of merchants, the hostile ones among them, and what is left of them. */

const NAME = '0123456789abcdef0123456789abcdef'
const OWN = `/assets/media/${NAME}.png`
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
const ofP = (declarations: string) => (declarations === '' ? '' : `.store p{${declarations}}`)
const declared = (t: Parameters<typeof cleans>[0], cases: readonly (readonly [string, string])[]) =>
  cleans(
    t,
    cases.map(([given, left]) => [`p{${given}}`, ofP(left)]),
  )

test('S-SITE-04 N-49 what a merchant may say of its storefront comes through, within the storefront', (t) => {
  cleans(t, [
    ['h1, .card > p{COLOR:#0B5C4A;margin:0 auto}', '.store h1,.store .card>p{color:#0B5C4A;margin:0 auto}'],
    [':root{--mine:1px}body{padding:var(--mine)}', '.store{--mine:1px} .store{padding:var(--mine)}'],
    ['*{box-sizing:border-box}', '.store *{box-sizing:border-box}'],
    ['html.wide > body:hover p::before{content:"→"}', '.store.wide:hover p::before{content:"→"}'],
    ['li:nth-child(2n+1):not(.a,#b) ~ li{order:1}', '.store li:nth-child(2n+1):not(.a,#b)~li{order:1}'],
    [
      'li:nth-child(odd),li:nth-last-child(-n+3){top:0}',
      '.store li:nth-child(odd),.store li:nth-last-child(-1n+3){top:0}',
    ],
    ['p:has(> img, + b){color:red}', '.store p:has(>img,+b){color:red}'],
    [
      '@media (min-width:600px) and (prefers-color-scheme: dark), print{p{color:red}@media screen{p{top:0}}}',
      '@media (min-width:600px) and (prefers-color-scheme:dark),print{ .store p{color:red} @media screen{ .store p{top:0} } }',
    ],
    ['@media not all and (hover){p{color:red}}', '@media not all and (hover){ .store p{color:red} }'],
  ])
  declared(t, [
    ['font:12px/1.5 "A b",serif', 'font:12px/1.5 "A b",serif'],
    ['width:calc(100% - 2*3px + (1px))', 'width:calc(100% - 2*3px + (1px))'],
    ['color:var(--store-accent,red);gap:1e1px', 'color:var(--store-accent,red);gap:1e1px'],
    [
      'background:linear-gradient(90deg,#fff 0%,rgb(1 2 3/50%) 100%)',
      'background:linear-gradient(90deg,#fff 0%,rgb(1 2 3/50%) 100%)',
    ],
    [`background:url(${OWN}) no-repeat`, `background:url(${OWN}) no-repeat`],
    [`background:url("https://pay.example${OWN}")`, `background:url(${OWN})`],
    ['transition:all .2s ease-in-out;margin:-1px +2px', 'transition:all .2s ease-in-out;margin:-1px +2px'],
    ['color:red!important;color:blue ! important', 'color:red;color:blue'],
    ['display:flex;position:absolute;z-index:3', 'display:flex;position:absolute;z-index:3'],
  ])
})

test('S-SITE-04 a stylesheet loads nothing but the merchant’s own pictures, however it is spelt', (t) => {
  declared(t, [
    ['background:url(https://evil.example/a.png)', ''],
    ['background:url(//evil.example/a.png)', ''],
    ['background:url(javascript:alert(1))', ''],
    ['background:url("data:image/svg+xml,<svg onload=alert(1)>")', ''],
    ['background:\\75rl(https://evil.example)', ''],
    ['background:\\000075\\000072\\00006c(https://evil.example)', ''],
    ['background:u\\rl(https://evil.example)', ''],
    ['background:ur/**/l(https://evil.example)', ''],
    ['background:URL( "https://evil.example" )', ''],
    ['background:image-set("https://evil.example" 1x)', ''],
    ['background:-webkit-image-set(url(https://evil.example) 1x)', ''],
    ['background:image(url(https://evil.example))', ''],
    ['background:src("https://evil.example")', ''],
    ['background:cross-fade(url(https://evil.example),red)', ''],
    ['background:element(#pay)', ''],
    ['background:attr(data-x url)', ''],
    ['background:env(x,url(https://evil.example))', ''],
    ['background:paint(evil)', ''],
    ['background:linear-gradient(red,url(https://evil.example))', ''],
    ['background:red,url(https://evil.example)', ''],
    [`background:url(${OWN}?x=https://evil.example)`, ''],
    [`background:url(${OWN}/../../../oauth2)`, ''],
    ['background:url(/assets/media/ffffffffffffffffffffffffffffffff.png)', ''],
    ['background:url(/oauth2/logout)', ''],
    ['--a:url(https://evil.example)', ''],
    ['--a:"https://evil.example";background:image-set(var(--a) 1x)', '--a:"https://evil.example"'],
    ['content:url(https://evil.example)', ''],
    ['cursor:url(https://evil.example),auto', ''],
    ['list-style:url(https://evil.example)', ''],
    ['filter:url(https://evil.example#f)', ''],
    ['clip-path:url(#a)', ''],
    ['mask:url(https://evil.example)', ''],
    ['border-image:url(https://evil.example) 1', ''],
    ['src:url(https://evil.example)', ''],
  ])
  cleans(t, [
    ['@import "https://evil.example";p{top:0}', ofP('top:0')],
    ['@im\\port "https://evil.example";p{top:0}', ofP('top:0')],
    ['@IMPORT url(https://evil.example) screen;', ''],
    ['@\\69mport url(https://evil.example);', ''],
    ['/**/@import/**/"https://evil.example";', ''],
    ['@media screen{@import "https://evil.example";p{top:0}}', `@media screen{ ${ofP('top:0')} }`],
    ['@font-face{font-family:x;src:url(https://evil.example)}', ''],
    ['@namespace url(https://evil.example);', ''],
    ['@charset "utf-7";p{top:0}', ofP('top:0')],
    ['@document url(https://evil.example){p{top:0}}', ''],
    ['@supports (background:url(https://evil.example)){p{top:0}}', ''],
    ['@container (width>1px){p{top:0}}', ''],
    ['@layer a{p{top:0}}', ''],
    ['@scope (html){p{top:0}}', ''],
    ['@property --x{syntax:"<url>";inherits:true;initial-value:url(https://evil.example)}', ''],
    ['@keyframes spin{to{rotate:1turn}}', ''],
    ['@-moz-document url-prefix(){p{top:0}}', ''],
    ['@counter-style x{symbols:url(https://evil.example)}', ''],
    ['@media (x:url(https://evil.example)){p{top:0}}', ''],
    ['@media screen and (min-width:calc(1px)){p{top:0}}', ''],
    ['@media (width<600px){p{top:0}}', ''],
    ['@media /*x*/ all\\{}{p{top:0}}', ''],
  ])
})

test('S-SITE-04 a stylesheet runs nothing, takes nothing over and shadows nothing of ours', (t) => {
  declared(t, [
    ['width:expression(alert(1))', ''],
    ['width:ex/**/pression(alert(1))', ''],
    ['behavior:url(x.htc)', ''],
    ['-moz-binding:url(x.xml#y)', ''],
    ['-webkit-user-modify:read-write', ''],
    ['position:fixed', ''],
    ['position:sticky', ''],
    ['position:FIX\\45 D', ''],
    ['position:var(--p)', ''],
    ['--p:fixed;position:var(--p)', '--p:fixed'],
    ['posi\\tion:fixed', ''],
    ['*position:fixed', ''],
    ['animation:spin 1s', ''],
    ['contain:none;isolation:auto;all:unset', ''],
    ['view-transition-name:x;anchor-name:--x', ''],
    ['--store-paper:red;--STORE-ink:red;--accent:red;--band-x:red', '--band-x:red'],
    ['--\\73tore-paper:red', ''],
    ['color:red\\', ''],
    ['width:1\\70 x', ''],
    ['color:#ggg', ''],
    ['color:;top:0', 'top:0'],
    ['top:1//*2', ''],
    ['top:1/ *2', ''],
    ['content:"</style><script>alert(1)</script>"', ''],
    ['content:"\\3c /style>"', ''],
    ['content:"a\\a b"', ''],
    ['content:"\\"}body{top:0}"', ''],
    ['font-family:"x<!--"', ''],
    ['color:red <!-- --> ;top:0', 'top:0'],
    ['a:b{top:0};left:0', 'left:0'],
    ['&:hover{top:0}', ''],
    ['@media print{top:0}left:0', 'left:0'],
  ])
  cleans(t, [
    ['p{color:red}</style><script>alert(1)</script>', ofP('color:red')],
    ['</style><img src=x onerror=alert(1)>', ''],
    ['<!-- p{color:red} -->', ofP('color:red')],
    ['p{content:"}</style>', ''],
    ["p{content:'a\nb';top:0}q{left:0}", ''],
    ['p{color:red}body{top:0}footer{top:0', '.store p{color:red} .store{top:0} .store footer{top:0}'],
    ['p{color:red', ofP('color:red')],
    ['p{color:red;/*', ofP('color:red')],
    ['}}}p{top:0}', ''],
    ['p{}', ''],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant as it stands.
    ['{{7*7}} ${7*7} <%= 7*7 %>', ''],
    ['', ''],
  ])
})

test('S-SITE-04 no selector reaches anything outside the storefront', (t) => {
  cleans(
    t,
    [
      ...['body ~ footer', 'body + *', ':root ~ p', '.store + p', '.store ~ .frame', 'html + body', 'html ~ body p'],
      ...['> p', '+ p', '~ p', '& p', 'p || td', 'p >>> b', 'p /deep/ b'],
      ...[
        '::backdrop',
        '::part(x)',
        '::slotted(p)',
        ':host',
        ':host-context(body)',
        '::view-transition',
        '::-webkit-scrollbar',
      ],
      ...['[value^=a]', 'input[type=password][value$="a"]', 'svg|a', '*|*', '|p'],
      ...[
        '\\62ody',
        '.\\73tore',
        'p:is(\\62ody)',
        ':not(',
        ':nth-child(2 of body)',
        ':lang(en)',
        ':is(> p)',
        '50%',
        'p..q',
      ],
    ].map((selector) => [`${selector}{top:0}`, ''] as const),
  )
  cleans(t, [
    ['.store .store p{top:0}', ofP('top:0')],
    ['.store{top:0}', '.store{top:0}'],
    ['p body{top:0}', '.store p body{top:0}'],
    [':is(html,body) footer{top:0}', '.store :is(html,body) footer{top:0}'],
    ['html:has(p) > *{top:0}', '.store:has(p)>*{top:0}'],
    ['.storefront,#store{top:0}', '.store .storefront,.store #store{top:0}'],
    ['::before{top:0}', '.store ::before{top:0}'],
  ])
})

test('S-SITE-04 a stylesheet that is a bomb is left out, and takes no time', (t) => {
  const start = performance.now()
  const [size, wide] = [32 * 1_024, 'a,'.repeat(16_000)]
  const bombs = [
    ...['(', '[', '{', ')', '}', '@', '"', "'", '\\', '/*', 'a{', '@media print{', ':not(', 'url(', 'calc('],
    ...['a b', 'a>', ':is(a,', '-', '+', '1e', '#', '<!--', '\0', '\u202e', '🂡'],
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
  ...[
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
  ],
  ...[
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
  ],
  ...['color', 'background', 'content', 'position', 'fixed', '--x', 'var(', 'calc(', '--store-ink', 'behavior', 'top'],
  ...[
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
  ],
  ...['1px', '1', '/', '*', '-', '#fff', 'red', '"a"', '\n', '\\3c ', '</', '[', ']', 'expression(', '%'],
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
  for (const any of [soup, ruled, fc.string({ unit: 'binary', maxLength: 60 })])
    fc.assert(fc.property(any, holds), { numRuns: 2_000 })
  t.pass()
})

test('S-SITE-04 none of the custom properties of our own stylesheets can be set', (t) => {
  const sheets = ['daybook.css', 'pay.css', 'people.css'].map((name) =>
    readFileSync(new URL(`../../adapters/http/pages/${name}`, import.meta.url), 'utf8'),
  )
  const names = new Set(sheets.flatMap((sheet) => sheet.match(/--[a-z][\w-]*(?=\s*[:,)])/g) ?? []))
  t.true(names.size > 15)
  for (const name of names) t.is(clean(`p{${name}:red}`), '', name)
})
