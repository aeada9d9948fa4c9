import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, CLIPBOARD, copyTwice, openPage, scanned, shoot, startBrowser } from '../support/browser.ts'
import { offerOn, payPage, postHash, requestOf } from '../support/buyer.ts'
import { takesCards, told } from '../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../support/card/processor.ts'
import { chromiumPath } from '../support/chromium.ts'
import { shop } from '../support/sale.ts'
import { changeSettings } from '../support/settings.ts'

/**
 * A person pays in a real browser: with script the page follows the payment, without it everything works all the same.
 */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
/** Longer than the watch of the chain takes to see a payment. */
const SEEN_MS = 15_000

let app: TestApp
let browser: Browser
let processor: CardProcessor
test.before(async () => {
  processor = await startCardProcessor()
  app = await startApp({ env: { CARD_PROCESSOR_URL: processor.url } })
  if (path) browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
  await processor?.stop()
})

inBrowser(
  'J-DOOR-03 J-DOOR-08 a payment is seen and the receipt appears without the page being loaded again',
  async (t) => {
    const { page, wrong, path: door } = await buyer(t)
    await page.getByRole('link', { name: /Ether/ }).click()
    await page.getByText('Waiting for your payment').waitFor()
    await page.evaluate('globalThis.same = true')
    const hash = await payPage(app, addressOf(page))
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor({ timeout: SEEN_MS })
    t.regex((await page.locator('main').textContent()) ?? '', /[1-6] of 6 confirmations/)
    await app.anvil.mine(2)
    await page.getByText('3 of 6 confirmations', { exact: true }).waitFor({ timeout: SEEN_MS })
    t.is(await page.locator('#said').textContent(), 'Payment seen 3 of 6 confirmations')
    await app.anvil.mine(4)
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor({ timeout: SEEN_MS })
    t.true((await page.locator('main').textContent())?.includes(hash))
    t.is(await page.title(), 'Paid – Seller without a name')
    t.true(await page.evaluate('globalThis.same'))
    await page.goto(`${app.served().origin}${door}`)
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    t.deepEqual(wrong, [])
  },
)

for (const javaScriptEnabled of [true, false])
  inBrowser(
    `J-CARD-01 N-31 a person pays by card on the page of the processor, and is back with the receipt, ${javaScriptEnabled ? 'with' : 'without'} script`,
    async (t) => {
      const s = await shop(app)
      const rail = await takesCards(app, processor, s.key)
      const door = await requestOf(app, s, { amount: 48, currency: 'EUR', title: 'Assam' })
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 360, height: 740 } })
      t.teardown(() => context.close())
      const { page, wrong } = await openPage(context)
      await page.goto(`${app.served().origin}${door}`)
      await shoot(page, `card-choice-${javaScriptEnabled}`)
      if (javaScriptEnabled) t.deepEqual(await barriers(page), [])
      await page.getByRole('link', { name: 'Pay by card' }).click()
      await page.getByRole('heading', { name: 'Pay 48 EUR' }).waitFor()
      const session = processor.state.sessions.get(page.url().split('/pay/')[1] ?? '')
      if (!session) throw new Error(`the processor has no session at ${page.url()}`)
      if (javaScriptEnabled) {
        // Back before the processor has the money: the page hears of it.
        await page.goto(String(session.success_url))
        await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
        await shoot(page, 'card-waiting')
        processor.pay(session.id)
        await told(processor, rail, 'checkout.session.completed', session)
      } else await page.getByRole('button', { name: 'Pay' }).click()
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor({ timeout: SEEN_MS })
      t.regex((await page.locator('main').textContent()) ?? '', /Assam.*48\.00 EUR.*By card/s)
      await shoot(page, `card-paid-${javaScriptEnabled}`)
      if (javaScriptEnabled) t.deepEqual(await barriers(page), [])
      t.deepEqual(wrong, [])
    },
  )

inBrowser(
  'J-DOOR-03 the QR code on the screen is the wallet link, and the buttons copy exactly what is asked',
  async (t) => {
    const { page, wrong } = await buyer(t)
    await page.getByRole('link', { name: /Ether/ }).click()
    await page.getByText('Scan with your wallet').waitFor()
    const offer = await offerOn(app, addressOf(page))
    const link = await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')
    t.is(await scanned(page), link ?? '')
    for (const [what, text] of [
      ['amount', offer.amount],
      ['address', offer.payTo],
    ] as const) {
      t.is(await page.getByRole('button', { name: `Copy the ${what}` }).count(), 1)
      await copyTwice(t, page, `[data-what=${what}]`, text)
      t.is(await page.locator('#said').textContent(), `The ${what} is copied`)
    }
    const left = page.locator('[data-left]')
    const before = await left.textContent()
    t.regex(before ?? '', /^(59|60):\d\d min$/)
    await page.waitForTimeout(1_500)
    t.not(await left.textContent(), before)
    t.deepEqual(wrong, [])
  },
)

inBrowser(
  'J-SET-01 who has just paid is taken back to the shop after a while, unless he stays; an old receipt stays',
  async (t) => {
    const away = `${app.served().origin}/healthz`
    const { page, wrong } = await buyer(t, away)
    await page.getByRole('link', { name: /Ether/ }).click()
    await page.getByText('Waiting for your payment').waitFor()
    const receipt = addressOf(page)
    await payPage(app, receipt)
    await app.anvil.mine(6)
    await page.getByRole('button', { name: 'Stay here' }).click({ timeout: SEEN_MS })
    t.true(await page.getByText('You are taken there').isHidden())
    await page.reload()
    t.true(await page.getByText('You are taken there').isHidden())
    t.deepEqual(wrong, [])

    const leaving = await buyer(t, away)
    await leaving.page.getByRole('link', { name: /Ether/ }).click()
    await leaving.page.getByText('Waiting for your payment').waitFor()
    await payPage(app, addressOf(leaving.page))
    await app.anvil.mine(6)
    await leaving.page.waitForURL(away, { timeout: SEEN_MS + 15_000 })
    // Where it leads is no page and has no icon.
    t.deepEqual(
      leaving.wrong.filter((each) => !/404/.test(each)),
      [],
    )
  },
)

inBrowser('Q-47 J-DOOR-03 without script a person chooses, pays, posts the hash and gets the receipt', async (t) => {
  const { page } = await buyer(t, undefined, false)
  await page.getByRole('link', { name: /Ether/ }).click()
  await page.getByText('Waiting for your payment').waitFor()
  t.is(await page.locator('meta[http-equiv=refresh]').getAttribute('content'), '15')
  t.is(await page.getByRole('button', { name: 'Copy the address' }).count(), 0)
  const hash = await payPage(app, addressOf(page))
  await app.anvil.mine(6)
  await page.locator('summary').click()
  await page.getByLabel('Transaction hash').fill(hash)
  await page.getByRole('button', { name: 'Look it up' }).click()
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
  t.true((await page.locator('main').textContent())?.includes(hash))
})

inBrowser('a page that gets no events asks now and then instead, and one whose time is up says so', async (t) => {
  const { page, wrong } = await buyer(t)
  await page.route('**/events', (route) => route.fulfill({ status: 429, body: '' }))
  await page.clock.install()
  await page.getByRole('link', { name: /Ether/ }).click()
  await page.getByText('Waiting for your payment').waitFor()
  const address = addressOf(page)
  const hash = await payPage(app, address)
  await app.anvil.mine(6)
  await postHash(app, address, hash)
  await page.clock.runFor(20_000)
  await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor({ timeout: SEEN_MS })
  t.deepEqual(
    wrong.filter((each) => !/429/.test(each)),
    [],
  )
})

/** A browser at the door of a new sale. */
const buyer = async (t: ExecutionContext, redirect?: string, javaScriptEnabled = true) => {
  const { resId } = await shop(app)
  if (redirect) await changeSettings(app, resId, { payment: { redirect } })
  const context = await browser.newContext({ javaScriptEnabled, permissions: CLIPBOARD })
  t.teardown(() => context.close())
  const { page, wrong } = await openPage(context)
  const path = `/r/${resId}`
  await page.goto(`${app.served().origin}${path}`)
  return { page, wrong, path }
}

const addressOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}
