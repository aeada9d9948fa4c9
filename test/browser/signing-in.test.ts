import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { chromiumPath } from '../support/chromium.ts'
import { cases } from '../support/depth.ts'
import { formOf, type Oidc, openOidc, request, STATE } from '../support/oidc.ts'

/** Signing in to an app of others in a real browser, which keeps to what our pages say of where a form may lead. */

const path = chromiumPath()
const inBrowser = path ? test : test.skip

let oidc: Oidc
let browser: Browser
let app: Server
let uri: string
test.before(async () => {
  if (!path) return
  app = createServer((_, response) => void response.end('<h1>The app</h1>'))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`
  oidc = await openOidc()
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await oidc?.stop()
  app?.close()
})

inBrowser(
  'A-OID-01 A-OID-07 A-OID-10 a browser goes from the app to sign in, to agree, and back to the app',
  async (t) => {
    const shop = await oidc.operator.app({ name: 'Corner Shop', confidential: false, redirectUris: [uri] })
    for (const { name, options } of cases(looks, 2)) {
      const user = await oidc.operator.user()
      const context = await browser.newContext(options)
      const { page, wrong } = await openPage(context)
      const authorize = (more: object) =>
        page.goto(`${oidc.origin}/oauth2?op=authorize&${formOf(request(shop, { redirect_uri: uri, ...more }))}`)
      await authorize({ scope: 'openid email profile balance', login_hint: user.email })
      await signIn(page, user.password)
      await looked(t, page, `consent-${name}`)
      t.true(await page.getByText('Corner Shop').first().isVisible())
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await back(t, page)
      await authorize({ prompt: 'login', login_hint: user.email })
      await signIn(page, user.password)
      await back(t, page)
      await page.goto(`${oidc.origin}/oauth2?op=end_session`)
      await looked(t, page, `sign-out-${name}`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await looked(t, page, `signed-out-${name}`)
      t.deepEqual(wrong, [], name)
      await page.goto(`${oidc.origin}/oauth2?op=authorize&client_id=${shop.clientId}`)
      await looked(t, page, `broken-request-${name}`)
      await context.close()
    }
  },
)

const signIn = async (page: Page, password: string) => {
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const back = async (t: ExecutionContext, page: Page) => {
  await page.waitForURL(`${uri}?**`, { timeout: 10_000 })
  t.is(new URL(page.url()).searchParams.get('state'), STATE)
  t.true(await page.getByText('The app').isVisible())
}

/** Nothing keeps anybody from using it, and it fits its screen. */
const looked = async (t: ExecutionContext, page: Page, name: string) => {
  await shoot(page, name)
  t.deepEqual(await barriers(page), [], name)
  const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
  t.true(inner <= outer, `${name} is ${inner} wide on ${outer}`)
}
