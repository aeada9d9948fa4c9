/** What the owner of an app sees and does, and the daily look at the domains of apps. */

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { createDns } from '../../../adapters/dns.ts'
import { createQueries } from '../../../projections/index.ts'
import { recheckDomains } from '../../../src/clock/domain-checks.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../../support/browser.ts'
import { chromiumPath } from '../../support/chromium.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { openOperator } from '../../support/operator.ts'
import { type Person, person } from '../../support/people.ts'

const DAY_MS = 86_400_000
const RECORD = '_svc-signin.shop.example'

let dns: Awaited<ReturnType<typeof startDnsServer>>
let app: TestApp
let op: Awaited<ReturnType<typeof openOperator>>
let ada: Person
let mallory: Person
let clientId = ''
let aheadMs = 0

test.before(async () => {
  dns = await startDnsServer()
  app = await startApp({
    env: { DNS_SERVERS: dns.address },
    world: { now: () => new Date(Date.now() + aheadMs) },
  })
  op = await openOperator(app)
  const browser = async () => person(app, (await op.session((await op.user()).sub)).cookie)
  ;[ada, mallory] = await Promise.all([browser(), browser()])
})

test.after.always(async () => {
  await op?.stop()
  await Promise.all([app?.stop(), dns?.stop()])
})

const own = (path = 'app') => `/account/developer/${path}?client_id=${clientId}`
const act = (what: string, fields: Record<string, string> = {}) => ada.send(own(), { act: what, ...fields })
const stateOf = async () => {
  const state = await op.ledger.clientApp.read(clientId)
  if (state.status === 'none') throw new Error('no app')
  return state
}

test.serial('N-59 an app is registered on a page that shows its secrets once', async (t) => {
  t.true((await ada.open('/account/developer')).text.includes('Register an app'))
  const wish = {
    name: 'Tea & Co',
    kind: 'confidential',
    uris: 'https://shop.example/cb\r\n\r\nhttps://a.shop.example/cb',
  }
  const refused = await ada.send('/account/developer/new', { ...wish, uris: 'http://shop.example/cb' })
  t.is(refused.status, 422)
  t.true(
    refused.text.includes('Each redirect URI has to start with https://') &&
      refused.text.includes('http://shop.example/cb'),
  )
  const made = await ada.send('/account/developer/new', { ...wish, url: app.receiver.url })
  t.is(made.status, 200, made.text)
  clientId = /app_[a-z0-9]+/.exec(made.text)?.[0] ?? ''
  const secrets = [/cs_[0-9a-f]{64}/, /cpk_[0-9a-f]{64}/, /whsec_[0-9a-f]{64}/].map((each) => each.exec(made.text)?.[0])
  for (const secret of secrets) t.truthy(secret)
  const page = await ada.open(own())
  t.is(page.status, 200)
  t.true(page.text.includes('Tea &amp; Co'))
  for (const secret of secrets) t.false(page.text.includes(secret ?? 'none'))
  t.true((await ada.open('/account/developer')).text.includes(clientId))
  t.deepEqual((await stateOf()).redirectUris, ['https://shop.example/cb', 'https://a.shop.example/cb'])
})

test.serial('N-59 an app is its owner’s alone, and nobody changes it from elsewhere', async (t) => {
  for (const path of ['app', 'deliveries']) t.is((await mallory.open(own(path))).status, 404)
  t.is((await mallory.send(own(), { act: 'webhook-secret' }, '/account/developer/new')).status, 404)
  t.is((await ada.post(own(), { act: 'webhook-secret', csrf: 'guessed' })).status, 403)
  const stranger = await person(app).open(own())
  t.deepEqual([stranger.status, stranger.location], [303, `/sign-in?next=${encodeURIComponent(own())}`])
})

test.serial('A-CLI-02 a domain is added, its record shown, and proven once the record is there', async (t) => {
  t.is((await act('claim', { domain: 'github.io' })).status, 422)
  t.is((await act('claim', { domain: ' Shop.Example ' })).status, 303)
  const token = (await stateOf()).domains['shop.example']?.token
  const page = (await ada.open(own())).text
  t.true(page.includes(RECORD) && page.includes(`svc-signin=${token}`))
  const early = await act('verify', { domain: 'shop.example' })
  t.is(early.status, 422)
  t.true(early.text.includes('There is no TXT record'))
  dns.zone.set(RECORD, { rcode: 2 })
  t.true((await act('verify', { domain: 'shop.example' })).text.includes('gave no answer'))
  dns.zone.set(RECORD, [`svc-signin=${token}`])
  t.is((await act('verify', { domain: 'shop.example' })).status, 303)
  t.is((await stateOf()).domains['shop.example']?.status, 'verified')
})

test.serial('N-59 secrets, URIs and the endpoint are changed on the page of the app', async (t) => {
  const before = await stateOf()
  t.regex((await act('credit-push-key')).text, /cpk_[0-9a-f]{64}/)
  t.is((await act('client-secret')).status, 200)
  t.is((await act('unsign')).status, 303)
  const uris = { uris: 'https://shop.example/new', post_logout: 'https://shop.example/bye' }
  t.is((await act('uris', uris)).status, 303)
  t.is((await act('uris', { uris: 'https://shop.example/half', post_logout: 'S256' })).status, 422)
  t.is((await act('backchannel', { url: 'http://192.0.2.1/hook' })).status, 422)
  const after = await stateOf()
  t.not(after.secretHash, before.secretHash)
  t.is(after.creditPushKey?.previous?.hash, before.creditPushKey?.hash)
  t.like(after, { redirectUris: ['https://shop.example/new'], postLogoutUris: ['https://shop.example/bye'] })
  t.deepEqual([after.signingSecret, after.backchannelUrl], [null, app.receiver.url])
  t.is((await act('disable')).status, 422)
})

test.serial('A-RCP-06 the owner sees what was sent with every attempt, and has it sent again', async (t) => {
  const eventId = 'b'.repeat(32)
  const wish = { clientId, url: app.receiver.url, kind: 'receipt' as const, payload: '{"event":"test"}' }
  app.receiver.answer.status = 410
  app.receiver.answer.body = '<b>gone</b>'
  await op.ledger.notification.schedule(eventId, wish)
  const delivery = `${own('delivery')}&event_id=${eventId}`
  const page = await eventually('the attempt shows', async () => {
    const { text } = await ada.open(delivery)
    return text.includes('given up') && text
  })
  t.true(page.includes('Attempt 1: 410') && page.includes('&lt;b>gone&lt;/b>'))
  t.true((await ada.open(own('deliveries'))).text.includes(eventId))
  app.receiver.answer.status = 200
  t.is((await ada.send(delivery)).status, 303)
  await eventually('it is accepted', async () => (await ada.open(delivery)).text.includes('accepted, after 2 attempts'))
  t.is((await mallory.open(delivery)).status, 404)
})

const chromium = chromiumPath()
const inBrowser = chromium ? test.serial : test.serial.skip

inBrowser(
  'N-59 the pages for owners of apps can be used by everybody, on a phone and on a desk, by day and by night',
  async (t) => {
    const browser = await startBrowser(chromium ?? '')
    t.teardown(() => browser.close())
    const origin = app.served().origin
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.addCookies([...ada.cookies].map(([name, value]) => ({ name, value, url: origin })))
    const { page, wrong } = await openPage(context)
    const paths = { apps: '/account/developer', new: '/account/developer/new', app: own() }
    const sent = { deliveries: own('deliveries'), delivery: `${own('delivery')}&event_id=${'b'.repeat(32)}` }
    for (const [name, path] of Object.entries({ ...paths, ...sent })) {
      await page.goto(`${origin}${path}`)
      await looksRight(t, page, name)
    }
    await page.goto(`${origin}${own()}`)
    await page
      .getByRole('button', { name: 'New secret that signs receipts' })
      .or(page.getByRole('button', { name: 'Sign receipts' }))
      .click()
    t.regex((await page.locator('main').textContent()) ?? '', /whsec_[0-9a-f]{64}/)
    await looksRight(t, page, 'secret')
    t.deepEqual(wrong, [])
  },
)

test.serial(
  'A-CLI-04 L-AUT-12 domains are looked at daily: gone is dead, back is alive, silence changes nothing',
  async (t) => {
    const status = async () => (await stateOf()).domains['shop.example']?.status
    const record = dns.zone.get(RECORD) ?? []
    const becomes = (wanted: string) => eventually(`it is ${wanted}`, async () => (await status()) === wanted)
    dns.zone.delete(RECORD)
    const asked = dns.asked.length
    await round(0)
    t.deepEqual([dns.asked.length, await status()], [asked, 'verified'], 'it was looked at today')
    t.is(await authorize(), 302)
    aheadMs += DAY_MS + 1_000
    await becomes('lapsed')
    await eventually('it is refused', async () => (await authorize()) === 400)
    dns.zone.set(RECORD, record)
    await round(DAY_MS)
    await becomes('verified')
    await eventually('it works again', async () => (await authorize()) === 302)
  },
)

test.serial(
  'A-CLI-04 name servers that say nothing change nothing, and after three days the operator is told',
  async (t) => {
    dns.zone.set(RECORD, { rcode: 2 })
    const told: number[] = []
    for (let day = 2; day <= 6; day++) {
      const { warned } = await round(day * DAY_MS)
      told.push(warned.length)
    }
    t.is((await stateOf()).domains['shop.example']?.status, 'verified')
    t.deepEqual(told, [0, 0, 0, 1, 1])
  },
)

/** What a browser in which nobody is signed in gets: led to the sign-in, or a page that says no. */
const authorize = async (): Promise<number> => {
  const asked = new URLSearchParams({
    op: 'authorize',
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'https://shop.example/new',
    scope: 'openid',
    state: 'sixteen-characters',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  })
  return (await person(app).open(`/oauth2?${asked}`)).status
}

const looksRight = async (t: ExecutionContext, page: Page, name: string) => {
  for (const { name: look, options } of looks) {
    await page.setViewportSize(options.viewport ?? { width: 360, height: 740 })
    await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' })
    await shoot(page, `developer-${name}-${look}`)
    t.deepEqual(await barriers(page), [], `${name} ${look}`)
    const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    t.is(over, 0, `${name} ${look} runs over to the side`)
  }
}

/** One look at what is due, so many milliseconds from now on, as the service does it. */
const round = async (laterMs: number) => {
  const sql = connectBeside(app.databaseUrl)
  const warned: object[] = []
  const world = { ...op.flow.world, now: () => new Date(Date.now() + aheadMs + laterMs) }
  const flow = { ledger: op.ledger, world, dns: createDns([dns.address]) }
  const parts = {
    queries: createQueries(sql),
    signIn: op.signIn,
    log: { warn: (facts: object) => void warned.push(facts) },
  }
  await recheckDomains(flow, parts, new AbortController().signal)
  await sql.end()
  return { warned }
}
