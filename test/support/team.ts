/** Short ways to sub-keys, for tests over HTTP. */
import type { TestApp } from './app.ts'
import { ok } from './seller.ts'

export const TEAM = '/v1/subagents'

export const teamCalls = (app: () => Pick<TestApp, 'call'>) => {
  const call = (method: string, path: string, key: string, body?: object) => app().call(method, path, { key, body })
  return {
    call,
    /** Makes a sub-key; answers all that is said of it this once. */
    make: async (key: string, body: object) => (await ok(call('POST', TEAM, key, body))).json,
    put: async (key: string, id: number, body: object) =>
      (await ok(call('PUT', `${TEAM}?subagent_id=${id}`, key, body))).json,
    teamOf: async (key: string) => (await ok(call('GET', TEAM, key))).json,
    statusOf: async (method: string, path: string, key: string, body?: object) =>
      (await call(method, path, key, body)).status,
  }
}
