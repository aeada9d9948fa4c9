import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, looked, openPage, startBrowser } from '../support/browser.ts'
import { fillAccount } from '../support/busy-account.ts'
import { chromiumPath } from '../support/chromium.ts'
import { PASSWORD } from '../support/dashboard.ts'
import { cases } from '../support/depth.ts'
import { sell, shop, transactionOf, webhookLog } from '../support/sale.ts'

/** The first page of the dashboard in a real browser, on a phone and on a desk, by day and by night. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const COINS = 7

let app: TestApp
let browser: Browser
test.before(async () => {
  if (!path) return
  app = await startApp()
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

const signedIn = async (email: string, options: BrowserContextOptions) => {
  const context = await browser.newContext(options)
  const { page, wrong } = await openPage(context)
  await page.goto(`${app.served().origin}/dashboard/sign-in`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('#overview').waitFor()
  return { context, page, wrong }
}

/** Bars that are seen, in the colours of the look. */
const bars = (page: Page) =>
  page.locator('.chart rect').evaluateAll((all) => {
    const { getComputedStyle } = globalThis as unknown as { getComputedStyle(of: unknown): { fill: string } }
    return all.map((each) => getComputedStyle(each).fill)
  })

inBrowser('N-83 a seller with many sales sees what was sold, by day and coin, on any screen', async (t) => {
  const s = await shop(app)
  app.receiver.answer.status = 500
  const { offer } = await sell(app, s)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  await webhookLog(app, s.key, id)
  app.receiver.answer.status = 200
  await fillAccount(app.databaseUrl, 200, COINS)
  for (const { name, options } of cases(allLooks, 3)) {
    const { context, page, wrong } = await signedIn(s.email, options)
    await looked(t, page, `home-week-${name}`)
    await page.getByRole('link', { name: '30 days' }).click()
    await page.getByRole('link', { name: '30 days', exact: true }).and(page.locator('[aria-current]')).waitFor()
    await looked(t, page, `home-month-${name}`)
    const colours = new Set(await bars(page))
    t.is(colours.size, 5, 'four coins and the others')
    await drawn(t, page)
    await page.getByText('The numbers as a table').click()
    t.is(await page.locator('.chart tbody tr').count(), 30)
    await looked(t, page, `home-table-${name}`)
    await page.getByRole('link', { name: 'Today' }).click()
    await looked(t, page, `home-today-${name}`)
    await page.getByRole('link', { name: `Payment ${id}` }).click()
    await page.getByRole('heading', { name: 'What you can do' }).waitFor()
    t.deepEqual(wrong, [], name)
    await context.close()
  }
})

/** The highest bar reaches the top of the chart, and none is above it. */
const drawn = async (t: ExecutionContext, page: Page) => {
  const tops = await page.locator('.chart rect').evaluateAll((all) => all.map((each) => Number(each.getAttribute('y'))))
  t.true(Math.min(...tops) >= -1 && Math.min(...tops) <= 1, `the highest is at ${Math.min(...tops)}`)
}

inBrowser('N-83 a sale shows by itself, at most every ten seconds, and without script after a look', async (t) => {
  const s = await shop(app, { webhook: false })
  for (const javaScriptEnabled of [true, false]) {
    const { context, page, wrong } = await signedIn(s.email, { javaScriptEnabled, reducedMotion: 'reduce' })
    const readings: number[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') readings.push(performance.now())
    })
    const before = (await page.locator('.figure .value').first().textContent()) ?? ''
    await sell(app, s)
    if (javaScriptEnabled) await page.locator('.figure .value', { hasText: '$100.00' }).first().waitFor()
    else await page.reload()
    const after = (await page.locator('.figure .value').first().textContent()) ?? ''
    t.deepEqual([before, after], javaScriptEnabled ? ['$0.00', '$100.00'] : ['$200.00', '$300.00'])
    t.deepEqual(wrong, [])
    if (javaScriptEnabled) await seldomRead(t, page, readings, () => sell(app, s))
    await context.close()
  }
})

/** Ten seconds lie between two readings, however much is sold; less what a timer and the network may take. */
const seldomRead = async (
  t: ExecutionContext,
  page: Page,
  readings: readonly number[],
  more: () => Promise<unknown>,
) => {
  await more()
  await page.locator('.figure .value', { hasText: '$200.00' }).first().waitFor()
  const gaps = readings.slice(1).map((at, n) => at - (readings[n] ?? 0))
  t.true(readings.length >= 2 && Math.min(...gaps) > 9_000, String(gaps))
}

inBrowser('N-83 Home and the way to buy credit speak German to who asks for it', async (t) => {
  const s = await shop(app, { amount: 2_000, webhook: false })
  await sell(app, s)
  for (const { name, options } of cases(allLooks, 4)) {
    const { context, page } = await signedIn(s.email, options)
    const german = await browser.newContext({ ...options, locale: 'de-DE', storageState: await context.storageState() })
    const { page: seite, wrong } = await openPage(german)
    await seite.goto(`${app.served().origin}/dashboard`)
    t.true(await seite.getByText('Das Guthaben geht zu Ende.').isVisible())
    t.true(await seite.getByText('2.000,00').first().isVisible())
    await looked(t, seite, `home-de-${name}`)
    await seite.getByRole('link', { name: 'Guthaben kaufen' }).first().click()
    await looked(t, seite, `top-up-de-${name}`)
    t.deepEqual(wrong, [], name)
    await page.close()
    await german.close()
    await context.close()
  }
})
