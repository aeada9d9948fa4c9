import test from 'ava'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { userByEmail } from '../../domain/use-cases/signin/check-password.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, openPage, scanned, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { openOperator } from '../support/operator.ts'
import { virtualAuthenticator } from '../support/passkey.ts'
import { letterTo, linkTo } from '../support/people.ts'
import { withMoney } from '../support/people-money.ts'

/** A person from sign-up to a confirmed change, in a real browser with a real passkey, and every page on the way. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const EMAIL = 'ada@people.test'
const PASSWORD = 'a difference engine'

let shift = 0
let app: TestApp
let browser: Browser
let page: Page
let wrong: string[]
/** Whether the device recognises its owner. */
let recognises: (isUserVerified: boolean) => Promise<unknown>
let secret = ''
test.before(async () => {
  if (!path) return
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
  browser = await startBrowser(path)
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  ;({ page, wrong } = await openPage(context))
  ;({ recognises } = await virtualAuthenticator(page))
  // The device here picks what is offered by itself, which is to happen in one test alone.
  await context.addInitScript(
    'if (!localStorage.offered) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  )
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

inBrowser('N-59 a person signs up, follows the mailed link and is signed in', async (t) => {
  await go('/sign-up')
  await looked(t, 'sign-up')
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Email address').fill(EMAIL)
  await page.getByLabel('Password').fill('password')
  await press('Create the account')
  t.true(await page.getByText('one of the first').isVisible())
  await looked(t, 'sign-up-wrong')
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Create the account')
  await looked(t, 'sign-up-mail')
  await page.goto(await link())
  await looked(t, 'verify')
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Confirm and sign in')
  t.is(new URL(page.url()).pathname, '/account')
  await page.getByLabel('Short name').fill('ada')
  await press('Save')
  await looked(t, 'profile')
})

inBrowser(
  'X-MFA-01 the first second factor needs the password and a mailed code, and is a passkey of the device',
  async (t) => {
    await go('/account/security')
    await looked(t, 'security-none')
    await page.getByRole('link', { name: 'Add a second step' }).click()
    await looked(t, 'enrol-prove')
    await page.getByLabel('Your password').fill(PASSWORD)
    await press('Continue')
    await looked(t, 'enrol-code')
    await page
      .getByLabel('Code')
      .fill(/^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, EMAIL, 'Your code'))?.[0] ?? '')
    await press('Continue')
    await looked(t, 'enrol-choose')
    await page.getByLabel('Name of this device').fill('Laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.waitForSelector('.codes')
    t.is(await page.locator('.codes li').count(), 10)
    await looked(t, 'codes')
    await page.getByRole('link', { name: 'I have kept them' }).click()
    t.true(await page.getByText('Laptop').isVisible())
  },
)

inBrowser(
  'N-59 the passkey alone signs a person in, and a device that has not recognised them is refused',
  async (t) => {
    await signOut()
    await looked(t, 'signed-out')
    await go('/sign-in?next=/account/security')
    await looked(t, 'sign-in')
    await recognises(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    await recognises(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(({ pathname }) => pathname === '/account/security')
    t.true(await page.getByText('last used').isVisible())
    await looked(t, 'security-passkey')
    await signOut()
    await page.evaluate("localStorage.offered = '1'")
    await go('/sign-in')
    await page.waitForURL(({ pathname }) => pathname === '/account')
    await page.evaluate('localStorage.clear()')
  },
)

inBrowser(
  'X-MFA-01 with a passkey a second way is added, and the code of an app signs in after the password',
  async (t) => {
    await go('/account/security/enrol')
    await looked(t, 'step-up')
    await page.getByRole('button', { name: 'Use your passkey' }).click()
    await page.waitForSelector('svg.qr')
    const uri = (await scanned(page)) ?? ''
    t.regex(uri, /^otpauth:\/\/totp\/Daybook:ada%40people\.test\?secret=[A-Z2-7]{32}&issuer=Daybook/i)
    secret = new URL(uri).searchParams.get('secret') ?? ''
    await page.getByLabel('Code from the app').fill(codeNow())
    await press('Add the app')
    t.true(await page.getByText('Authenticator app', { exact: true }).isVisible())
    await looked(t, 'security-both')
    await signOut()
    await go('/sign-in')
    await page.getByLabel('Email address').fill(EMAIL)
    await page.getByLabel('Password').fill('wrong')
    await press('Sign in')
    await looked(t, 'sign-in-wrong')
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Sign in')
    await looked(t, 'second-factor')
    shift += 60_000
    await page.getByLabel('Code from your authenticator app').fill(codeNow())
    await press('Continue')
    t.is(new URL(page.url()).pathname, '/account')
  },
)

inBrowser('N-50 a member makes a character and a link to play for it, on pages that everybody can use', async (t) => {
  await go('/account/game')
  await page.getByLabel('Name').fill('Countess')
  await page.getByText('Engineer').click()
  await press('Make it')
  await page.getByText('Your character is there').waitFor()
  await looked(t, 'game')
  await page.getByRole('link', { name: 'Quests' }).click()
  await looked(t, 'game-quests')
  await go('/account/game/links/new')
  await page.getByLabel('What you call it').fill('Agent on my laptop')
  await page.getByLabel('Stake units in duels').check()
  await page.getByLabel('Units a day for duels').fill('a lot')
  await press('Go on')
  t.true(await page.getByText('Please type a whole number').isVisible())
  await looked(t, 'game-link-wrong')
  await page.getByLabel('Units a day for duels').fill('25')
  await press('Go on')
  t.true(await page.getByText('at most 25 units a day').isVisible())
  await looked(t, 'game-link-proof')
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.getByText(/^pl-[a-z2-7]{26}$/).waitFor()
  await looked(t, 'game-link-code')
  await page.getByRole('link', { name: 'Go on' }).click()
  t.true(await page.getByText('0 of 25 units used today').isVisible())
  await looked(t, 'game-links')
  await page.getByRole('button', { name: 'Take it back: the link Agent on my laptop' }).click()
  t.true(await page.getByText('It is taken back').isVisible())
})

inBrowser('N-59 every page of an account can be used by everybody, and none breaks its policy', async (t) => {
  const operator = await openOperator(app)
  t.teardown(() => operator.stop())
  const { sub = '' } = (await userByEmail(operator.flow, EMAIL)) ?? {}
  await withMoney(operator, sub, Date.now() + shift)
  await eventually('the standing order', async () => {
    await go('/account/standing-orders')
    return (await page.getByText('A pound of Assam').count()) > 0
  })
  for (const [name, address] of Object.entries({
    sessions: '/account/sessions',
    apps: '/account/apps',
    orders: '/account/standing-orders',
    balance: '/account/balance',
    email: '/account/email',
    password: '/account/password',
    'remove-totp': '/account/security/remove?totp=1',
    'new-codes': '/account/security/codes',
    forgot: '/sign-in/forgot',
    reset: '/sign-in/reset?token=x',
    'sign-out': '/sign-out',
    again: '/sign-in?again=1&next=/account',
    'confirm-email': '/account/email/confirm?token=x',
  })) {
    await go(address)
    await looked(t, name)
  }
  await go('/account/security/remove?totp=1')
  await page.getByRole('button', { name: 'Use your passkey' }).click()
  await page.waitForURL('**/account/security?done=removed')
  t.is(await page.getByText('Authenticator app', { exact: true }).count(), 0)
  t.deepEqual(
    wrong.filter((each) => !/ 422 /.test(each)),
    [],
  )
})

const go = (address: string) => page.goto(`${app.served().origin}${address}`)
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

const signOut = async () => {
  await press('Sign out')
  await page.waitForURL(({ pathname }) => pathname === '/sign-out')
}

const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + shift })

const link = async (): Promise<string> => app.served().origin + (await linkTo(app, EMAIL, 'Confirm your email address'))

const sizes = cases(
  [
    { name: 'phone', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
    { name: 'desktop', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  ] as const,
  2,
)

/**
 * On a phone by day, and in the deep run on a desk by night: nobody is kept out, nothing runs over, and there is a
 * picture to look at.
 */
const looked = async (
  t: { deepEqual(a: unknown, b: unknown, m?: string): void; is(a: unknown, b: unknown, m?: string): void },
  name: string,
) => {
  for (const { name: size, viewport, colorScheme } of sizes) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await shoot(page, `people-${name}-${size}`)
    t.deepEqual(await barriers(page), [], `${name} ${size}`)
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.is(over, 0, `${name} ${size} runs over to the side`)
  }
}
