import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, type Look, looked, openPage, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { PASSWORD } from '../support/dashboard.ts'
import { cases } from '../support/depth.ts'
import { virtualAuthenticator } from '../support/passkey.ts'
import { letterTo } from '../support/people.ts'
import { activeSeller, freshAddress, ok } from '../support/seller.ts'

/** A member's passkey in a real browser: made, signed in with, and asked for again; and the account closed by it. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const FRESH_MS = 5 * 60_000

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

const chosen = allLooks.filter((look) => /phone-light|desktop-dark/.test(look.name))
for (const { name, options } of cases(chosen, 2))
  inBrowser(
    `N-82 N-91 N-176 a member makes a passkey, signs in and confirms with it, and closes the account (${name})`,
    async (t) => {
      const { key, email } = await activeSeller(app)
      await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
      const context = await browser.newContext({ ...options, locale: 'en-US' })
      // The device picks what is offered by itself; here it is asked by buttons.
      await context.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
      const { page, wrong } = await openPage(context)
      const { recognises } = await virtualAuthenticator(page)
      await signsIn(page, email)
      await addsPasskey(page, email)
      await signsOut(page)
      await goTo(page, '/dashboard/sign-in')
      await press(page, 'Sign in with a passkey')
      await page.waitForURL('**/dashboard')
      await confirms(t, page, recognises, name)
      await seesSettings(t, browser, context, { name, options })
      await closes(t, page, email, name)
      // The browser notes that the last page was answered 403, as it has to be.
      t.deepEqual(
        wrong.filter((each) => !/status of 403/.test(each)),
        [],
      )
      await context.close()
    },
  )

const goTo = (page: Page, to: string) => page.goto(app.served().origin + to)
const press = (page: Page, button: string) => page.getByRole('button', { name: button, exact: true }).click()

const signsIn = async (page: Page, email: string) => {
  await goTo(page, '/dashboard/sign-in')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Sign in')
  await page.waitForURL('**/dashboard')
}

const signsOut = async (page: Page) => {
  await goTo(page, '/dashboard/menu')
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
}

const addsPasskey = async (page: Page, email: string) => {
  await goTo(page, '/dashboard/security/enrol')
  await page.getByLabel('Your password').fill(PASSWORD)
  await press(page, 'Continue')
  const code = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
  await page.getByLabel('Code').fill(code)
  await press(page, 'Continue')
  await page.getByLabel('Name of this device').fill('Laptop')
  await press(page, 'Add a passkey')
  await page.getByRole('link', { name: 'I have kept them' }).click()
}

/** A page that asks for a fresh proof takes it by the passkey, from a device that recognises its owner alone. */
const confirms = async (
  t: ExecutionContext,
  page: Page,
  recognises: (isUserVerified: boolean) => Promise<unknown>,
  name: string,
) => {
  shift += FRESH_MS + 1_000
  await goTo(page, '/dashboard/wallets/address')
  t.is(new URL(page.url()).pathname, '/dashboard/confirm')
  await looked(t, page, `member-confirm-${name}`)
  await recognises(false)
  await press(page, 'Use your passkey')
  await page.locator('[data-passkey-said]:visible, .problem:visible').first().waitFor()
  t.is(new URL(page.url()).pathname, '/dashboard/confirm')
  await recognises(true)
  await press(page, 'Use your passkey')
  await page.waitForURL('**/dashboard/wallets/address')
}

/** The pages of a member, in German on the phone; and the time zone is chosen from the list. */
const seesSettings = async (t: ExecutionContext, browser: Browser, signedIn: BrowserContext, look: Look) => {
  const locale = look.name.startsWith('phone') ? 'de-DE' : 'en-US'
  const context = await browser.newContext({ ...look.options, locale, storageState: await signedIn.storageState() })
  const { page, wrong } = await openPage(context)
  for (const to of [
    '/',
    '/dashboard/wallets',
    '/dashboard/settings',
    '/dashboard/forgot',
    '/dashboard/settings/close',
  ]) {
    await goTo(page, to)
    await looked(t, page, `member${to.replaceAll('/', '-')}-${look.name}`)
    t.is(await page.locator('html').getAttribute('lang'), locale.slice(0, 2), to)
  }
  await goTo(page, '/dashboard/settings')
  const zone = page.locator('select[name="time_zone"]')
  await zone.selectOption('Asia/Tokyo')
  await zone.locator('xpath=ancestor::form').getByRole('button').click()
  await page.waitForURL('**/dashboard/settings?done=zone')
  t.is(await zone.inputValue(), 'Asia/Tokyo')
  t.deepEqual(wrong, [])
  await context.close()
}

const closes = async (t: ExecutionContext, page: Page, email: string, name: string) => {
  await goTo(page, '/dashboard/settings')
  await page.getByRole('link', { name: 'Close the account' }).click()
  await looked(t, page, `member-close-${name}`)
  await page.getByLabel('Your email address').fill(email)
  await press(page, 'Close the account for good')
  await page.getByRole('heading', { name: 'The account is closed' }).waitFor()
  await looked(t, page, `member-closed-${name}`)
  await goTo(page, '/dashboard/sign-in')
  await press(page, 'Sign in with a passkey')
  await page.getByRole('heading', { name: 'This account is closed' }).waitFor()
}
