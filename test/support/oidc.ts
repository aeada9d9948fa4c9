import { createHash, randomBytes } from 'node:crypto'
import type { AppSecrets } from '../../domain/use-cases/signin/register-app.ts'
import type { Send } from '../../src/demo/client.ts'
import { type AppOptions, CALL_LIMIT_MS, startApp, type TestApp } from './app.ts'
import { openOperator } from './operator.ts'
import { hiddenIn, type Page, person } from './people.ts'
import { quickSend } from './quick-send.ts'

/** The sign-in service with apps and users, and a browser that keeps cookies and follows nothing by itself. */

const MANY = '1000000'

export const openOidc = async (options: AppOptions = {}) => {
  let shiftMs = 0
  const rates = {
    ADDRESS_RATE_PER_SECOND: MANY,
    ADDRESS_RATE_BURST: MANY,
    CLIENT_RATE_PER_SECOND: MANY,
    CLIENT_RATE_BURST: MANY,
    AUTHORIZE_PER_MINUTE: MANY,
    USERINFO_PER_MINUTE: MANY,
    TOKEN_FAILURES_PER_MINUTE: MANY,
  }
  const app = await startApp({
    ...options,
    world: { now: () => new Date(Date.now() + shiftMs) },
    env: { ...rates, ...options.env },
  })
  const operator = await openOperator(app)
  const origin = app.served().origin
  /** The cookie of a browser in which somebody has signed in just now, by the clock of the service. */
  const session = async (sub: string, amr: readonly string[] = ['pwd']) => {
    const [secret, sid] = [fresh(), operator.flow.world.id('ses')]
    const row = { sid, sub, amr, device: 'Test', secretHash: operator.flow.world.digest(secret) }
    await operator.signIn.sessions.begin(row, new Date(Date.now() + shiftMs))
    return { sid, cookie: `sid=${secret}` }
  }
  return {
    app,
    operator,
    origin,
    session,
    /** Moves the clock of the service. */
    later(seconds: number) {
      shiftMs += seconds * 1_000
    },
    browser: (cookie = '') => browserAt(app, cookie),
    /** A user in whose browser somebody is signed in. */
    async signedIn(amr?: readonly string[]) {
      const user = await operator.user()
      const { sid, cookie } = await session(user.sub, amr)
      return { ...user, sid, cookie, browser: browserAt(app, cookie) }
    },
    /** A call of an app's own server. */
    post: (op: string, form: Fields, headers: Record<string, string> = {}) => post(origin, op, form, headers),
    get: async (op: string, headers: Record<string, string> = {}) =>
      await answered(await sent(origin, op, { method: 'GET', headers })),
    async stop() {
      await operator.stop()
      await app.stop()
    },
  }
}
export type Oidc = Awaited<ReturnType<typeof openOidc>>

export type Fields = Readonly<Record<string, string | undefined>>

export const STATE = 'a-state-of-16-characters-or-more'
export const VERIFIER = 'v'.repeat(43)
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
export const fresh = () => randomBytes(32).toString('base64url')

/** A good request of an app; `undefined` leaves a parameter out. */
export const request = ({ clientId }: Pick<AppSecrets, 'clientId'>, fields: Fields = {}): Fields => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: 'https://app.test/cb',
  scope: 'openid',
  state: STATE,
  code_challenge: challengeOf(VERIFIER),
  code_challenge_method: 'S256',
  ...fields,
})

/** What redeems the code of such a request. */
export const redemption = (
  { clientId, clientSecret }: Pick<AppSecrets, 'clientId' | 'clientSecret'>,
  code: string,
  fields: Fields = {},
): Fields => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: 'https://app.test/cb',
  client_id: clientId,
  client_secret: clientSecret ?? undefined,
  code_verifier: VERIFIER,
  ...fields,
})

export const formOf = (fields: Fields): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const answered = async (response: Awaited<ReturnType<Send>>) => {
  const text = await response.text()
  const location = response.headers.get('location') ?? ''
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the service said.
  const json = (response.headers.get('content-type') ?? '').includes('json') ? (JSON.parse(text) as any) : undefined
  return { status: response.status, headers: response.headers, text, location, query: queryOf(location), json }
}

const post = async (origin: string, op: string, form: Fields, headers: Record<string, string>) =>
  await answered(
    await sent(origin, op, {
      method: 'POST',
      body: formOf(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8', ...headers },
    }),
  )

const sent = (origin: string, op: string, request: Parameters<Send>[1]) =>
  quickSend(new URL(`/oauth2?op=${op}`, origin), request, CALL_LIMIT_MS)

const browserAt = (app: Pick<TestApp, 'served'>, cookie: string) => {
  const who = person(app, cookie)
  const self = {
    ...who,
    open: async (path: string) => seen(await who.open(path)),
    /** An authorization request. */
    authorize: (fields: Fields) => self.open(`/oauth2?op=authorize&${formOf(fields)}`),
    /** Presses a button on the consent page. */
    async decide(page: Seen, decision: 'allow' | 'deny') {
      const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? ''
      return seen(await who.post(action, { ...hiddenIn(page.text), decision }))
    },
    /** The code of a request; agrees when it is asked. */
    async code(fields: Fields): Promise<string> {
      const first = await self.authorize(fields)
      const last = first.status === 200 ? await self.decide(first, 'allow') : first
      if (last.query.code === undefined) throw new Error(`${last.status} ${last.location} ${last.text}`)
      return last.query.code
    },
    /** Follows a redirect to our own sign-in page, signs in, and goes where it leads. */
    async signInAt(page: Seen, { email, password }: { email: string; password: string }) {
      const path = new URL(page.location, 'http://own')
      const back = await who.send('/sign-in', { email, password }, `${path.pathname}${path.search}`)
      return await self.open(back.location)
    },
  }
  return self
}

export type Browser = ReturnType<typeof browserAt>
export type Seen = Page & { readonly query: Readonly<Record<string, string>> }

const seen = (page: Page): Seen => ({ ...page, query: queryOf(page.location) })

const queryOf = (location: string) => Object.fromEntries(new URL(location, 'http://own').searchParams)
