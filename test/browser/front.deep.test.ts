import test from 'ava'
import type { Browser } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'

/** The page at the origin, as whoever types the address sees it. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip

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

for (const { name, options } of looks)
  inBrowser(`${name}: the page at the origin keeps nobody out, runs no script and fits`, async (t) => {
    const context = await browser.newContext({ ...options, javaScriptEnabled: true })
    t.teardown(() => context.close())
    const { page, wrong } = await openPage(context)
    await page.goto(`${app.served().origin}/`)
    await shoot(page, `front-${name}`)
    t.is(await page.locator('h1').count(), 1)
    t.is(await page.locator('script').count(), 0)
    t.is(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      0,
      'it runs over to the side',
    )
    t.deepEqual(await barriers(page), [])
    t.deepEqual(wrong, [])
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    t.is(new URL(page.url()).pathname, '/sign-in')
  })
