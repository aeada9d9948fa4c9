/** What a hostile seller would write into a storefront: every line of it has to come to nothing. */

/** Written from right to left, and turning the reading around. */
export const RTL = '\u202eمتجر\u2066 שלום'
/** Ways into a page by its markup and by templates. */
export const MARKUP = [
  '</title></style></textarea><script>hacked=1</script><svg/onload="hacked=1"><img src=x onerror="hacked=1">',
  '<iframe src="https://evil.example/"></iframe><base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/"><a href="javascript:hacked=1">x</a>',
  '<form action="https://evil.example/"><button>Pay</button></form><link rel="stylesheet" href="https://evil.example/a.css">',
  '<math><mtext><table><mglyph><style><img src=x onerror=hacked=1></style></table></mtext></math><p style="position:fixed">{{7*7}}',
  `\${hacked=1} {{constructor.constructor('hacked=1')()}} <%= hacked %> #{hacked}`,
].join('')

/** Values of a site that are as long as they may be. */
export const FOUL = {
  title: (RTL + 'W'.repeat(120)).slice(0, 120),
  tagline: MARKUP.slice(0, 300),
  announcement: 'A'.repeat(300),
  hero: { heading: MARKUP.slice(0, 120), text: 'x'.repeat(600) },
  about: MARKUP + '<h1>'.repeat(500),
  footer: MARKUP.slice(0, 500),
  links: [{ label: 'L'.repeat(60), url: 'https://elsewhere.example/' }],
}
export const FOUL_FIELDS = [
  { type: 'select', label: MARKUP.slice(0, 100), options: [MARKUP.slice(0, 100), 'W'.repeat(100)], required: true },
  { type: 'checkbox', label: RTL + 'W'.repeat(80) },
]
export const SECTIONS = [
  'hero',
  { type: 'text', heading: 'T'.repeat(120), html: MARKUP },
  'featured',
  'products',
  'about',
  'links',
]

/** Ways out of a stylesheet, to elsewhere and over our own lines; one rule is fair. */
export const CSS = `
@import url(https://evil.example/import.css); @import "https://evil.example/second.css";
@font-face { font-family: x; src: url(https://evil.example/font.woff) }
h1, .mark { letter-spacing: 7px }
@\\69mport url(https://evil.example/escaped.css);
body, html, :root, * { background: url(https://evil.example/all.png); font-family: x }
.store { background-image: url(javascript:hacked=1); behavior: url(x.htc); -moz-binding: url(x.xml#x) }
.store { width: expression(hacked=1); background: u\\72l(https://evil.example/escape.png); color: white }
.store p { background: image-set("https://evil.example/set.png" 1x); list-style: url("https://evil.example/list.png") }
.trust, body > footer, footer { display: none; visibility: hidden; opacity: 0 }
body ~ *, :root .trust, .store ~ footer, .stage + footer, .store + *, :has(.trust) { display: none !important }
.store::after { content: "You pay us"; position: fixed; inset: 0; z-index: 2147483647; background: white }
.store::before { content: ""; position: absolute; inset: -9999px; z-index: 99999; background: white; height: 99999px; bottom: -9999px }
.store { margin-bottom: -9999px; transform: scale(3) translateY(200px); z-index: 99999; position: relative; width: 5000px }
.store * { position: fixed; top: 0; color: #fff }
</style><script>hacked=1</script><style>
.x { content: "</style><script>hacked=1</script>"; }
/* */ } } .trust { display: none } @media all { .trust { display: none }
`
