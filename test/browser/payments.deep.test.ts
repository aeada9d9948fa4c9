import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allLooks, barriers, looked, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { PASSWORD } from '../support/dashboard.ts'
import { cases } from '../support/depth.ts'
import { inLine, sell, shop, transactionOf, webhookLog } from '../support/sale.ts'
import { ok } from '../support/seller.ts'

/** Payments at the dashboard, in a real browser, on a phone and on a desk, by day and by night. */

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

inBrowser('N-82 a seller finds a payment and sends its webhook again, and nothing keeps anybody from it', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  await webhookLog(app, s.key, id)
  // The phone by day and the desk by night; the other two in the deep run.
  for (const { name, options } of cases(allLooks, 3)) {
    const context = await browser.newContext(options)
    const { page, wrong } = await openPage(context)
    const looked = async (screen: string) => {
      await shoot(page, `${screen}-${name}`)
      t.deepEqual(await barriers(page), [], `${screen} ${name}`)
      const [inner = 0, outer = 0] = (await page.evaluate(
        '[document.documentElement.scrollWidth, innerWidth]',
      )) as number[]
      t.true(inner <= outer, `${screen} ${name} is ${inner} wide on ${outer}`)
    }
    await page.goto(`${app.served().origin}/dashboard/sign-in?next=/dashboard/payments`)
    await page.getByLabel('Email address').fill(s.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await looked('payments')
    await staysInside(t, page, name)
    await page.getByRole('link', { name: /^Resource/ }).click()
    await page.getByRole('heading', { name: 'What you can do' }).waitFor()
    await looked('payment')
    await page.locator('summary', { hasText: 'Refund' }).click()
    await page.locator('summary', { hasText: 'Edit or add a note' }).click()
    await looked('payment-acts')
    await page.locator('summary', { hasText: 'Send the webhook again' }).click()
    await page.getByRole('button', { name: 'Send the webhook again' }).click()
    await page.getByText('The webhook was sent again.').waitFor()
    t.deepEqual(wrong, [], name)
    await context.close()
  }
})

for (const { name, options } of cases(allLooks, 4))
  inBrowser(`N-82 N-24 ${name}: a seller who reads German chooses which payment pays what waits`, async (t) => {
    const s = await shop(app)
    const { json } = await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 100 } }))
    const { json: offer } = await app.call('GET', `/id/${json.encrypted_id}?agent=1`)
    const hash = await inLine(() => app.anvil.send(s.address, BigInt(offer.accepts[0].amountAtomic) - 10n ** 15n))
    await app.anvil.mine(12)
    await eventually('the odd payment', async () =>
      (await app.call('GET', '/v1/settlements', { key: s.key })).text.includes(hash),
    )
    const context = await browser.newContext({ ...options, locale: 'de-DE' })
    const { page, wrong } = await openPage(context)
    await page.goto(`${app.served().origin}/dashboard/sign-in?next=/dashboard/payments/${json.transaction_id}`)
    await page.getByLabel('E-Mail-Adresse').fill(s.email)
    await page.getByLabel('Passwort').fill(PASSWORD)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByText('0,001 Ether').waitFor()
    await page.locator('summary', { hasText: 'Wählen, welche Zahlung sie bezahlt' }).click()
    await page.getByRole('radio', { name: hash }).check()
    await looked(t, page, `payment-match-${name}`)
    await page.getByRole('button', { name: 'Wählen, welche Zahlung sie bezahlt' }).click()
    await page.getByText('Die gewählte Zahlung zählt für diese.').waitFor()
    await page.getByText('Es fehlen noch').waitFor()
    await looked(t, page, `payment-matched-${name}`)
    t.deepEqual(wrong, [])
    await context.close()
  })

inBrowser('N-82 with the keyboard alone a seller signs in, finds a payment and writes a note', async (t) => {
  const s = await shop(app, { webhook: false })
  const { offer } = await sell(app, s)
  await transactionOf(app, s.key, offer.challengeId, 'C')
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
  const { page, wrong } = await openPage(context)
  await page.goto(`${app.served().origin}/dashboard/sign-in`)
  await tabTo(t, page, 'Email address')
  await page.keyboard.type(s.email)
  await tabTo(t, page, 'Password')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard')
  await tabTo(t, page, 'Payments')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payments' }).waitFor()
  await tabTo(t, page, /^Resource/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'What you can do' }).waitFor()
  await tabTo(t, page, 'Edit or add a note')
  await page.keyboard.press('Enter')
  await tabTo(t, page, /^Description/)
  await page.keyboard.type('Sent with the keyboard')
  await tabTo(t, page, 'Edit or add a note')
  await page.keyboard.press('Enter')
  await page.getByText('Sent with the keyboard').first().waitFor()
  t.deepEqual(wrong, [])
  await context.close()
})

/** Goes on by the tabulator until what has this name can be used, which has to be seen. */
const tabTo = async (t: ExecutionContext, page: Page, name: string | RegExp) => {
  const isNamed = (text: string) => (typeof name === 'string' ? text === name : name.test(text))
  for (let n = 0; n < TABS_MAX; n++) {
    await page.keyboard.press('Tab')
    const [text, outline] = (await page.evaluate(`(({ labels, textContent }, style) =>
      [(labels?.[0]?.textContent ?? textContent ?? '').trim(), style.outlineStyle !== 'none' || style.boxShadow !== 'none']
    )(document.activeElement, getComputedStyle(document.activeElement))`)) as [string, boolean]
    if (!isNamed(text)) continue
    t.true(outline, `${name} shows that it has the focus`)
    return
  }
  t.fail(`${name} was not reached within ${TABS_MAX} steps`)
}
const TABS_MAX = 80

/** Width of a common phone. */
const PHONE_PX = 390

/** On a phone the list is cards, which nobody has to move sideways. */
const staysInside = async (t: ExecutionContext, page: Page, name: string) => {
  const before = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: PHONE_PX, height: before.height })
  const [cards, room] = (await page.evaluate(
    '(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector(".table"))',
  )) as [number, number]
  t.true(cards <= room, `the cards are ${cards} wide in ${room} (${name})`)
  await shoot(page, `payments-390-${name}`)
  await page.setViewportSize(before)
}
