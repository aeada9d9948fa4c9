import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { BROWSER, saidIn } from './buyer.ts'
import { type Offer, ok } from './seller.ts'

/** Calls of the merchant console, as forms. */

export type Fields = Readonly<Record<string, string>>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** One function of the console; `at` is the page that is called. */
export const consoleCall = (
  app: Pick<TestApp, 'call'>,
  key: string | undefined,
  name: string,
  fields: Fields = {},
  at = '/api.php',
): Promise<Answer> =>
  app.call('POST', at, { key, headers: FORM, body: new URLSearchParams({ function: name, ...fields }).toString() })

/** The response of one that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the service said.
export const consoleOk = async (...call: Parameters<typeof consoleCall>): Promise<any> => {
  const { status, text, json } = await consoleCall(...call)
  if (status !== 200 || json.success !== true) throw new Error(`${call[2]} answered ${status}: ${text}`)
  return json.response
}

/** Status and code of one that has to be refused in the envelope. */
export const consoleRefusal = async (...call: Parameters<typeof consoleCall>): Promise<string> => {
  const { status, json } = await consoleCall(...call)
  return json.success === false && typeof json.message === 'string' ? `${status} ${json.error_code}` : `${status}`
}

/** What create-transaction answers, as far as tests need it. */
export type Made = { transaction_id: string; encrypted_id: string; payment_link: string }

export const recordOf = (app: TestApp, key: string, { transaction_id }: Made): Promise<Fields> =>
  consoleOk(app, key, 'get-transaction', { transaction_id })

/** What a machine is offered at the link. */
export const offerAt = async (app: TestApp, { payment_link }: Made): Promise<Offer & { asset: string }> => {
  const { status, json, text } = await app.call('GET', `${new URL(payment_link).pathname}?agent=1`)
  if (status !== 402) throw new Error(`the link answered ${status}: ${text}`)
  return json.accepts[0]
}

/** What a person who has the link sees. */
export const pageAt = async (app: TestApp, url: string): Promise<string> => {
  const { pathname, search } = new URL(url)
  return saidIn(await ok(app.call('GET', `${pathname}${search}`, { headers: { accept: BROWSER } })))
}

/** What a function that succeeds answers, out of its envelope. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service said.
export const said = async (answering: Promise<Answer>): Promise<any> => {
  const { json, text } = await ok(answering)
  if (json.success !== true) throw new Error(`no success: ${text}`)
  return json.response
}
