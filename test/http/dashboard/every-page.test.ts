import test from 'ava'
import { createDownloads } from '../../../adapters/http/agent/common/downloads.ts'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { dashboardEndpoints } from '../../../adapters/http/surfaces/dashboard.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { cases } from '../../support/depth.ts'
import { person } from '../../support/people.ts'

/** Every page and form of the dashboard, drawn from the list of its endpoints: a new one is in it by itself. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const endpoints = dashboardEndpoints(createDownloads())
const pathOf = ({ path }: Endpoint) => path.replaceAll(/:(\w+)/g, 'x_1')
const pages = endpoints.filter(({ method, page }) => method === 'get' && page)
const forms = endpoints.filter(({ method }) => method !== 'get')
const fieldsOf = ({ when = {} }: Endpoint) =>
  Object.fromEntries(Object.entries(when).map(([name, value]) => [name, value === true ? '1' : value]))

test('N-82 every page of the dashboard says whose it is, and is under its path', (t) => {
  t.true(pages.length > 10 && forms.length > 10)
  for (const { path, auth } of endpoints) {
    t.regex(path, /^\/dashboard(\/|$)/)
    t.true(auth === 'member' || auth === 'guest', path)
  }
})

test('N-82 every screen names the capability that a member needs; what is a member’s own needs none', (t) => {
  const own = /^\/dashboard(\/(menu|live|confirm|accounts|security.*))?$/
  for (const { path, method, callers } of endpoints.filter(({ auth, path }) => auth === 'member' && !own.test(path)))
    t.truthy(callers?.capability, `${method} ${path}`)
})

test('N-82 without a session, every page and form of a member leads to the sign-in', async (t) => {
  const origin = app.served().origin
  for (const e of endpoints.filter(({ auth }) => auth === 'member')) {
    const path = pathOf(e)
    const post = { method: 'POST', body: new URLSearchParams(fieldsOf(e)) }
    const answer = await fetch(origin + path, { redirect: 'manual', ...(e.method !== 'get' && post) })
    if (!e.page) t.is(answer.status, 401, path)
    else {
      t.is(answer.status, 303, `${e.method} ${path}`)
      t.is(answer.headers.get('location'), `/dashboard/sign-in?next=${encodeURIComponent(path)}`)
    }
  }
})

test('N-82 every form without its token, with another one, or from another site, is refused', async (t) => {
  const { who } = await signedInMember(app)
  const stranger = person(app)
  await stranger.open('/dashboard/sign-in')
  const page = await who.open('/dashboard')
  const own = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  t.not(own, '')
  const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
  const others = new Set(cases(forms, 4))
  for (const e of forms) {
    const [path, fields] = [pathOf(e), fieldsOf(e)]
    for (const browser of e.auth === 'guest' ? [who, stranger] : [who]) {
      t.is((await browser.post(path, fields)).status, 403, path)
      if (others.has(e)) t.is((await browser.post(path, { ...fields, csrf: 'guessed' })).status, 403, path)
    }
    if (others.has(e)) t.is((await who.post(path, { ...fields, csrf: own }, foreign)).status, 403, path)
  }
  t.is((await who.open('/dashboard')).status, 200)
})

test('N-82 every page is kept by nobody, framed by nobody, and runs no script of its own', async (t) => {
  const { who } = await signedInMember(app)
  const stranger = person(app)
  for (const e of cases(pages, 4))
    for (const browser of [who, stranger]) {
      const { status, headers, text } = await browser.open(pathOf(e))
      t.is(headers.get('cache-control'), 'no-store', e.path)
      if (status === 303) continue
      // Nothing has the id that stands in the path here.
      t.is(status, e.path.includes(':') ? 404 : 200, e.path)
      if (status === 200) wellKept(t, headers.get('content-security-policy') ?? '')
      t.is(headers.get('x-frame-options'), 'DENY')
      t.notRegex(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/, e.path)
    }
})

const wellKept = (t: { true(value: boolean, message?: string): void }, policy: string) => {
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
    t.true(policy.includes(rule), rule)
  t.true(!/unsafe|\*/.test(policy))
}
