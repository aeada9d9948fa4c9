import test, { type ExecutionContext } from 'ava'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, looked, looks, openPage, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { letterTo, linkTo } from '../support/people.ts'
import { freshEmail } from '../support/seller.ts'

/** A seller from sign-up to a sign-in with a second step, in a real browser, and every page on the way. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const PASSWORD = 'a difference engine'

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

inBrowser('N-82 a seller signs up, confirms the letter, adds an app and signs in with it', async (t) => {
  for (const { name, options } of cases(looks, 2)) {
    const context = await browser.newContext(options)
    const { page, wrong } = await openPage(context)
    const email = freshEmail()
    const go = (to: string) => page.goto(app.served().origin + to)
    const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click()
    await go('/dashboard/sign-up')
    await looked(t, page, `dashboard-sign-up-${name}`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Create the account')
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    await looked(t, page, `dashboard-new-account-${name}`)
    await go(await linkTo(app, email, 'Confirm your email address'))
    await signIn(page, email)
    await page.getByRole('heading', { name: `Hello, ${email}` }).waitFor()
    await looked(t, page, `dashboard-home-${name}`)
    await go('/dashboard/security')
    await looked(t, page, `dashboard-security-${name}`)
    await page.getByRole('link', { name: 'Add a second step' }).click()
    await page.getByLabel('Your password').fill(PASSWORD)
    await press('Continue')
    const code = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
    await page.getByLabel('Code').fill(code)
    await press('Continue')
    await page.getByText('Type it in by hand').click()
    await looked(t, page, `dashboard-enrol-${name}`)
    const secret = Secret.fromBase32(((await page.locator('.secret code').textContent()) ?? '').replaceAll(' ', ''))
    const totp = () => new TOTP({ secret }).generate({ timestamp: Date.now() + shift })
    await page.getByLabel('Code from the app').fill(totp())
    await press('Add the app')
    await looked(t, page, `dashboard-codes-${name}`)
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await go('/dashboard/menu')
    await looked(t, page, `dashboard-menu-${name}`)
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await looked(t, page, `dashboard-signed-out-${name}`)
    await signIn(page, email)
    await looked(t, page, `dashboard-second-step-${name}`)
    shift += 31_000
    await page.getByLabel('Code from your authenticator app').fill(totp())
    await press('Continue')
    await page.getByRole('heading', { name: `Hello, ${email}` }).waitFor()
    t.deepEqual(wrong, [], name)
    await lookedEverywhere(t, context)
    await context.close()
  }
})

inBrowser('N-82 the dashboard speaks German to who asks for it', async (t) => {
  const context = await browser.newContext({ locale: 'de-CH' })
  const { page } = await openPage(context)
  await page.goto(`${app.served().origin}/dev/parts`)
  t.is(await page.locator('html').getAttribute('lang'), 'de')
  t.true(await page.getByText('Anzeigen', { exact: true }).isVisible())
  await context.close()
})

const signIn = async (page: Page, email: string) => {
  await page.goto(`${app.served().origin}/dashboard/sign-in`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const SCREENS = [
  '/dashboard',
  '/dashboard/payments',
  '/dashboard/products',
  '/dashboard/products?new=1',
  '/dashboard/import-products',
  '/dashboard/unmatched',
  '/dashboard/till',
  '/dashboard/till/products',
  '/dashboard/till/sales',
  '/dashboard/wallets',
  '/dashboard/developers',
  '/dashboard/developers/keys',
  '/dashboard/developers/webhooks',
  '/dashboard/developers/requests',
  '/dashboard/activity',
  '/dashboard/settings',
  '/dashboard/team',
  '/dashboard/security',
  '/dashboard/security/devices',
  '/dev/parts',
]

/** Each screen of whoever is signed in: a phone by day and a desk by night, and in the deep run the other two. */
const lookedEverywhere = async (t: ExecutionContext, signedIn: BrowserContext) => {
  for (const { name, options } of cases(allLooks, 3)) {
    const context = await browser.newContext({ ...options, storageState: await signedIn.storageState() })
    const { page, wrong } = await openPage(context)
    for (const screen of SCREENS) {
      await page.goto(app.served().origin + screen)
      await looked(t, page, `screen${screen.replaceAll(/[/?=]/g, '-')}-${name}`)
    }
    t.deepEqual(wrong, [], name)
    await context.close()
  }
}
