import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { ok } from './seller.ts'

/** The merchant console as its clients call it: forms with a function's name. */

export type Fields = Readonly<Record<string, string>>

/** Calls a function with a key, or with none. `path` is the main API unless given. */
export const consoleCall = (
  app: Pick<TestApp, 'call'>,
  key: string | undefined,
  name: string,
  fields: Fields = {},
  path = '/api.php',
): Promise<Answer> =>
  app.call('POST', path, {
    ...(key !== undefined && { key }),
    body: new URLSearchParams({ function: name, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** What a function that succeeds answers, out of its envelope. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service said.
export const said = async (answering: Promise<Answer>): Promise<any> => {
  const { json, text } = await ok(answering)
  if (json.success !== true) throw new Error(`no success: ${text}`)
  return json.response
}
