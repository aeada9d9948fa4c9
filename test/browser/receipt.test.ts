import test from 'ava'
import type { Browser } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, looks, movedByScript, openPage, shoot, startBrowser } from '../support/browser.ts'
import { choose, payPage, requestOf } from '../support/buyer.ts'
import { chromiumPath } from '../support/chromium.ts'
import { letterTo } from '../support/people.ts'
import { shop } from '../support/sale.ts'
import { freshEmail } from '../support/seller.ts'

/** A receipt in the language of its buyer, on the screen and on paper. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
/** Longer than the watch of the chain takes to see a payment. */
const SEEN_MS = 20_000

let app: TestApp
let browser: Browser
test.before(async () => {
  if (!path) return
  app = await startApp({ chainId: 1 })
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

for (const { name, options } of looks)
  inBrowser(
    `N-81 N-176 ${name}: who reads German pays in German, and prints a receipt that has nothing to press`,
    async (t) => {
      const s = await shop(app)
      const door = await requestOf(app, s, { amount: 48, title: 'Assam', note: 'Zwei Pfund' })
      const context = await browser.newContext({ ...options, locale: 'de-DE' })
      t.teardown(() => context.close())
      const { page, wrong } = await openPage(context)
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).origin))
      await page.goto(`${app.served().origin}${door}`)
      t.deepEqual(await barriers(page), [])
      await page.getByRole('link', { name: /Ether im Netzwerk Ethereum/ }).click()
      await page.getByText('Wir warten auf Ihre Zahlung').waitFor()
      t.regex((await page.locator('[data-left]').textContent()) ?? '', /^\d+:\d\d Min\.$/)
      t.deepEqual(await barriers(page), [])
      t.is(await movedByScript(page), 0)
      await shoot(page, `german-pay-${name}`)
      await payPage(app, new URL(page.url()).pathname + new URL(page.url()).search)
      await app.anvil.mine(6)
      await page.getByRole('heading', { name: 'Bezahlt', exact: true }).waitFor({ timeout: SEEN_MS })
      t.is(await page.title(), 'Bezahlt – Verkäufer ohne Namen')
      t.deepEqual(await barriers(page), [])
      t.is(await movedByScript(page), 0)
      await shoot(page, `german-paid-${name}`)
      const to = freshEmail()
      await page.getByLabel('E-Mail-Adresse').fill(to)
      await page.getByRole('button', { name: 'Quittung senden' }).click()
      await page.getByText('Wenn unter dieser Adresse jemand Post liest').waitFor()
      t.deepEqual(await barriers(page), [])
      await shoot(page, `german-mailed-${name}`)
      t.regex(await letterTo(app, to, 'Ihre Quittung von Verkäufer ohne Namen'), /^Assam|Assam$/m)
      await page.evaluate('globalThis.print = () => { globalThis.printed = true }')
      await page.getByRole('button', { name: 'Quittung drucken' }).click()
      t.true(await page.evaluate('globalThis.printed'))
      await page.emulateMedia({ media: 'print' })
      for (const pressed of await page.locator('button, form, .receipt a').all()) t.false(await pressed.isVisible())
      t.true(await page.getByText('Belegnummer').isVisible())
      await shoot(page, `german-print-${name}`)
      t.deepEqual([...new Set(asked)], [app.served().origin], 'nobody else is asked for anything')
      t.deepEqual(wrong, [])
    },
  )

test('N-81 the pages of buyers are small', async (t) => {
  if (!path) return t.pass()
  const s = await shop(app)
  const { text } = await app.call('GET', await choose(app, `/r/${s.resId}`, 'eth'), {
    headers: { accept: 'text/html' },
  })
  const files = ['daybook.css', 'pay.css', 'pay.js', 'wallet.js']
  const sizes = await Promise.all(files.map(async (name) => (await app.call('GET', `/assets/${name}`)).text.length))
  t.true(sizes.reduce((sum, size) => sum + size, text.length) < PAGE_BYTES_MAX)
})
/** Bytes of a page with its styles and scripts, as they are served. */
const PAGE_BYTES_MAX = 60_000
