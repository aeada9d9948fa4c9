import { Secret, TOTP } from 'otpauth'
import { type AccountRef, accountOf, appRef, userRef } from '../../domain/balance/transfer-terms.ts'
import type { World } from '../../domain/kernel/ports.ts'
import { grantCredit } from '../../domain/use-cases/balance/credit.ts'
import type { AppSecrets, AppWish } from '../../domain/use-cases/signin/register-app.ts'
import type { Answer } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from './app.ts'
import { openOperator } from './operator.ts'
import { type Person, person } from './people.ts'
import { ok } from './seller.ts'

/** Users with a balance, apps with credit, and what the two do with one another over HTTP. */

/** How far the service's clock is ahead; a second factor counts once, so each confirmation moves it on by one step. */
export type Clock = { shiftMs: number }
const STEP_MS = 30_000

export const STATE = 'the app keeps this, & reads it'
export const DOMAIN = 'app.test'
export const REDIRECT = `https://${DOMAIN}/cb?own=1`

export type Customer = {
  readonly sub: string
  readonly email: string
  readonly password: string
  readonly totp: TOTP
  /** A browser in which they are signed in. */
  readonly browser: Person
}

export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

type Served = Pick<TestApp, 'env' | 'databaseUrl' | 'served' | 'call'>

export type Balances = Awaited<ReturnType<typeof openBalances>>

export const openBalances = async (app: Served, clock: Clock, own: Partial<World> = {}) => {
  const operator = await openOperator(app, { ...own, now: () => new Date(Date.now() + clock.shiftMs) })
  const { world, vault } = operator.flow

  /** Millionths of a dollar. */
  const has = async (to: AccountRef): Promise<bigint> => {
    const { kind, id } = accountOf(to)
    return (await (kind === 'user' ? operator.ledger.userBalance : operator.ledger.appCredit).read(id)).balance
  }
  /** Gives credit, and waits until it has come. */
  const grant = async (to: AccountRef, usd: number) => {
    if (usd <= 0) return
    const amount = BigInt(Math.round(usd * 1e6))
    const before = await has(to)
    await grantCredit(operator.flow, { to, amount, note: 'test' })
    await eventually(`${usd} USD for ${to}`, async () => (await has(to)) === before + amount)
  }

  /** A call of a balance operation by form, as an app makes it. */
  const ask = (op: string, act: string, fields: Fields, token?: string): Promise<Answer> =>
    app.call('POST', `/oauth2?op=${op}&act=${act}`, {
      body: new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])),
      ).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    })

  return {
    operator,
    ask,
    grant,

    /** A user with an authenticator app, and so much on the balance. */
    async customer({ usd = 100 } = {}): Promise<Customer> {
      const user = await operator.user()
      const secret = world.secret(20)
      await operator.ledger.user.enrolTotp(user.sub, { secret: await vault.seal(user.sub, secret) })
      await grant(userRef(user.sub), usd)
      const { cookie } = await operator.session(user.sub)
      return { ...user, totp: new TOTP({ secret: Secret.fromHex(secret) }), browser: person(app, cookie) }
    },

    /** An app with so much prepaid credit. */
    async shop({ usd = 0, ...wish }: { usd?: number } & Partial<AppWish> = {}): Promise<Shop> {
      const secrets = await operator.app({ redirectUris: [REDIRECT], ...wish }, DOMAIN)
      await grant(appRef(secrets.clientId), usd)
      const { clientId, clientSecret, creditPushKey } = secrets
      const named = { client_id: clientId, client_secret: clientSecret ?? '' }
      return { ...secrets, named, push: { client_id: clientId, credit_push_key: creditPushKey ?? '' } }
    },

    /** An access token of an app for a user, as signing in would have given it. */
    async token({ sub }: { sub: string }, { clientId }: { clientId: string }, scope = 'openid balance') {
      const token = world.secret(32)
      await operator.sql`
        insert into daybook_signin.access_tokens (token_hash, client_id, sub, sid, scope, revocations, expires_at)
        values (${world.digest(token)}, ${clientId}, ${sub}, 'ses_test', ${scope}, 0, '2100-01-01')`
      return token
    },

    /** What a user has, in dollars, as an app reads it. */
    async read(token: string): Promise<number> {
      const { json } = await ok(
        app.call('GET', '/oauth2?op=balance', { headers: { authorization: `Bearer ${token}` } }),
      )
      return json.credit_usd
    },

    /** What an app has, in dollars; what was sent to it may be on its way. */
    credit: async ({ clientId }: Pick<Shop, 'clientId'>): Promise<number> => Number(await has(appRef(clientId))) / 1e6,

    /** Sends the form of a screen with the code of the authenticator app; answers where it leads. */
    async confirm({ browser, totp }: Customer, url: string, fields: Readonly<Record<string, string>> = {}) {
      clock.shiftMs += STEP_MS
      const code = totp.generate({ timestamp: Date.now() + clock.shiftMs })
      return browser.send(new URL(url).pathname, { decision: 'approve', code, ...fields })
    },

    /** Waits until an account has so much. */
    arrived: (what: string, read: () => Promise<number>, usd: number) =>
      eventually(`${usd} USD for ${what}`, async () => (await read()) === usd),

    stop: () => operator.stop(),
  }
}

export type Shop = AppSecrets & {
  /** How it says who it is. */
  readonly named: { client_id: string; client_secret: string }
  readonly push: { client_id: string; credit_push_key: string }
}
