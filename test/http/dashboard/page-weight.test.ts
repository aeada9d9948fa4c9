import test from 'ava'
import { createDownloads } from '../../../adapters/http/agent/common/downloads.ts'
import { dashboardEndpoints } from '../../../adapters/http/surfaces/dashboard.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { fillAccount } from '../../support/busy-account.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { person } from '../../support/people.ts'

/** What a browser loads for each page of the dashboard, also where an account has much of everything. */

/** Bytes of the page, its styles and its scripts, uncompressed and without pictures. */
const PAGE_BYTES_MAX = 60_000
const ROWS = 120
const COINS = 12

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const parts = new Map<string, Promise<number>>()
/** Bytes of a part, and of what it imports. */
const weightOf = (path: string): Promise<number> => {
  const known = parts.get(path) ?? loaded(path)
  parts.set(path, known)
  return known
}

const loaded = async (path: string): Promise<number> => {
  const response = await fetch(new URL(path, app.served().origin))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  const text = await response.text()
  if (/^\s*(import|@import)\b/m.test(text)) throw new Error(`${path} imports more, which nobody counts here`)
  return Buffer.byteLength(text)
}

test('N-83 N-82 no page of the dashboard is heavier than 60 KB with all that it loads', async (t) => {
  const { who } = await signedInMember(app)
  await fillAccount(app.databaseUrl, ROWS, COINS)
  const stranger = person(app)
  const paths = dashboardEndpoints(createDownloads())
    .filter(({ method, page, path }) => method === 'get' && page && !path.includes(':'))
    .map(({ path }) => path)
  const all = [
    ...paths,
    '/dashboard?period=30d',
    '/dashboard?period=today',
    `/dashboard/payments/${4_503_599_627_370_496n + 1n}`,
    '/dev/parts',
  ]
  for (const browser of [who, stranger])
    for (const path of all) {
      const { status, text } = await browser.open(path)
      if (status === 303) continue
      t.is(status, 200, path)
      const page = text.replaceAll(/<svg class="qr".*?<\/svg>/gs, '')
      const linked = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, each]) => each ?? '')
      t.true(linked.length > 0, path)
      t.is(linked.includes('/assets/people.css'), /class="people\b/.test(page), `${path} has the styles that it needs`)
      const weights = await Promise.all(linked.map(weightOf))
      const bytes = Buffer.byteLength(page) + weights.reduce((sum, each) => sum + each, 0)
      t.true(bytes <= PAGE_BYTES_MAX, `${path} weighs ${bytes}, its page ${Buffer.byteLength(page)}`)
      t.log(path, bytes)
    }
})
