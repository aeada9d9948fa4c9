import type { ExecutionContext } from 'ava'
import type { Page, Route } from 'playwright-core'
import type { Answer } from '../../src/demo/client.ts'
import { barriers, shoot } from './browser.ts'

/** The auditor's page as a person uses it, and a server between that changes what is answered. */

export const VERDICT = '.verdict:is(.good, .bad, .open)'

type Json = Answer['json']

export type Lie = (json: Json) => unknown

/** A byte of an answer, by the call that it is changed in. */
export const lies: Readonly<Record<string, readonly [call: string, lie: Lie]>> = {
  'the line of an event': ['proof', (json) => ({ ...json, line: json.line.replace('"revision":', '"revision":1') })],
  'the path of an event': ['proof', ({ path: way, ...json }) => ({ ...json, path: way.map(other) })],
  'another event': ['events', ({ events, ...json }) => ({ ...json, events: renamed(events) })],
  'the root of a head': ['seals', (json) => newestHead(json, ({ root }) => ({ root: other(root) }))],
  'the size of a head': ['seals', (json) => newestHead(json, ({ size }) => ({ size: size + 1 }))],
  'the signature of a head': [
    'seals',
    (json) => newestHead(json, ({ signature }) => ({ signature: other(signature) })),
  ],
  'what joins two heads': ['consistency', ({ path: way, ...json }) => ({ ...json, path: way.map(other) })],
  'a proof that is not given': ['proof', () => undefined],
}

export const enter = async (page: Page, key: string) => {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Open the ledger' }).click()
}

export const go = (page: Page, view: string) =>
  page.evaluate((hash) => void Object.assign(globalThis.location, { hash }), `/${view}`)

export const verify = async (page: Page) => {
  await go(page, 'seals')
  await page.locator('#verdict').evaluate((element: { replaceChildren(): void }) => element.replaceChildren())
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.locator(VERDICT).waitFor()
}

/** Events that the newest head covers that the page has verified; 0 before the first. */
export const remembered = async (page: Page): Promise<number> =>
  Number(await page.evaluate(`JSON.parse(localStorage.getItem('daybook-audit-head'))?.size ?? 0`))

export const looked = async (t: ExecutionContext, page: Page, state: string) => {
  await shoot(page, state)
  t.deepEqual(await barriers(page), [], state)
  const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  t.is(over, 0, `${state} runs over to the side`)
}

export const lyingTo = (lie: Lie) => async (route: Route) => {
  const truth = await route.fetch()
  const json = lie(await truth.json())
  await (json ? route.fulfill({ response: truth, json }) : route.fulfill({ status: 404, json: { message: 'None.' } }))
}

const other = (base64: string) => (base64.startsWith('A') ? 'B' : 'A') + base64.slice(1)

/** Shows the first of the events under the name of another. */
const renamed = (events: readonly Json[]) =>
  events.map((event: Json, n: number) => (n === 0 ? { ...event, type: 'Renamed' } : event))

const newestHead = ({ heads, ...json }: Json, change: (head: Json) => object) => {
  const [head, ...older] = heads
  return { ...json, heads: [{ ...head, ...change(head) }, ...older] }
}
