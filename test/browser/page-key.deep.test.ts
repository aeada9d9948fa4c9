import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { startApp, type TestApp } from '../support/app.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { sandboxKey } from '../support/sandbox.ts'
import { activeSeller, ok } from '../support/seller.ts'

/** A seller's own page, at an origin of its own, with a publishable key in it. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip

let app: TestApp
let browser: Browser
let site: Server
let pageFor: { origin: string; key: string; resId: string }

test.before(async () => {
  app = await startApp()
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html(pageFor))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => site.once('listening', resolve))
  if (path) browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  site?.close()
  await app?.stop()
})

inBrowser(
  'N-28 J-CHL-01 a page of another origin mints a challenge with its publishable key and shows it',
  async (t) => {
    const { key } = await activeSeller(app)
    const [secret, pk] = [await sandboxKey(app, key, 'secret'), await sandboxKey(app, key, 'publishable')]
    const { res_id: resId } = (await ok(app.call('POST', '/v1/resources', { key: secret, body: { amount: 4 } }))).json
    pageFor = { origin: app.served().origin, key: pk, resId }
    const context = await browser.newContext()
    try {
      const { page, wrong } = await openPage(context)
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
      await page.locator('#challenge').filter({ hasText: 'ch_' }).waitFor()
      t.regex(
        (await page.locator('#challenge').textContent()) ?? '',
        /^ch_[a-z2-7]{26}\.test: 4 of test, a test: true$/,
      )
      const challengeId = (await page.locator('#challenge').textContent())?.split(':')[0]
      await ok(app.call('POST', '/v1/simulate-payment', { body: { challengeId } }))
      await page.locator('#verify').click()
      await page.locator('#paid').filter({ hasText: 'settled' }).waitFor()
      t.deepEqual(wrong, [])
    } finally {
      await context.close()
    }
  },
)

const html = ({ origin, key, resId }: typeof pageFor): string => `<!doctype html>
<title>A shop</title><p id="challenge"></p><button id="verify">Paid?</button><p id="paid"></p>
<script type="module">
  const call = async (path, body) => {
    const headers = { 'x-api-key': ${JSON.stringify(key)}, 'content-type': 'application/json' }
    return (await fetch(${JSON.stringify(origin)} + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  const { accepts: [{ challengeId, amount, asset, test }] } = await call('/v1/challenge', { res_id: ${JSON.stringify(resId)} })
  document.querySelector('#challenge').textContent = challengeId + ': ' + amount + ' of ' + asset + ', a test: ' + test
  document.querySelector('#verify').onclick = async () => {
    const { settled } = await call('/v1/verify', { challengeId, hash: 'any' })
    document.querySelector('#paid').textContent = settled ? 'settled' : 'not yet'
  }
</script>`
