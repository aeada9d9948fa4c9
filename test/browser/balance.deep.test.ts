import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import {
  type Balances,
  type Clock,
  type Customer,
  openBalances,
  REDIRECT,
  type Shop,
  STATE,
} from '../support/balance-calls.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { givePasskey } from '../support/passkey.ts'
import { ok } from '../support/seller.ts'

/** What users see and answer when apps ask for their money, in a real browser. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const STEP_MS = 30_000

const clock: Clock = { shiftMs: 0 }
let app: TestApp
let browser: Browser
let b: Balances
let ada: Customer
let shop: Shop
let token: string
test.before(async () => {
  if (!path) return
  app = await startApp({
    world: { now: () => new Date(Date.now() + clock.shiftMs) },
    env: { PLATFORM_WALLETS: 'eth=0x90F79bf6EB2c4f870365E785982E1f101E93b906' },
  })
  browser = await startBrowser(path)
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer({ usd: 40 }), await b.shop({ name: 'Harbour Tea' })]
  token = await b.token(ada, shop)
})
test.after.always(async () => {
  await browser?.close()
  await b?.stop()
  await app?.stop()
})

inBrowser(
  'A-INT-03 X-MFA-01 a payment is confirmed by the code of an authenticator app, and the browser is back at the app',
  async (t) => {
    const page = await opened(t)
    const address = await intent({ amount: '12.30' })
    await page.goto(address)
    await page.getByLabel('Code from your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Pay 12.30 USD' }).click()
    await page.getByText('This code is wrong').waitFor()
    t.deepEqual(await barriers(page), [])
    await shoot(page, 'intent-wrong')
    await page.getByLabel('Code from your authenticator app').fill(code())
    const { searchParams, href } = await home(page, 'Pay 12.30 USD')
    t.deepEqual([...searchParams.keys()], ['own', 'payment', 'code', 'state'])
    await page.goto(address)
    t.true(await page.getByText('You have confirmed this').isVisible())
    t.is(await page.getByRole('link', { name: 'Back to Harbour Tea' }).getAttribute('href'), href)
  },
)

inBrowser('A-INT-03 X-MFA-01 a payment is confirmed by a passkey of the device', async (t) => {
  const bob = await b.customer({ usd: 40 })
  const page = await opened(t, bob)
  await givePasskey(page, b, bob.sub)
  await page.goto(await intent({}, await b.token(bob, shop)))
  t.deepEqual(await barriers(page), [])
  await shoot(page, 'intent-passkey')
  const { searchParams } = await home(page, 'Use your passkey')
  const complete = { ...shop.named, intent_id: searchParams.get('payment'), code: searchParams.get('code') }
  t.is((await b.ask('intent', 'complete', complete)).status, 200)
})

inBrowser('A-MAN-02 A-MAN-03 A-MAN-04 a standing order is approved, and another one declined', async (t) => {
  const page = await opened(t)
  await page.goto(await mandate(ADHOC))
  await page.getByLabel('Code from your authenticator app').fill(code())
  t.deepEqual([...(await home(page, 'Approve')).searchParams.keys()], ['own', 'mandate', 'state'])
  await page.goto(await mandate(SCHEDULED))
  t.is((await home(page, 'Decline')).searchParams.get('error'), 'access_denied')
})

inBrowser('A-TOP-01 A-TOP-02 a top-up leads from the app to the page where it is paid', async (t) => {
  const page = await opened(t)
  await page.goto(await topUp())
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL('**/id/pr_*')
  t.true(await page.getByText('added to your own balance').isVisible())
  t.deepEqual(await barriers(page), [])
  await shoot(page, 'topup-pay')
  await page.goto(await intent({ amount: '99' }))
  await page.getByRole('button', { name: /^Add \d+\.\d\d USD$/ }).click()
  await page.waitForURL('**/id/pr_*')
})

/** Each size once, and each scheme of colours. */
for (const { name, options } of cases(looks, 2))
  inBrowser(
    `A-INT-03 A-MAN-02 A-TOP-01 ${name}: no screen keeps anybody out, breaks its policy or runs over`,
    async (t) => {
      const page = await opened(t, ada, options)
      for (const [state, address] of Object.entries(await everyState())) {
        await page.goto(address)
        await shoot(page, `balance-${state}-${name}`)
        t.deepEqual(await barriers(page), [], state)
        t.is(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
          0,
          state,
        )
      }
    },
  )

inBrowser('A-INT-03 none of these pages broke its own policy', (t) => {
  t.deepEqual(amiss, [])
})
const amiss: string[] = []

let states: Promise<Readonly<Record<string, string>>> | undefined
const everyState = () => {
  states ??= makeStates()
  return states
}

const makeStates = async (): Promise<Readonly<Record<string, string>>> => {
  const declined = await intent()
  await ada.browser.send(new URL(declined).pathname, { decision: 'decline' })
  const eve = await b.customer({ usd: 0 })
  const words =
    'A pound of the first flush, and a description that goes on for a while, with-a-word-that-does-not-break-anywhere'
  return {
    intent: await intent(),
    'intent-long': await intent({ amount: '39.99', description: words }),
    'intent-short': await intent({ amount: '99' }),
    declined,
    foreign: await intent({}, await b.token(eve, shop)),
    mandate: await mandate(ADHOC),
    'mandate-scheduled': await mandate(SCHEDULED),
    topup: `${await topUp()}/confirm`,
  }
}

/** A browser in which a user is signed in. */
const opened = async (t: ExecutionContext, customer = ada, options = looks[0]?.options ?? {}): Promise<Page> => {
  const context = await browser.newContext(options)
  const [name = '', value = ''] = (await b.operator.session(customer.sub)).cookie.split('=')
  await context.addCookies([{ name, value, url: app.served().origin }])
  const { page, wrong } = await openPage(context)
  t.teardown(async () => {
    await context.close()
    amiss.push(...wrong.filter((each) => !/status of (404|422)/.test(each)))
  })
  return page
}

/** Where a button leads: to the app, which is not there, so that only the request for it is seen. */
const home = async (page: Page, button: string | RegExp): Promise<URL> => {
  const asked = page.waitForRequest(/^https:\/\/app\.test\/cb\?/)
  // Not `waitForURL`: that fails when the name is found missing while it waits.
  const left = page.waitForEvent('framenavigated', (frame) => frame.url().startsWith('chrome-error:'))
  await page.getByRole('button', { name: button }).click()
  const url = new URL((await asked).url())
  await left
  return url
}

const code = (): string => {
  clock.shiftMs += STEP_MS
  return ada.totp.generate({ timestamp: Date.now() + clock.shiftMs })
}

const back = { redirect_uri: REDIRECT, state: STATE }
const ADHOC = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '60', cooldown: 'monthly' }
const SCHEDULED = {
  ...ADHOC,
  cooldown: 'none',
  mode: 'scheduled',
  auto: 'true',
  sched_amount: '4.50',
  sched_interval: 'monthly',
}

const intent = async (fields: object = {}, bearer = token): Promise<string> => {
  const wish = { ...shop.named, amount: '12.30', currency: 'USD', description: 'A pound of tea', ...back, ...fields }
  return (await ok(b.ask('intent', 'create', wish, bearer))).json.confirm_url
}
const mandate = async (fields: object): Promise<string> =>
  (await ok(b.ask('mandate', 'create', { description: 'Tea club', ...back, ...fields }, token))).json.confirm_url
const topUp = async (): Promise<string> =>
  (await ok(b.ask('topup', 'start', { ...shop.named, amount: '25', ...back }))).json.topup_url
