import test from 'ava'
import { createDownloads } from '../../../adapters/http/agent/common/downloads.ts'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { dashboardEndpoints } from '../../../adapters/http/surfaces/dashboard.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { enrolledMember } from '../../support/dashboard.ts'
import { logOf } from '../../support/sale.ts'

/** What asks for a second factor that is at most five minutes old, drawn from the list of all pages and forms. */

const clock = { shiftMs: 0 }
let app: TestApp
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
})
test.after.always(() => app?.stop())

const FRESH_MS = 5 * 60_000
const guarded = dashboardEndpoints(createDownloads()).filter(({ callers }) => callers?.fresh)
const pathOf = ({ path }: Endpoint) => path.replaceAll(/:(\w+)/g, 'x_1')
const fieldsOf = ({ when = {} }: Endpoint) =>
  Object.fromEntries(Object.entries(when).map(([name, value]) => [name, value === true ? '1' : value]))
const named = (e: Endpoint) => `${e.method} ${e.path} ${JSON.stringify(e.when ?? {})}`

test('N-82 N-91 what moves money or cannot be taken back asks for a fresh second factor', (t) => {
  const paths = new Set(guarded.map(({ path }) => path))
  for (const path of ['/dashboard/wallets', '/dashboard/wallets/address', '/dashboard/wallets/proof'])
    t.true(paths.has(path), path)
  for (const path of ['/dashboard/wallets/tokens', '/dashboard/settings/close']) t.true(paths.has(path), path)
})

test.serial('N-82 each page that asks for one leads to the page for it, and from there back to itself', async (t) => {
  const { who, code } = await enrolledMember(app, clock)
  const pages = guarded.filter(({ method }) => method === 'get')
  t.true(pages.length > 3)
  for (const e of pages) {
    const path = pathOf(e)
    clock.shiftMs += FRESH_MS + 1_000
    const confirm = `/dashboard/confirm?next=${encodeURIComponent(path)}`
    t.is((await who.open(path)).location, confirm, named(e))
    t.is((await who.send('/dashboard/confirm', { code: '000000' }, confirm)).status, 422, named(e))
    t.is((await who.open(path)).location, confirm, `${named(e)} after a wrong code`)
    t.is((await who.send('/dashboard/confirm', { code: code() }, confirm)).location, path, named(e))
    // Some lead on to the list when nothing is named in their address; none asks again.
    t.notRegex((await who.open(path)).location, /confirm/, named(e))
  }
})

test.serial('N-82 each form that asks for one does nothing without it, and leads to the page for it', async (t) => {
  const { who } = await enrolledMember(app, clock)
  clock.shiftMs += FRESH_MS + 1_000
  const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open('/dashboard')).text)?.[1] ?? ''
  const before = (await logOf(app)).length
  const forms = guarded.filter(({ method }) => method !== 'get')
  t.true(forms.length > 5)
  for (const e of forms) {
    const { status, location } = await who.post(pathOf(e), { ...fieldsOf(e), csrf })
    t.is(status, 303, named(e))
    t.regex(location, /^\/dashboard\/confirm\?next=%2Fdashboard/, named(e))
  }
  const after = (await logOf(app)).slice(before)
  t.deepEqual(
    after.filter(({ cause }) => cause.actor.includes('/member/')),
    [],
    'nothing was done',
  )
})
