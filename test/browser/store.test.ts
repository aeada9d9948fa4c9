import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { shopHandle } from '../../domain/sell/shop.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { asksEverything } from '../support/asks.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { look } from '../support/buyer.ts'
import { chromiumPath } from '../support/chromium.ts'
import { saidOf } from '../support/sale.ts'
import { ok } from '../support/seller.ts'
import { changeSettings } from '../support/settings.ts'
import { walletHolder } from '../support/stores.ts'

/** The public pages of a store in a real browser: as a good seller makes them, and as a hostile one would. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip

let app: TestApp
let browser: Browser
let fair: Record<string, string>
let foul: Record<string, string>
test.before(async () => {
  if (!path) return
  app = await startApp({ env: { LANDER_FREE_SLOTS: '3' } })
  browser = await startBrowser(path)
  fair = await fairStore()
  const [worded, styled] = [await foulStore(''), await foulStore(CSS)]
  const named = (name: string, pages: object) => Object.entries(pages).map(([page, at]) => [`${name}-${page}`, at])
  foul = Object.fromEntries([...named('words', worded), ...named('rules', styled)])
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

for (const { name, options } of looks)
  inBrowser(
    `S-SITE-01 S-LAN-01 M-CHK-01 ${name}: a store, its products and its landers keep nobody out and fit`,
    async (t) => {
      const context = await browser.newContext(options)
      t.teardown(() => context.close())
      const { page, wrong } = await openPage(context)
      for (const [state, address] of Object.entries(fair)) {
        await page.goto(app.served().origin + address)
        for (const details of await page.locator('summary').all()) await details.click()
        await shoot(page, `store-${state}-${name}`)
        t.deepEqual(await barriers(page), [], state)
        await fits(t, page, state)
      }
      t.deepEqual(
        wrong.filter((each) => !/404/.test(each)),
        [],
      )
    },
  )

for (const { name, options } of looks)
  inBrowser(
    `S-SITE-03 S-SITE-04 ${name}: what a hostile seller writes runs nothing, asks nobody and covers nothing of ours`,
    async (t) => {
      const context = await browser.newContext(options)
      t.teardown(() => context.close())
      const strayed = await guarded(context)
      const { page, wrong } = await openPage(context)
      page.on('dialog', (dialog) => {
        strayed.push(`said ${dialog.message()}`)
        void dialog.dismiss()
      })
      for (const [state, address] of Object.entries(foul)) {
        const at = app.served().origin + address
        await page.goto(at)
        await page.waitForTimeout(200)
        await shoot(page, `foul-${state}-${name}`)
        t.is(page.url(), at, 'nobody is led away')
        t.is(await page.evaluate('globalThis.hacked'), undefined)
        t.is(await page.locator('script, iframe, object, embed, base, meta[http-equiv], svg a').count(), 0)
        await fits(t, page, state)
        await trusted(t, page, state)
        if (state.startsWith('words')) t.deepEqual(await barriers(page), [], state)
        else t.is(await page.evaluate("getComputedStyle(document.querySelector('.mark')).letterSpacing"), '7px')
      }
      t.deepEqual(strayed, [])
      t.deepEqual(wrong, [])
    },
  )

/** Nothing runs over to the side. */
const fits = async (t: ExecutionContext, page: Page, state: string) =>
  t.is(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    0,
    `${state} runs over to the side`,
  )

/** Nobody but us is asked; what would leave is noted, and goes nowhere. */
const guarded = async (context: BrowserContext): Promise<string[]> => {
  const strayed: string[] = []
  await context.route('**', (route) => {
    if (route.request().url().startsWith(`${app.served().origin}/`)) return route.continue()
    strayed.push(route.request().url())
    return route.abort()
  })
  return strayed
}

/** Who is paid and by whom: it is there, whole, and on top at every word of it. */
const trusted = async (t: ExecutionContext, page: Page, state: string) => {
  const lines = page.locator('body > footer.trust p')
  t.is(
    await lines.last().textContent(),
    'You pay the seller directly. Daybook shows the way and never holds your money.',
  )
  t.deepEqual(await page.evaluate(COVERED), [], `${state}: the last lines are on top`)
}

/** Runs in the browser: points of the last lines at which something else would be clicked. */
const COVERED = `(() => {
  const footer = document.querySelector('body > footer.trust')
  footer.scrollIntoView({ block: 'end' })
  const { left, top, width, height } = footer.getBoundingClientRect()
  const points = [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [left + x * width, top + y * height]))
  return points.filter(([x, y]) => !footer.contains(document.elementFromPoint(x, y)))
})()`

const fairStore = async () => {
  const key = await walletHolder(app)
  await asksEverything(app, key)
  await changeSettings(app, await resourceOf(key), {
    branding: { brandName: 'Harbour Tea', color1: '#123a6b', color2: '#ffcc66' },
  })
  const image = await uploaded(key)
  const saved = []
  for (const title of TEAS) saved.push(await save(key, title, LEAF))
  await ok(app.call('PUT', '/v1/site', { key, body: { chrome: chromeWith(image), layout: 'classic' } }))
  const store = await storeOf(saved[0]?.id)
  const [spotlight, split, story] = [saved[1], saved[2], saved[3]].map((each) => each?.id ?? 0) as [
    number,
    number,
    number,
  ]
  return {
    product: saved[0]?.path ?? '',
    spotlight: await lander(key, spotlight, 'spotlight', { ...PITCH, image, accepts_offers: true }),
    split: await lander(key, split, 'split', { ...PITCH, accepts_offers: true }),
    story: await lander(key, story, 'story', { ...PITCH, image: null }),
    ...{ store, missing: '/shop/aaaaaaaaaaaa' },
  }
}

const TEAS = [
  'Darjeeling, second flush, from the garden of the year',
  'Assam',
  'Lapsang',
  'Iron pot, 0.8 litres',
  'Gift card',
]
const LEAF = `Whole leaf, picked in June.\n\nTwo pounds in a tin, sent the next day.\nUnbroken:${'x'.repeat(80)}`

const PITCH = {
  headline: 'The tin that lasts a winter',
  subline: 'Two pounds of second flush, from one garden and one week in June.',
  body: '<h3>What is in it</h3><p>Whole leaf, never broken. We taste forty lots and buy two.</p><ul><li>Sent the next day</li></ul>',
}

const lander = async (key: string, checkoutId: number, tpl: string, texts: object): Promise<string> => {
  const { lander_id: id } = (await ok(app.call('POST', '/v1/landers', { key, body: { checkout_id: checkoutId, tpl } })))
    .json
  await ok(app.call('PUT', `/v1/landers?lander_id=${id}`, { key, body: texts }))
  return new URL((await ok(app.call('GET', `/v1/landers?lander_id=${id}`, { key }))).json.lander.url).pathname
}

const chromeWith = (image: string) => ({
  ...{ title: 'Harbour Tea', tagline: 'Single-garden leaf, packed by hand on the quay since 1987.' },
  announcement: 'Free shipping within Europe until Sunday.',
  hero: { heading: 'Tea that tastes of where it grew', image },
  about:
    '<p>We buy from <b>eleven gardens</b> that we visit every spring.</p><ul><li>No blends</li><li>Packed the day it is sent</li></ul>',
  links: [{ label: 'Journal', url: 'https://journal.example/' }],
  footer: 'Harbour Tea Ltd, Quay 4, Bergen.',
})

const foulStore = async (css: string) => {
  const key = await walletHolder(app)
  await asksEverything(app, key, MARKUP.slice(0, 70))
  await changeSettings(app, await resourceOf(key), {
    branding: { brandName: MARKUP.slice(0, 60), color1: '#ffffff', color2: '#fefefe', color3: '#fffffe' },
  })
  const saved = await save(key, `${'W'.repeat(99)} ${RTL} ${MARKUP}`.slice(0, 200), `${MARKUP} ${'x'.repeat(1_000)}`)
  const { id } = (
    await ok(
      app.call('POST', '/v1/site?resource=templates', {
        key,
        body: { name: 'foul', base_theme: 'plain', chrome: FOUL, css, layout: { sections: SECTIONS } },
      }),
    )
  ).json
  await ok(app.call('POST', `/v1/site?resource=templates&action=apply&id=${id}`, { key }))
  const pitch = { headline: MARKUP.slice(0, 120), subline: MARKUP.slice(0, 300), body: MARKUP, accepts_offers: true }
  const [store, offered] = [await storeOf(saved.id), await lander(key, saved.id, 'spotlight', pitch)]
  return { store, product: saved.path, lander: offered }
}

const RTL = '\u202eمتجر\u2066 שלום'
const MARKUP = [
  '</title></style></textarea><script>hacked=1</script><svg/onload="hacked=1"><img src=x onerror="hacked=1">',
  '<iframe src="https://evil.example/"></iframe><base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/"><a href="javascript:hacked=1">x</a>',
  '<form action="https://evil.example/"><button>Pay</button></form><link rel="stylesheet" href="https://evil.example/a.css">',
  '<math><mtext><table><mglyph><style><img src=x onerror=hacked=1></style></table></mtext></math><p style="position:fixed">{{7*7}}',
  `\${hacked=1} {{constructor.constructor('hacked=1')()}} <%= hacked %> #{hacked}`,
].join('')

const FOUL = {
  ...{ title: (RTL + 'W'.repeat(120)).slice(0, 120), tagline: MARKUP.slice(0, 300), announcement: 'A'.repeat(300) },
  hero: { heading: MARKUP.slice(0, 120), text: 'x'.repeat(600) },
  ...{ about: MARKUP + '<h1>'.repeat(500), footer: MARKUP.slice(0, 500) },
  links: [{ label: 'L'.repeat(60), url: 'https://elsewhere.example/' }],
}
const SECTIONS = [
  'hero',
  { type: 'text', heading: 'T'.repeat(120), html: MARKUP },
  'featured',
  'products',
  'about',
  'links',
]

const CSS = `
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

const save = async (key: string, title: string, description: string): Promise<{ id: number; path: string }> => {
  const body = { title, description, price: 48 }
  const { checkout } = (await ok(app.call('POST', '/v1/checkouts', { key, body }))).json
  return { id: checkout.id, path: new URL(checkout.url).pathname }
}

const resourceOf = async (key: string): Promise<string> =>
  (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 1 } }))).json.res_id

/** The page of the store that sells something, once it shows. */
const storeOf = async (checkoutId: number | undefined): Promise<string> => {
  const [created] = await saidOf(app, 'CheckoutCreated', `checkout-${checkoutId}`)
  const at = `/shop/${shopHandle(created?.accountId ?? '', 1)}`
  await eventually('the store', async () => (await look(app, at)).text.includes('class="cards'))
  return at
}

/** A picture of the seller's own; answers its URL. */
const uploaded = async (key: string): Promise<string> => {
  const drawn =
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect width="900" height="600" fill="#b9cfc4"/><circle cx="450" cy="330" r="180" fill="#3f7a63"/><rect x="300" y="120" width="300" height="90" fill="#1f4a3a"/></svg>'
  const form = new FormData()
  form.set('file', new Blob([await sharp(Buffer.from(drawn)).png().toBuffer()], { type: 'image/png' }), 'tea.png')
  const at = `${app.served().origin}/v1/site?resource=assets`
  const answer = await fetch(at, { method: 'POST', headers: { 'x-api-key': key }, body: form })
  return ((await answer.json()) as { url: string }).url
}
