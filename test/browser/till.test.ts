import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, looked, openPage, scanned, startBrowser } from '../support/browser.ts'
import { choose, payPage } from '../support/buyer.ts'
import { chromiumPath } from '../support/chromium.ts'
import { PASSWORD } from '../support/dashboard.ts'
import { type Shop, shop } from '../support/sale.ts'
import { ok } from '../support/seller.ts'

/** The till as a seller has it: a phone at the counter. */

const MINUTE_MS = 60_000
const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const phone = allLooks.find(({ name }) => name === 'phone-light')?.options

/** The clock of the service; the chain keeps its own. */
let shift = 0
let app: TestApp
let browser: Browser
test.before(async () => {
  if (!path) return
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

/** Tells the test of each note that a page plays. */
const HEARING = `{
  const { createOscillator } = AudioContext.prototype
  AudioContext.prototype.createOscillator = function () {
    heard()
    return createOscillator.call(this)
  }
}`
const NOTES = 2

const becomes = (page: Page, state: string) => page.locator(`#sale [data-state=${state}]`).waitFor()

const pressed = async (page: Page, keys: string) => {
  for (const key of keys) await page.locator(`[data-key="${key}"]`).click()
}

const buyersPathOf = (page: Page): string => `/id/${page.url().split('/').at(-1)}`

/** Charges what is typed. @returns the path on which the buyer pays */
const charged = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Charge' }).click()
  await becomes(page, 'waiting')
  return buyersPathOf(page)
}

const paid = async (page: Page, buyersPath: string) => {
  await payPage(app, await choose(app, buyersPath, 'eth'))
  await app.anvil.mine(6)
  await becomes(page, 'paid')
}

const next = (page: Page) => page.getByRole('link', { name: 'Next sale' }).click()

inBrowser(
  'N-107 a day at the till: ten sales, of which one is short, one late, one sold out and one offline',
  async (t) => {
    const s = await shop(app)
    const context = await browser.newContext({ ...phone, locale: 'en-US' })
    let notes = 0
    await context.exposeFunction('heard', () => notes++)
    await context.addInitScript(HEARING)
    const { page, wrong } = await openPage(context)
    await page.goto(`${app.served().origin}/dashboard/sign-in?next=/dashboard/till`)
    await page.getByLabel('Email address').fill(s.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await first(t, page)
    // The keys of a real keyboard type on the keypad.
    for (const amount of ['3', '4.20', '5,75', '18']) {
      await page.locator('h1').click()
      await page.keyboard.type(amount)
      await paid(page, await charged(page))
      await next(page)
    }
    await short(t, page)
    await late(page)
    await soldOut(t, page, s)
    await offline(t, page)
    await pressed(page, '9')
    await paid(page, await charged(page))
    t.is(notes, 10 * NOTES)
    t.deepEqual(
      wrong.filter((each) => !/ERR_INTERNET_DISCONNECTED|422/.test(each)),
      [],
    )
    await context.close()
  },
)

/** Typed on the keypad; its code is read as a camera does, and so is that of the receipt. */
const first = async (t: ExecutionContext, page: Page) => {
  await pressed(page, '12.5')
  await looked(t, page, 'till-keypad')
  const buyersPath = await charged(page)
  t.is(await scanned(page), app.served().origin + buyersPath)
  await looked(t, page, 'till-waiting')
  await paid(page, buyersPath)
  t.regex((await scanned(page)) ?? '', /\/id\/pr_\w+\?challenge=/)
  await looked(t, page, 'till-paid')
  await next(page)
}

/** Half of it comes, and then the rest. A part is taken once its address was shown for two blocks. */
const short = async (t: ExecutionContext, page: Page) => {
  shift = -2 * MINUTE_MS
  await pressed(page, '100')
  const offer = await choose(app, await charged(page), 'eth')
  shift = 0
  await payPage(app, offer, { by: 1n, of: 2n })
  await app.anvil.mine(6)
  await becomes(page, 'underpaid')
  await looked(t, page, 'till-underpaid')
  await payPage(app, offer)
  await app.anvil.mine(6)
  await becomes(page, 'paid')
  await next(page)
}

/** Its time is up, and it is asked for again by one tap. */
const late = async (page: Page) => {
  await pressed(page, '20')
  await charged(page)
  shift = 16 * MINUTE_MS
  await becomes(page, 'expired')
  shift = 0
  await page.getByRole('button', { name: 'Ask again' }).click()
  await becomes(page, 'waiting')
  await paid(page, buyersPathOf(page))
  await next(page)
}

/** One cup is sold, and the last one goes to somebody else while it is typed. */
const soldOut = async (t: ExecutionContext, page: Page, { key }: Pick<Shop, 'key'>) => {
  const product = { title: 'Cup', price: 9.5, currency: 'USD', stock: 2 }
  const { checkout } = (await ok(app.call('POST', '/v1/checkouts', { key, body: product }))).json
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByLabel(/^Cup/).fill('1')
  await looked(t, page, 'till-products')
  await paid(page, await charged(page))
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByLabel(/^Cup.*1 left/).fill('1')
  const last = { items: [{ id: checkout.slug, quantity: 1 }] }
  await ok(app.call('POST', '/v1/payment-requests', { key, body: last }))
  await page.getByRole('button', { name: 'Charge' }).click()
  await page.getByText('There is no piece left of "Cup".').waitFor()
  await page.getByRole('link', { name: 'Keypad' }).click()
}

/** Without a network nothing is offered, and what was typed stays until it is back. */
const offline = async (t: ExecutionContext, page: Page) => {
  await eventually('the service worker', () => page.evaluate('navigator.serviceWorker.controller !== null'))
  await pressed(page, '7.25')
  await page.context().setOffline(true)
  await page.getByText('no sale can be made').waitFor()
  t.true(await page.getByRole('button', { name: 'Charge' }).isDisabled())
  await page.reload()
  await page.getByText('You are offline. No sale can be made').waitFor()
  t.is(await page.getByLabel('Amount').inputValue(), '7.25')
  t.false(await page.locator('.qr').isVisible())
  await looked(t, page, 'till-offline')
  await page.context().setOffline(false)
  await page.getByLabel('Amount in USD').waitFor()
  t.is(await page.getByLabel('Amount in USD').inputValue(), '7.25')
  await paid(page, await charged(page))
  await next(page)
}
