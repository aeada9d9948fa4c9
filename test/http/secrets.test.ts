import { join } from 'node:path'
import test from 'ava'
import type { z } from 'zod'
import type { Endpoint } from '../../adapters/http/core/endpoint.ts'
import type { Answer, CallOptions } from '../../src/demo/client.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { startPlace } from '../cli/daybook.ts'
import type { TestApp } from '../support/app.ts'
import { startCardProcessor } from '../support/card/processor.ts'
import { logOf, sell, transactionsOf } from '../support/sale.ts'
import { freshEmail, mailedLink, ok, seller } from '../support/seller.ts'

/**
 * Every secret there is, is issued; then everything that can be read is read and looked through for them, and so is
 * what the service has printed. What can be read comes from the table of endpoints, so that a new one is looked through
 * as well.
 */

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('X-ONCE-01 X-MASK-01 X-HASH-01 a secret is in the one answer that issues it, and in no other and in no line of the log; of a password there is its slow hash', async (t) => {
  const processor = await startCardProcessor()
  t.teardown(() => processor.stop())
  const place = await startPlace({ LOG_LEVEL: 'debug', CARD_PROCESSOR_URL: processor.url })
  const { app } = place
  const { secrets, known, key } = await issued(app, processor.account({ live: true }).keys)
  const clean = (where: string, text: string) => {
    for (const [name, secret] of Object.entries(secrets)) t.false(text.includes(secret), `${name} is in ${where}`)
  }
  const answers: [string, Answer][] = []
  for (const { path, options } of reads(known))
    for (const who of [key, undefined]) {
      const method = options.body === undefined ? 'GET' : 'POST'
      answers.push([`${method} ${path}`, await app.call(method, path, { ...options, key: who })])
    }
  for (const [what, { status, text, headers }] of answers) {
    t.true(status < 500, `${what} answered ${status}`)
    clean(what, text + JSON.stringify([...headers]))
  }
  const plain = answers.filter(([what]) => what === 'GET /v1/integrations').map(([, { json }]) => json.integrations)
  t.deepEqual(plain, [{ token: known.integration }, undefined], 'the stated exception, for those who may')
  const shown = answers.filter(([, { status }]) => status === 200).map(([what]) => what)
  for (const path of ['/v1/me', '/v1/webhook', '/v1/settings', '/v1/resources', '/v1/transactions'])
    t.true(shown.includes(`GET ${path}`), path)

  const EVENTSTORE_URL = `unix:${join(place.dir, 'eventstore.sock')}`
  const hashes = (await logOf({ env: { EVENTSTORE_URL } })).flatMap(({ data }) =>
    'passwordHash' in data ? [data.passwordHash] : [],
  )
  t.is(hashes.length, 2, 'of the first password, and of the new one')
  for (const hash of hashes) t.true(String(hash).startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))

  const { stdout, stderr } = await place.stop()
  t.true(stdout.includes('/v1/settings'), 'requests are in the log')
  for (const line of stdout.trimEnd().split('\n')) t.notThrows(() => JSON.parse(line), line)
  clean('the log', stdout + stderr)
  t.false((stdout + stderr).includes(known.integration as string), 'credentials are in the log')
})

/**
 * Issues every secret that a seller can be given, and makes what reads are about. A new kind of secret is one line
 * here.
 */
const issued = async (app: TestApp, card: { secret_key: string; webhook_secret: string }) => {
  const s = await seller(app)
  const put = async (path: string, body: object, method = 'PUT') =>
    (await ok(app.call(method, path, { key: s.key, body }))).json
  const { secret: rotated } = await put('/v1/webhook', { rotate_secret: true }, 'POST')
  const { webhook } = await put('/v1/settings', { webhook: { rotate_secret: true } })
  await put('/v1/reset-password', { new_password: 'new and secret' }, 'POST')
  const email = freshEmail()
  await put('/v1/account-email', { email }, 'POST')
  const token = new URL(await mailedLink(app, email)).searchParams.get('token') as string
  const integration = 'plain-to-its-owner'
  await put('/v1/integrations', { integrations: { token: integration } })
  await put('/v1/card-processor', card, 'POST')
  await sell(app, s)
  const { checkout_url } = (await ok(app.call('GET', `/v1/resources?res_id=${s.resId}`, { key: s.key }))).json
  const [transaction] = await transactionsOf(app, s.key)
  const secrets: Record<string, string> = {
    'the owner key': s.key,
    'the first webhook secret': s.secret,
    'the rotated webhook secret': rotated,
    'the webhook secret from the settings': webhook.secret,
    'the first password': 'correct horse',
    'the new password': 'new and secret',
    'the key of the card processor': card.secret_key,
    'the secret of the card processor': card.webhook_secret,
    'the token of the letter': token.split('.')[1] as string,
  }
  for (const [name, secret] of Object.entries(secrets)) if (!secret) throw new Error(`${name} was not issued`)
  const known: Record<string, string> = {
    id: s.resId,
    '/checkout/:id id': new URL(checkout_url).pathname.split('/')[2] as string,
    res_id: s.resId,
    transaction_id: transaction?.id as string,
    integration,
  }
  return { secrets, known, key: s.key }
}

type Read = { path: string; options: CallOptions }

/** Every GET, and every function of the console that gets something, about what is known. */
const reads = (known: Readonly<Record<string, string>>): Read[] =>
  surfaces().flatMap(({ endpoints }) =>
    endpoints.flatMap((e) => {
      const fields = { ...given(e, e.query, known), ...given(e, e.body, known), ...picks(e, known) }
      const path = e.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(knownFor(e, name, known) ?? 'x'))
      const text = new URLSearchParams(fields).toString()
      if (e.method === 'get') return [{ path: text ? `${path}?${text}` : path, options: {} }]
      return /^(get|list)-/.test(fields.function ?? '') ? [{ path, options: { body: text, headers: FORM } }] : []
    }),
  )

/** The parameters that an operation needs, with what is known; one that nobody knows is tried with anything. */
const given = (e: Endpoint, schema: z.ZodType | undefined, known: Readonly<Record<string, string>>) => {
  const shape = (schema as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
  const needed = Object.entries(shape).filter(([, field]) => !field.safeParse(undefined).success)
  return Object.fromEntries(needed.map(([name]) => [name, knownFor(e, name, known) ?? 'x']))
}

/** What picks an operation among those on its path. */
const picks = ({ when = {}, ...e }: Endpoint, known: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(when).map(([name, value]) => [name, value === true ? (knownFor(e, name, known) ?? 'x') : value]),
  )

const knownFor = ({ path }: Pick<Endpoint, 'path'>, name: string, known: Readonly<Record<string, string>>) =>
  known[`${path} ${name}`] ?? known[name]
