import test from 'ava'
import type { Browser } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, CLIPBOARD, copyTwice, looked, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { PASSWORD } from '../support/dashboard.ts'
import { sell, shop } from '../support/sale.ts'

/** The screens of developers in a real browser: without script, and with it. */

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

const used = allLooks.filter(({ name }) => name === 'phone-light' || name === 'desktop-dark')

inBrowser(
  'N-101 a developer makes a key for one network, looks at webhooks and at requests, and replaces the owner key',
  async (t) => {
    const s = await shop(app, { amount: 3 })
    await sell(app, s)
    for (const [n, { name, options }] of used.entries()) {
      const hasScript = n === 1
      const context = await browser.newContext({ ...options, javaScriptEnabled: hasScript, permissions: CLIPBOARD })
      const { page, wrong } = await openPage(context)
      const see = (what: string) =>
        hasScript ? looked(t, page, `developers-${what}-${name}`) : shoot(page, `developers-${what}-${name}`)
      const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click()
      await page.goto(`${app.served().origin}/dashboard/sign-in?next=/dashboard/developers`)
      await page.getByLabel('Email address').fill(s.email)
      await page.getByLabel('Password').fill(PASSWORD)
      await press('Sign in')
      await page.getByRole('heading', { name: 'Developers' }).waitFor()
      await see('home')
      await page.getByRole('link', { name: 'Keys with fewer rights' }).click()
      await page.getByText('Make a sandbox key').first().click()
      const form = page.locator('form', { has: page.locator('#row-sandbox-networks') })
      await form.getByLabel('Name').fill(`key ${n}`)
      await form.getByLabel('Ends').fill('2126-01-02T03:04')
      await form.getByLabel('Networks').fill('203.0.113.0/24')
      await press('Make a sandbox key')
      const key = (await page.locator('#main code.long').first().textContent()) ?? ''
      t.is(await page.getByRole('button', { name: /^Copy/ }).count(), hasScript ? 1 : 0, 'a button that needs script')
      if (hasScript) await copyTwice(t, page, 'button[data-copy]', key)
      const { json } = await app.call('GET', '/v1/resources', { key })
      t.is(json.error_code, 'svc_network_refused')
      await see('keys')
      await page.goto(`${app.served().origin}/dashboard/developers/webhooks`)
      await page.getByText('What was sent').first().click()
      await page.getByRole('checkbox').first().check()
      await press('Send the chosen ones again')
      await page.getByText('1 webhook is on its way again.').waitFor()
      await see('webhooks')
      await page.goto(`${app.served().origin}/dashboard/developers/requests`)
      await page.getByLabel('Status').selectOption('4xx')
      await press('Show')
      await page.getByText('GET /v1/resources').first().waitFor()
      await see('requests')
      await page.goto(`${app.served().origin}/dashboard/developers`)
      await page.getByLabel('Password of the account').fill(PASSWORD)
      await press('Replace the owner key')
      await page.getByText('Everybody was signed out.').waitFor()
      await see('owner-key')
      t.deepEqual(wrong, [], name)
      await context.close()
    }
  },
)
