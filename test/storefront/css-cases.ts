/** Rules and declarations of merchants' stylesheets, each with what is left of it. */

/** A picture of the merchant's own. */
export const NAME = '0123456789abcdef0123456789abcdef'
export const OWN = `/assets/media/${NAME}.png`

type Cases = readonly (readonly [given: string, left: string])[]

export const ofP = (declarations: string): string => (declarations === '' ? '' : `.store p{${declarations}}`)

/** What merchants may say. */
export const WELCOME_RULES: Cases = [
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
]

export const WELCOME_DECLARATIONS: Cases = [
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
]

/** What would load something. */
export const FOREIGN_DECLARATIONS: Cases = [
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
]

export const FOREIGN_RULES: Cases = [
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
]

/** What would run something, take something over or end the stylesheet. */
export const RUNNING_DECLARATIONS: Cases = [
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
]

export const BROKEN_RULES: Cases = [
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
]

/** Selectors that reach out. */
export const OUTSIDE: readonly string[] = [
  'body ~ footer',
  'body + *',
  ':root ~ p',
  '.store + p',
  '.store ~ .frame',
  'html + body',
  'html ~ body p',
  '> p',
  '+ p',
  '~ p',
  '& p',
  'p || td',
  'p >>> b',
  'p /deep/ b',
  '::backdrop',
  '::part(x)',
  '::slotted(p)',
  ':host',
  ':host-context(body)',
  '::view-transition',
  '::-webkit-scrollbar',
  '[value^=a]',
  'input[type=password][value$="a"]',
  'svg|a',
  '*|*',
  '|p',
  '\\62ody',
  '.\\73tore',
  'p:is(\\62ody)',
  ':not(',
  ':nth-child(2 of body)',
  ':lang(en)',
  ':is(> p)',
  '50%',
  'p..q',
]

export const KEPT_WITHIN: Cases = [
  ['.store .store p{top:0}', ofP('top:0')],
  ['.store{top:0}', '.store{top:0}'],
  ['p body{top:0}', '.store p body{top:0}'],
  [':is(html,body) footer{top:0}', '.store :is(html,body) footer{top:0}'],
  ['html:has(p) > *{top:0}', '.store:has(p)>*{top:0}'],
  ['.storefront,#store{top:0}', '.store .storefront,.store #store{top:0}'],
  ['::before{top:0}', '.store ::before{top:0}'],
]
