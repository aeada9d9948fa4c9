import { readFile } from 'node:fs/promises'
import test from 'ava'
import type { Browser, BrowserContext } from 'playwright-core'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { enter, go, lies, looked, lyingTo, remembered, VERDICT, verify } from '../support/audit-page.ts'
import { looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { type Shop, sell, shop, transactionsOf } from '../support/sale.ts'
import { ok, signUp } from '../support/seller.ts'

/**
 * The auditor's page in a real browser: what it shows, that everybody can use it, and that it sees through a server
 * that lies.
 */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip

let app: TestApp
let browser: Browser
let s: Shop
let transaction: string
let clerk: string
let newcomer: string
test.before(async () => {
  if (!path) return
  app = await startApp({ env: { SEAL_EVERY_SECONDS: '1', KEY_RATE_BURST: '9000', ADDRESS_RATE_BURST: '9000' } })
  s = await shop(app)
  for (let sale = 0; sale < 4; sale++) await sell(app, s)
  await eventually('a seal', async () => (await seals()).length > 0)
  await sell(app, s)
  transaction = (await eventually('a transaction', async () => (await transactionsOf(app, s.key))[4]?.id)) ?? ''
  const body = { role: 'clerk' }
  clerk = (await ok(app.call('POST', '/v1/subagents', { key: s.key, body }))).json.api_key
  newcomer = (await signUp(app)).key
  await eventually('two seals', async () => (await seals()).length > 1)
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

for (const { name, options } of cases(looks, 2))
  inBrowser(
    `an auditor reads everything, and no state of the page keeps anybody out or runs over: ${name}`,
    async (t) => {
      const context = await browser.newContext(options)
      const { page, wrong } = await openPage(context)
      const seen = (state: string) => looked(t, page, `audit-${state}-${name}`)
      await page.goto(`${app.served().origin}/audit`)
      await seen('enter')
      await enter(page, clerk)
      await page.getByText('This key may not audit').waitFor()
      await seen('refused')
      await enter(page, newcomer)
      await page.getByText('AccountSignedUp').waitFor()
      await go(page, 'books')
      await page.getByText('Nothing is booked').waitFor()
      await seen('books-empty')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await go(page, 'timeline')
      await enter(page, s.key)
      await page
        .getByRole('button', { name: /ChallengeSettled/ })
        .first()
        .click()
      await page.getByText('"currency": "USD"').waitFor()
      await seen('timeline')
      for (const [state, text] of Object.entries(STATES)) {
        await go(page, state.replace('TX', transaction))
        await page.getByText(text).first().waitFor()
        await seen(state.replace(/\W.*/, '') + text.replace(/\W/g, ''))
      }
      await verify(page)
      t.is(await page.locator(VERDICT).textContent(), 'Verified in this browser.')
      await seen('verified')
      t.deepEqual(
        wrong.filter((each) => !/40[34]/.test(each)),
        [],
      )
      await context.close()
    },
  )

/** What the address names, and a text that is there once it is shown. */
const STATES = {
  'timeline?q=nosuchthing': 'Nothing fits',
  'transaction?transaction_id=TX': 'DeliveryAccepted',
  'transaction?transaction_id=1': 'There is no such thing',
  transaction: 'Which transaction?',
  books: 'Coins on own addresses',
  'books?as_of=2020-01-01': 'Nothing is booked',
  exports: 'JSON Lines',
  seals: 'Heads, the newest first',
}

inBrowser('every event on the screen is proved, and the next visit asks that the log only grew', async (t) => {
  const { page, context } = await auditor()
  const proved = page.locator('.proof.proved')
  await go(page, 'timeline')
  await eventually('a whole page', async () => (await page.locator('button.event').count()) === 50)
  await verify(page)
  t.is(await page.locator('.checks li.good').count(), 6)
  await go(page, 'timeline')
  await eventually('the signs', async () => (await proved.count()) === 50)
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByRole('link', { name: 'Newer' }).click()
  await eventually('the newest again', async () => (await proved.count()) === 50)

  await sell(app, s)
  await page.reload()
  await enter(page, s.key)
  const before = await remembered(page)
  await eventually('a seal', async () => Number((await seals())[0]?.size) > before)
  await verify(page)
  t.is(await page.locator(VERDICT).textContent(), 'Verified in this browser.')
  t.true(await page.getByText('The log only grew').isVisible())
  t.true((await remembered(page)) > before)
  await page.getByRole('cell').getByRole('button', { name: 'Pin' }).click()
  await verify(page)
  t.true(await page.getByText('is the one that you pinned').isVisible())
  await context.close()
})

for (const [what, [call, lie]] of Object.entries(lies))
  inBrowser(`a server that lies is seen through: ${what}`, async (t) => {
    const { page, context } = await auditor(async (fresh) => {
      await fresh.route(`**/v1/audit/${call}?**`, lyingTo(lie))
    })
    await verify(page)
    t.regex((await page.locator(VERDICT).textContent()) ?? '', /^Not verified/)
    t.is(await remembered(page), 0)
    await shoot(page, `audit-lie-${what.replaceAll(' ', '-')}`)
    await context.close()
  })

inBrowser(
  'a log that does not go on from what this browser has seen, or is sealed by another key, is not accepted',
  async (t) => {
    const { page, context } = await auditor()
    const verdict = async () => {
      await verify(page)
      return page.locator('.checks li.bad b').allTextContents()
    }
    t.deepEqual(await verdict(), [])
    const size = await remembered(page)
    const altering = (change: string) =>
      page.evaluate(
        `localStorage.setItem('daybook-audit-head', JSON.stringify({...JSON.parse(localStorage.getItem('daybook-audit-head')), ${change}}))`,
      )
    await altering(`root: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='`)
    t.deepEqual(await verdict(), ['Something does not fit'])
    await altering(`size: ${size + 1_000}`)
    t.deepEqual(await verdict(), ['Something does not fit'])
    await page.getByRole('button', { name: 'Forget the head' }).click()
    t.deepEqual(await verdict(), [])
    await altering(`publicKey: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE='`)
    t.deepEqual(await verdict(), ['The key has changed'])
    await page.getByLabel('Public key that you expect').fill('0123 4567 89ab cdef 0123 4567 89ab cdef')
    await page.locator('form.pin').getByRole('button').click()
    t.deepEqual(await verdict(), ['Not the pinned key'])
    await context.close()
  },
)

inBrowser('a browser without Ed25519 says that it could not check the signatures', async (t) => {
  const { page, context } = await auditor(async (fresh) => {
    await fresh.addInitScript(
      `crypto.subtle.importKey = async () => { throw new DOMException('no', 'NotSupportedError') }`,
    )
  })
  await verify(page)
  t.is(await page.locator(VERDICT).textContent(), 'Not everything could be checked in this browser.')
  t.true(await page.getByText('does not know Ed25519').isVisible())
  t.is(await remembered(page), 0)
  await context.close()
})

inBrowser(
  'the key stands in no address and is kept only as long as was asked for; the journal is saved as a file',
  async (t) => {
    const { page, context } = await auditor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await go(page, 'exports')
    await page.getByLabel('hledger').check()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    t.is(file.suggestedFilename(), 'journal.journal')
    t.regex(await readFile(await file.path(), 'utf8'), /ChallengeSettled/)
    t.deepEqual(
      asked.filter((url) => url.includes('sk_live')),
      [],
    )
    const kept = () => page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href])')
    t.notRegex(String(await kept()), /sk_live/)
    await page.reload()
    await page.getByLabel('Keep it').check()
    await enter(page, s.key)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    t.notRegex(String(await kept()), /sk_live/)
    await context.close()
  },
)

const auditor = async (prepare: (context: BrowserContext) => Promise<unknown> = async () => {}) => {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await prepare(context)
  const { page } = await openPage(context)
  await page.goto(`${app.served().origin}/audit#/timeline?type=ChallengeSettled`)
  await enter(page, s.key)
  await page.locator('button.event').first().waitFor()
  return { page, context }
}

const seals = async (): Promise<{ size: number }[]> =>
  (await ok(app.call('GET', '/v1/audit/seals', { key: s.key }))).json.heads
