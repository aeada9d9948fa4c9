import test from 'ava'
import type { Browser } from 'playwright-core'
import { toUnits } from '../../domain/kernel/money.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { choose, look, offerOn, payPage, postHash, requestOf, saidIn } from '../support/buyer.ts'
import { chromiumPath } from '../support/chromium.ts'
import { inLine, shop, USDC } from '../support/sale.ts'
import { offerOf, ok } from '../support/seller.ts'
import { changeSettings } from '../support/settings.ts'

/**
 * Every state of a payment page, on a phone and on a desk, by day and by night: it can be used by everybody, and fits.
 */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** More challenges than so small a price has amounts to be told apart by. */
const TOO_MANY = 75
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><rect width="160" height="40" rx="8" fill="#ffcc66"/><text x="22" y="27" font-size="20" font-family="sans-serif" fill="#123a6b">Harbour Tea</text></svg>'

const WORDS = { title: 'Order 1042: two pounds of Assam', note: 'Thank you!\nWe send it tomorrow.' }

const LEAF = `Whole leaf, picked in June.\n\nTwo pounds in a tin, sent the next day.\nUnbroken:${'x'.repeat(80)}`

let shift = 0
let app: TestApp
let browser: Browser
let states: Readonly<Record<string, string>>
test.before(async () => {
  if (!path) return
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
  await app.anvil.deployToken(USDC, 10n ** 15n)
  browser = await startBrowser(path)
  states = await everyState()
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

for (const { name, options } of looks)
  inBrowser(
    `J-DOOR-03 J-DOOR-08 J-PRQ-02 ${name}: no state of a page keeps anybody out, breaks its policy or runs over`,
    async (t) => {
      const context = await browser.newContext(options)
      t.teardown(() => context.close())
      await context.route('https://shop.example/**', (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
      )
      const { page, wrong } = await openPage(context)
      for (const [state, address] of Object.entries(states)) {
        await page.goto(`${app.served().origin}${address}`)
        await shoot(page, `${state}-${name}`)
        t.deepEqual(await barriers(page), [], state)
        const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        t.is(over, 0, `${state} runs over to the side`)
      }
      t.deepEqual(
        wrong.filter((each) => !/404/.test(each)),
        [],
      )
    },
  )

/**
 * The address of every state; what waits for confirmations comes last, because every block that is mined confirms it.
 */
const everyState = async (): Promise<Readonly<Record<string, string>>> => {
  const own = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: own.key, body: { asset: 'usdc', address: own.address } }))
  const both = (await ok(app.call('POST', '/v1/resources', { key: own.key, body: { amount: 1234.5 } }))).json.res_id
  const test = (await ok(app.call('POST', '/v1/resources', { key: own.key, body: { amount: 5, test: true } }))).json
    .res_id
  const branded = await brandedShop()
  const pay = await choose(app, `/r/${both}`, 'eth')
  return {
    choose: `/r/${both}`,
    pay,
    'pay-token': await choose(app, `/r/${both}`, 'usdc'),
    'hash-wrong': await postHash(app, pay, `0x${'1'.repeat(64)}`),
    'hash-only': await withoutAmounts(),
    amount: await requestOf(app, branded, { title: 'Tip' }),
    'amount-wrong': `${await requestOf(app, branded, { title: 'Tip' })}?amount=x`,
    'brand-choose': branded.path,
    'brand-pay': await choose(app, branded.path, 'eth'),
    'brand-buy': await saved(branded.key),
    test: `/r/${test}`,
    'test-pay': await choose(app, `/r/${test}`, 'eth'),
    ...(await stopped()),
    ...(await over()),
    'brand-paid': await paid(await requestOf(app, branded, { amount: 48, ...WORDS })),
    nothing: '/r/unknown',
    seen: await seen(),
  }
}

/** No coin, no time, too little, too late. */
const stopped = async () => {
  const s = await shop(app)
  // What is no sum that was asked for pays only what was asked for before.
  shift = -2 * MINUTE_MS
  const short = await choose(app, `/r/${s.resId}`, 'eth')
  shift = 0
  const hash = await payPage(app, short, { by: 1n, of: 2n })
  await app.anvil.mine(6)
  await postHash(app, short, hash)
  await eventually('the underpayment', async () => /A part of this is paid/.test(saidIn(await look(app, short))))
  shift = -2 * HOUR_MS
  const [late, expired] = [await choose(app, `/r/${s.resId}`, 'eth'), await choose(app, `/r/${s.resId}`, 'eth')]
  const { payTo, amount } = await offerOn(app, late)
  const over = await requestOf(app, s, { amount: 3, expiry: '1h' })
  shift = 0
  await inLine(() => app.anvil.send(payTo, toUnits(amount, 18)))
  await app.anvil.mine(6)
  await eventually('the late payment', async () => /too late/.test(saidIn(await look(app, late))))
  const paused = await shop(app)
  await ok(app.call('PUT', '/v1/wallets?asset=eth', { key: paused.key, body: { active: false } }))
  return {
    underpaid: short,
    late,
    expired,
    'request-over': over,
    'no-coin': `/r/${paused.resId}`,
    'no-sale': await saved(paused.key),
  }
}

/** A link that is sold at its page, with words as long as a seller may write. */
const saved = async (key: string): Promise<string> => {
  const body = { title: 'Darjeeling, second flush, from the garden of the year', price: 48, description: LEAF }
  return new URL((await ok(app.call('POST', '/v1/checkouts', { key, body }))).json.checkout.url).pathname
}

const over = async () => {
  const { resId } = await shop(app)
  return { paid: await paid(`/r/${resId}`), sold: `/r/${resId}` }
}

const paid = async (door: string): Promise<string> => {
  const page = await choose(app, door, 'eth')
  await payPage(app, page)
  await app.anvil.mine(6)
  await eventually('the receipt', async () => /^Paid/.test(saidIn(await look(app, page))))
  return page
}

const seen = async (): Promise<string> => {
  const page = await choose(app, `/r/${(await shop(app)).resId}`, 'eth')
  await payPage(app, page)
  await app.anvil.mine(1)
  await eventually('the payment', async () => /2 of 6/.test(saidIn(await look(app, page))))
  return page
}

const withoutAmounts = async (): Promise<string> => {
  const s = await shop(app, { amount: 0.25, webhook: false })
  for (let n = 0; n < TOO_MANY; n += 25)
    await Promise.all(Array.from({ length: 25 }, () => offerOf(app, s.key, s.resId)))
  return choose(app, `/r/${s.resId}`, 'eth')
}

const brandedShop = async () => {
  const s = await shop(app)
  await changeSettings(app, s.resId, {
    branding: {
      brandName: 'Harbour Tea',
      logoUrl: 'https://shop.example/logo.svg',
      color1: '#123a6b',
      color2: '#ffcc66',
    },
    payment: { redirect: 'https://shop.example/thanks' },
  })
  return { key: s.key, path: await requestOf(app, s, { amount: 48, ...WORDS }) }
}
