import test from 'ava'
import { cleanHtml } from '../../adapters/storefront/clean-html.ts'
import { ownImageOf } from '../../adapters/storefront/own-images.ts'

/** HTML of merchants, the hostile among it, and what is left of it. */

const NAME = '0123456789abcdef0123456789abcdef'
const OWN = `/assets/media/${NAME}.png`
const clean = (html: string) => cleanHtml(html, ownImageOf({ [NAME]: { format: 'png', bytes: 1 } }))
const link = (href: string) => `<a href="${href}" rel="noopener nofollow ugc">x</a>`

const cases = (
  t: { is(a: string, b: string, message?: string): void },
  list: readonly (readonly [string, string])[],
) => {
  for (const [html, left] of list) {
    t.is(clean(html), left, html)
    t.is(clean(clean(html)), clean(html), `twice: ${html}`)
  }
}

test('S-SITE-03 N-49 simple HTML of a merchant comes through, and its pictures from our own path', (t) => {
  cases(t, [
    ['<h1>A</h1><p>b <strong>c</strong><em>d</em><br>e</p>', '<h1>A</h1><p>b <strong>c</strong><em>d</em><br />e</p>'],
    ['<ul><li>a</li></ul><ol><li>b</li></ol>', '<ul><li>a</li></ul><ol><li>b</li></ol>'],
    ['<a href=https://tea.example/a?b=1&c=2>x</a>', link('https://tea.example/a?b=1&amp;c=2')],
    [`<img src="https://pay.example${OWN}" alt="Te&quot;a">`, `<img src="${OWN}" alt="Te&quot;a" loading="lazy" />`],
    ['<p>1 < 2 & 3', '<p>1 &lt; 2 &amp; 3</p>'],
  ])
})

test('S-SITE-03 text is not a template', (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant as it stands.
  const texts = ['{{7*7}}', '${7*7}', '#{7*7}', '{% raw %}', '*{7*7}', '[[7*7]]', '@(7*7)']
  cases(
    t,
    texts.map((text) => [`<p>${text}</p>`, `<p>${text}</p>`]),
  )
  t.is(clean('&lt;%= 7*7 %&gt;'), '&lt;%= 7*7 %&gt;')
})

/** What would run or load something, and what is left of it. */
const HOSTILE: readonly (readonly [html: string, left: string])[] = [
  ['<script>alert(1)</script>a', 'a'],
  ['<SCRIPT SRC=//evil.example></SCRIPT>a', 'a'],
  ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
  ['<svg onload=alert(1)>a</svg>b', 'b'],
  ['<svg><script>alert(1)</script></svg>', ''],
  ['<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>', ''],
  ['<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>', ''],
  ['<p onclick=alert(1) style="position:fixed" class=x id=pay>a</p>', '<p>a</p>'],
  ['<p/onmouseover=alert(1)>a</p>', '<p>a</p>'],
  ['<b style="background:url(javascript:alert(1))">a</b>', '<b>a</b>'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<img src="javascript:alert(1)">', ''],
  ['<img src="data:image/svg+xml,<svg onload=alert(1)>">', ''],
  ['<img src="https://evil.example/pixel.png">', ''],
  [`<img src="https://evil.example/#${OWN}">`, ''],
  [`<img src="${OWN}" srcset="https://evil.example 2x" onload=alert(1)>`, `<img src="${OWN}" alt="" loading="lazy" />`],
  ['<iframe srcdoc="<script>alert(1)</script>">a</iframe>b', 'b'],
  ['<object data=x>a</object><embed src=x>b', 'b'],
  ['<form action=https://evil.example><input name=a><button>b</button></form>', 'b'],
  ['<base href=https://evil.example><meta http-equiv=refresh content=0><link rel=stylesheet href=x>a', 'a'],
  ['<style>@import "https://evil.example"</style>a', 'a'],
  ['<template><p>a</p></template>b', 'b'],
  ['<video src=x onerror=alert(1)><source onerror=alert(1)></video>', ''],
  ['<details open ontoggle=alert(1)>a</details>', 'a'],
  ['<marquee onstart=alert(1)>a</marquee>', 'a'],
  ['<!--><script>alert(1)</script>-->', '--&gt;'],
  ['<!--[if IE]><script>alert(1)</script><![endif]-->a', 'a'],
  ['<?php echo 1 ?>a<![CDATA[<script>alert(1)</script>]]>', clean('a<![CDATA[<script>alert(1)</script>]]>')],
]

/** What one reader takes for a text and another for an element. */
const SHAPES: readonly string[] = [
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
  '<title><a href="</title><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<b><style><b title="</style><img src onerror=alert(1)>">',
  `<img src="${OWN}" alt="\`><img src=x onerror=alert(1)>">`,
  '<p title="`x onerror=alert(1)">a</p><img alt=`><img src=x onerror=alert(1)>`>',
  '<\0script>alert(1)</script>',
  '<a href="https://a.example/"onmouseover="alert(1)">x</a>',
]

test('S-SITE-03 nothing that runs or loads comes through', (t) => {
  cases(t, HOSTILE)
  for (const shape of SHAPES) {
    const left = clean(shape)
    const elements = left.match(/<[a-z][^>]*>/gi) ?? []
    t.false(
      elements.some((each) => / on\w+=|javascript:/i.test(each.replaceAll(/"[^"]*"/g, '""'))),
      `${shape} → ${left}`,
    )
    t.true(
      elements.every((each) => /^<(p|b|a|img)\b/.test(each)),
      left,
    )
  }
})

test('S-SITE-03 a link leads to https and nowhere else', (t) => {
  const dropped = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    '&#106;avascript:alert(1)',
    'java&Tab;script:alert(1)',
    '&#x1;javascript:alert(1)',
    'javascript&colon;alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'http://plain.example',
    '//evil.example',
    '/oauth2',
    'https:evil',
    'https://user:pass@evil.example',
    'https://evil.example/<b>',
    'mailto:a@b.example',
    'blob:https://a',
    '',
    'https://a.example/\\"onmouseover=alert(1)',
    'https://a.example/`b`',
  ]
  cases(
    t,
    dropped.map((href) => [
      `<a href="${href.replaceAll('"', '&quot;')}" target=_top ping=https://evil.example>x</a>`,
      '<a>x</a>',
    ]),
  )
  t.is(clean('<a href="https://b&#252;cher.example/ä" rel=opener>x</a>'), link('https://xn--bcher-kva.example/%C3%A4'))
})

test('S-SITE-03 nesting beyond all use, and text beyond all length, take no time', (t) => {
  const start = performance.now()
  for (const part of [
    '<b>',
    '<a href=https://a.example>',
    '<p',
    '<!--',
    '</p>',
    '<svg>',
    '&',
    '<',
    '<li><ul>',
    '"',
    '<img ',
  ])
    t.true(clean(part.repeat(64_000 / part.length)).length < 500_000, part)
  const deepest = clean('<b>'.repeat(1_000)).match(/<b>/g)?.length ?? 0
  t.true(deepest <= 20, String(deepest))
  t.true(performance.now() - start < 20_000)
})
