import test, { type ExecutionContext } from 'ava'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, looked, movedByScript, openPage, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { letterTo, linkTo } from '../support/people.ts'
import { freshAddress, freshEmail } from '../support/seller.ts'

/** The path of a first-time merchant, in a real browser: from nothing to a test sale that settles before their eyes. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const PASSWORD = 'a difference engine'
const CLICKS_MAX = 40

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

const chosen = allLooks.filter((look) => /phone-light|desktop-dark/.test(look.name))
for (const { name, options } of cases(chosen, 2))
  inBrowser(`N-82 a first-time merchant makes a test sale by the screen alone (${name})`, async (t) => {
    const context = await browser.newContext(options)
    const { page, wrong } = await openPage(context)
    const email = freshEmail()
    const clicks = counted(page)
    await signsUp(page, email, clicks)
    await ticked(t, page, 'email')
    await clicks.link('Add a coin')
    await addsWallet(page, clicks)
    await clicks.link('First steps')
    await ticked(t, page, 'wallet')
    await page.getByLabel('What you sell (optional)').fill('Green tea')
    await page.getByLabel('Price', { exact: true }).fill('12.50')
    await clicks.button('Set the price')
    await ticked(t, page, 'price')
    const isPhone = name.startsWith('phone')
    if (isPhone) await clicks.button('Use the built-in receiver')
    else await savesWebhook(page, clicks)
    await ticked(t, page, 'webhook')
    await clicks.button('Start a test sale')
    await paysTestSale(page, context, clicks)
    await clicks.link('Back to the first steps')
    await ticked(t, page, 'test')
    if (isPhone) await seesWhatCame(t, page, clicks)
    await paysTooLate(t, page, clicks)
    // Later, some of the screens ask for the second step first.
    await lookedEverywhere(t, context, name)
    await addsSecondStep(page, email, clicks)
    await clicks.link('First steps')
    await ticked(t, page, 'factor')
    t.true(clicks.count() < CLICKS_MAX, `${clicks.count()} clicks`)
    t.log(`${clicks.count()} clicks`)
    t.deepEqual(wrong, [], name)
    await context.close()
  })

type Clicks = ReturnType<typeof counted>

const counted = (page: Page) => {
  let count = 0
  const click = async (role: 'button' | 'link', name: string) => {
    count++
    await page.getByRole(role, { name, exact: true }).first().click()
  }
  return {
    button: (name: string) => click('button', name),
    link: (name: string) => click('link', name),
    count: () => count,
  }
}

/** Signs up, follows the letter, and signs in to the first steps. */
const signsUp = async (page: Page, email: string, clicks: Clicks) => {
  await page.goto(`${app.served().origin}/dashboard/sign-up`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await clicks.button('Create the account')
  await page.goto(app.served().origin + (await linkTo(app, email, 'Confirm your email address')))
  await page.goto(`${app.served().origin}/dashboard/sign-in?next=%2Fdashboard%2Ffirst-steps`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await clicks.button('Sign in')
}

/** A wrong address is told while it is typed; the right one is saved. */
const addsWallet = async (page: Page, clicks: Clicks) => {
  await page.getByLabel('Coin and network').selectOption('eth')
  await page.getByLabel('Addresses').fill('0x123')
  await page.getByText(/is none of eth/i).waitFor()
  await page.getByLabel('Addresses').fill(freshAddress())
  await page.getByText('The form of this address is right.').waitFor()
  await clicks.button('Save')
  await page.getByText('The addresses are saved.').waitFor()
}

/** The time of another sale is ended, and its payment comes afterwards. */
const paysTooLate = async (t: ExecutionContext, page: Page, clicks: Clicks) => {
  await clicks.button('Start a test sale')
  await clicks.button('Pay late')
  await page.getByText('It settles nothing').waitFor()
  await looked(t, page, 'dashboard-test-sale-late')
  await clicks.link('Back to the first steps')
}

const savesWebhook = async (page: Page, clicks: Clicks) => {
  await page.getByLabel('Address of your program').fill(app.receiver.url)
  await clicks.button('Save the address')
  await clicks.link('I have kept it')
}

/** The webhook of the test sale, as a program would have got it; it comes in by itself. */
const seesWhatCame = async (t: ExecutionContext, page: Page, clicks: Clicks) => {
  await clicks.link('See what came')
  await page.getByText('Signature right').waitFor()
  await page.getByText('These are the very bytes that were sent').waitFor()
  await looked(t, page, 'dashboard-webhook-receiver')
  await clicks.link('See the payment')
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await page.locator('summary', { hasText: 'What was sent' }).click()
  await looked(t, page, 'dashboard-payment-webhook')
  await copiesWhatWasReadAnew(t, page)
  await clicks.link('First steps')
}

/** Somebody else changes the payment while its page is open: the button that copies the hash stays there. */
const copiesWhatWasReadAnew = async (t: ExecutionContext, page: Page) => {
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('summary', { hasText: 'Edit or add a note' }).click()
  await other.getByLabel('Description').fill('First of all')
  await other.getByRole('button', { name: 'Edit or add a note' }).click()
  await other.locator('#payment').getByText('First of all').waitFor()
  await other.close()
  await page.bringToFront()
  await page.locator('#payment').getByText('First of all').waitFor()
  const button = page.getByRole('button', { name: /^Copy/ }).first()
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
  await button.click()
  await eventually('it says what to do', async () => (await button.textContent())?.trim() === 'Select it')
  t.is(await movedByScript(page), 0)
}

/** One tab pays a half and then the rest; another one, which nobody touches, sees the sale settle. */
const paysTestSale = async (page: Page, context: BrowserContext, clicks: Clicks) => {
  await page.getByText('The sale waits for its payment.').waitFor()
  const watching = await context.newPage()
  await watching.goto(page.url())
  await watching.getByText('The sale waits for its payment.').waitFor()
  await clicks.button('Pay half')
  await page.getByText('A part has come.').waitFor()
  await clicks.button('Pay the rest')
  await page.getByText('The sale is paid.').waitFor()
  await watching.getByText('The sale is paid.').waitFor()
  await watching.close()
}

const addsSecondStep = async (page: Page, email: string, clicks: Clicks) => {
  await clicks.link('Add a second step')
  await clicks.link('Add a second step')
  await page.getByLabel('Your password').fill(PASSWORD)
  await clicks.button('Continue')
  const code = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
  await page.getByLabel('Code').fill(code)
  await clicks.button('Continue')
  await page.getByText('Type it in by hand').click()
  const secret = Secret.fromBase32(((await page.locator('.secret code').textContent()) ?? '').replaceAll(' ', ''))
  await page.getByLabel('Code from the app').fill(new TOTP({ secret }).generate())
  await clicks.button('Add the app')
  await clicks.link('I have kept them')
}

const ticked = async (t: ExecutionContext, page: Page, step: string) => {
  await page.locator(`#step-${step} .chip.good`).waitFor()
  t.pass()
}

const SCREENS = ['first-steps', 'wallets', 'wallets/address', 'wallets/tokens', 'settings']

/** Each screen of whoever is signed in, on a phone and on a desk, by day and by night. */
const lookedEverywhere = async (t: ExecutionContext, signedIn: BrowserContext, from: string) => {
  for (const { name, options } of allLooks.filter((look) => look.name.startsWith(from.split('-')[0] ?? ''))) {
    const context = await browser.newContext({ ...options, storageState: await signedIn.storageState() })
    const { page, wrong } = await openPage(context)
    for (const screen of SCREENS) {
      await page.goto(`${app.served().origin}/dashboard/${screen}`)
      await looked(t, page, `dashboard-${screen.replaceAll('/', '-')}-${name}`)
    }
    await page.goto(`${app.served().origin}/dashboard/first-steps`)
    await page.getByRole('button', { name: 'Start a test sale' }).click()
    await page.getByText('The sale waits for its payment.').waitFor()
    await looked(t, page, `dashboard-test-sale-${name}`)
    await page.goto(`${app.served().origin}/dashboard/wallets`)
    await page.getByRole('link', { name: 'Prove that it is yours' }).click()
    await page.getByRole('textbox', { name: 'Text to sign' }).waitFor()
    await looked(t, page, `dashboard-wallets-proof-${name}`)
    t.deepEqual(wrong, [], name)
    await context.close()
  }
}
