/** The callers during the soak, with their calls: sellers, buyers, people, apps. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { openOperator } from '../operator.ts'
import type { BenchService } from '../service.ts'
import { CHALLENGE, REDIRECT_URI, STATE, VERIFIER } from '../sign-ins.ts'
import type { Job } from './jobs.ts'

const DEBTORS = 50
const CONNECTIONS = 64
const BROWSER = 'text/html,application/xhtml+xml'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Call = {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
  readonly status?: number
}

export const openScene = async (service: BenchService, dataDir: string, receiverUrl: string) => {
  const { client, key, origin } = service
  const { databaseUrl } = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as { databaseUrl: string }
  const post = (path: string, body: object) => client.json('POST', path, { key, body })
  await post('/v1/webhook', { url: receiverUrl })
  const live = (await post('/v1/resources', { amount: 5, currency: 'USD' })).res_id as string
  const played = (await post('/v1/resources', { amount: 5, currency: 'USD', test: true })).res_id as string
  const operator = await openOperator({ dataDir, databaseUrl })
  const app = await operator.app(REDIRECT_URI)
  const debtors = await operator.debtors(app.clientId, DEBTORS)
  const sub = await operator.user()
  const cookie = await operator.browser(sub, app.clientId)
  const agent = new Agent({ connections: CONNECTIONS })
  const timed = caller(origin, agent)
  const parts = { timed, key, live, played, app, debtors, cookie }
  return {
    databaseUrl,
    jobs: [...buying(parts), ...reading(parts), ...signingIn(parts)],
    async stop() {
      await agent.close()
      await operator.close()
    },
  }
}

type Parts = {
  readonly timed: ReturnType<typeof caller>
  readonly key: string
  readonly live: string
  readonly played: string
  readonly app: { readonly clientId: string; readonly clientSecret: string }
  readonly debtors: readonly { readonly mandateId: string }[]
  readonly cookie: string
}

/** Makes one call and tells its time; throws when it is answered with another status than it should be. */
const caller =
  (origin: string, dispatcher: Agent) =>
  async (took: (ms: number) => void, { method = 'GET', path, headers = {}, body, status = 200 }: Call) => {
    const start = performance.now()
    const isJson = typeof body === 'object'
    const answer = await request(new URL(path, origin), {
      method,
      dispatcher,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      body: isJson ? JSON.stringify(body) : (body ?? null),
    })
    const text = await answer.body.text()
    took(performance.now() - start)
    if (answer.statusCode !== status) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`)
    return { text, location: String(answer.headers.location ?? '') }
  }

const buying = ({ timed, key, live, played }: Parts): Job[] => {
  const headers = { 'x-api-key': key }
  let buyer = 0
  // Each buyer comes from an address of its own, so that each gets a challenge of its own.
  const from = () => ({ 'x-forwarded-for': `10.${(++buyer >> 16) & 255}.${(buyer >> 8) & 255}.${buyer & 255}` })
  return [
    { name: 'door', perSecond: 10, act: (took) => timed(took, { path: `/r/${live}`, headers: from(), status: 402 }) },
    { name: 'door again', perSecond: 5, act: (took) => timed(took, { path: `/r/${live}`, status: 402 }) },
    { name: 'page', perSecond: 5, act: (took) => timed(took, { path: `/r/${live}`, headers: { accept: BROWSER } }) },
    {
      name: 'sale',
      perSecond: 4,
      async act(took) {
        const minted = await timed(took, { method: 'POST', path: '/v1/challenge', headers, body: { res_id: played } })
        const [{ challengeId }] = JSON.parse(minted.text).accepts
        await timed(took, { method: 'POST', path: '/v1/simulate-payment', headers, body: { challengeId } })
      },
    },
  ]
}

const reading = ({ timed, key }: Parts): Job[] => {
  const headers = { 'x-api-key': key }
  return ['/v1/transactions?limit=25', '/v1/resources', '/v1/wallets', '/v1/billing'].map((path) => ({
    name: path,
    perSecond: 4,
    act: (took) => timed(took, { path, headers }),
  }))
}

const signingIn = ({ timed, app, debtors, cookie }: Parts): Job[] => {
  const named = { client_id: app.clientId, client_secret: app.clientSecret }
  const form = (fields: Record<string, string>) => new URLSearchParams({ ...named, ...fields }).toString()
  const asking = new URLSearchParams({
    op: 'authorize',
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    state: STATE,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    prompt: 'none',
  })
  let debits = 0
  return [
    {
      name: 'sign-in',
      perSecond: 3,
      async act(took) {
        const { location } = await timed(took, { path: `/oauth2?${asking}`, headers: { cookie }, status: 302 })
        const code = new URL(location).searchParams.get('code') ?? ''
        const body = form({
          grant_type: 'authorization_code',
          code,
          redirect_uri: REDIRECT_URI,
          code_verifier: VERIFIER,
        })
        const { text } = await timed(took, { method: 'POST', path: '/oauth2?op=token', headers: FORM, body })
        const headers = { authorization: `Bearer ${JSON.parse(text).access_token}` }
        await timed(took, { path: '/oauth2?op=userinfo', headers })
      },
    },
    {
      name: 'debit',
      perSecond: 5,
      act(took) {
        const { mandateId: mandate_id = '' } = debtors[debits++ % debtors.length] ?? {}
        const body = form({ mandate_id, amount: '0.01', description: 'Soak', idempotency_key: `soak-${debits}` })
        return timed(took, { method: 'POST', path: '/oauth2?op=mandate&act=debit', headers: FORM, body })
      },
    },
  ]
}
