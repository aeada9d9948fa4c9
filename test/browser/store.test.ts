import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { CSS, FOUL, FOUL_FIELDS, MARKUP, RTL, SECTIONS } from '../support/foul-site.ts'
import { ok } from '../support/seller.ts'
import { brand, type OnSale, putOnLander, putOnSale, storeOf } from '../support/storefront.ts'
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

inBrowser('S-FLD-04 who goes back from paying to a form that was refused before finds it there', async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(app.served().origin + fair.product)
  const code = page.locator('input[name=discount_code]')
  const answer = async () => {
    for (const text of await page.locator('.buying :is(input[type=text]:not([name=discount_code]), textarea)').all())
      await text.fill('Ada')
    for (const box of await page.locator('.buying input[type=checkbox]').all()) await box.check()
    for (const list of await page.locator('.buying select').all()) await list.selectOption({ index: 1 })
    await page.locator('.buying button').click()
  }
  await code.fill('nothing')
  await answer()
  t.regex((await page.locator('.wrong').textContent()) ?? '', /not known here/)
  await code.fill('')
  await answer()
  await page.waitForURL(/\/id\/pr_/)
  await page.goBack()
  t.is(await code.inputValue(), 'nothing')
})

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
  await brand(app, key, { brandName: 'Harbour Tea', color1: '#123a6b', color2: '#ffcc66' })
  const image = await uploaded(key)
  await ok(app.call('PUT', '/v1/site', { key, body: { chrome: chromeWith(image), layout: 'classic' } }))
  const saved = [] as unknown as [OnSale, OnSale, OnSale, OnSale]
  for (const title of TEAS) saved.push(await save(key, title, LEAF))
  const [product, ...landed] = saved
  await asking(key, FIELDS)
  const pitch = { ...PITCH, accepts_offers: true }
  const [spotlight, split, story] = [
    await putOnLander(app, key, landed[0], { tpl: 'spotlight', ...pitch, image }),
    await putOnLander(app, key, landed[1], { tpl: 'split', ...pitch }),
    await putOnLander(app, key, landed[2], { tpl: 'story', ...PITCH }),
  ]
  const landers = { spotlight: spotlight.path, split: split.path, story: story.path }
  return { product: product.path, ...landers, store: await storeOf(app, product), missing: '/shop/aaaaaaaaaaaa' }
}

const TEAS = [
  'Darjeeling, second flush, from the garden of the year',
  'Assam',
  'Lapsang',
  'Iron pot, 0.8 litres',
  'Gift card',
]
const LEAF = `Whole leaf, picked in June.\n\nTwo pounds in a tin, sent the next day.\nUnbroken:${'x'.repeat(80)}`

/** What the seller asks of who buys, and a code that lowers the price. */
const asking = async (key: string, fields: readonly object[]) => {
  for (const body of fields) await ok(app.call('POST', '/v1/custom-fields', { key, body }))
  await ok(app.call('POST', '/v1/discount-codes', { key, body: { code: 'HARBOUR', multiplier: 0.8 } }))
}

const FIELDS = [
  { type: 'text', label: 'Name on the tin', required: true },
  { type: 'select', label: 'Grind', options: ['Whole leaf', 'Fine'] },
  { type: 'textarea', label: 'A word to us' },
  { type: 'checkbox', label: 'I have read the terms, and that tea is sold by weight', required: true },
]

const PITCH = {
  headline: 'The tin that lasts a winter',
  subline: 'Two pounds of second flush, from one garden and one week in June.',
  body: '<h3>What is in it</h3><p>Whole leaf, never broken. We taste forty lots and buy two.</p><ul><li>Sent the next day</li></ul>',
}

const chromeWith = (image: string) => ({
  title: 'Harbour Tea',
  tagline: 'Single-garden leaf, packed by hand on the quay since 1987.',
  announcement: 'Free shipping within Europe until Sunday.',
  hero: { heading: 'Tea that tastes of where it grew', image },
  about:
    '<p>We buy from <b>eleven gardens</b> that we visit every spring.</p><ul><li>No blends</li><li>Packed the day it is sent</li></ul>',
  links: [{ label: 'Journal', url: 'https://journal.example/' }],
  footer: 'Harbour Tea Ltd, Quay 4, Bergen.',
})

const foulStore = async (css: string) => {
  const key = await walletHolder(app)
  await brand(app, key, { brandName: MARKUP.slice(0, 60), color1: '#ffffff', color2: '#fefefe', color3: '#fffffe' })
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
  await asking(key, FOUL_FIELDS)
  const pitch = { headline: MARKUP.slice(0, 120), subline: MARKUP.slice(0, 300), body: MARKUP, accepts_offers: true }
  const [store, offered] = [
    await storeOf(app, saved),
    await putOnLander(app, key, saved, { tpl: 'spotlight', ...pitch }),
  ]
  return { store, product: saved.path, lander: offered.path }
}

const save = (key: string, title: string, description: string) => putOnSale(app, key, { title, description, price: 48 })

/** A picture of the seller's own; answers its URL. */
const uploaded = async (key: string): Promise<string> => {
  // Drawn without SVG, which the product forbids in its process as soon as it has read a picture.
  const area = (width: number, height: number, background: string) => ({
    create: { width, height, channels: 3 as const, background },
  })
  const drawn = sharp(area(900, 600, '#b9cfc4')).composite([
    { input: area(360, 360, '#3f7a63'), left: 270, top: 150 },
    { input: area(300, 90, '#1f4a3a'), left: 300, top: 120 },
  ])
  const form = new FormData()
  form.set('file', new Blob([await drawn.png().toBuffer()], { type: 'image/png' }), 'tea.png')
  const at = `${app.served().origin}/v1/site?resource=assets`
  const answer = await fetch(at, { method: 'POST', headers: { 'x-api-key': key }, body: form })
  return ((await answer.json()) as { url: string }).url
}
