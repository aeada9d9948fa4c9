import test, { type ExecutionContext } from 'ava'
import type { Answer, CallOptions } from '../../../src/demo/client.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { signUp } from '../../support/seller.ts'
import { strictly } from '../strict.ts'

/** Small limits, so that they are met at once. */
const BURST = 5
/** More than the other tests need from where they call. */
const VISITS = 120
/** Times that so many calls are made at once before it is said that nobody is refused. */
const RUSHES_MAX = 10
/** Calls that a flood has under way at once. */
const FLOOD = 20

let app: TestApp

test.before(async () => {
  const slow = { KEY_RATE_PER_SECOND: '1', KEY_RATE_BURST: String(BURST) }
  const wide = {
    VISITOR_RATE_PER_SECOND: '1',
    VISITOR_RATE_BURST: String(VISITS),
    SIGN_UPS_PER_MINUTE: String(VISITS / 2),
  }
  const env = { ...slow, ...wide, ADDRESS_RATE_PER_SECOND: '1', ADDRESS_RATE_BURST: String(BURST), TRUST_PROXY: '1' }
  app = await startApp({ env })
})
test.after.always(() => app?.stop())

const NOBODY = `ch_${'a'.repeat(26)}.eth`

/**
 * Calls at once, three times what a bucket holds, until some are refused: on a busy machine it fills up meanwhile. More
 * than it held, and got in that time, never pass.
 */
const rush = async (t: ExecutionContext, call: () => Promise<Answer>): Promise<readonly Answer[]> => {
  for (let round = 1; ; round++) {
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 3 * BURST }, call))
    const seconds = Math.ceil((performance.now() - began) / 1000)
    const passed = answers.filter(({ status }) => status !== 429).length
    t.true(passed <= BURST + seconds, `${passed} passed in ${seconds} s`)
    if (passed < answers.length || round === RUSHES_MAX) {
      t.true(passed < answers.length, 'nothing was refused')
      return answers
    }
  }
}

test.serial('N-09 a key above its rate gets 429 with Retry-After, and another tenant is not slowed', async (t) => {
  const call = strictly(t, app)
  const [eager, calm] = [await signUp(app), await signUp(app)]
  const answers = await rush(t, () => call('GET', '/v1/wallets', { key: eager.key }))
  const refused = answers.filter(({ status }) => status === 429)
  t.is(answers.filter(({ status }) => status === 200).length + refused.length, answers.length)
  for (const { json, headers } of refused) {
    t.is(json.error_code, 'svc_rate_limited')
    t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  t.is((await call('GET', '/v1/wallets', { key: calm.key })).status, 200)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  t.is((await call('GET', '/v1/wallets', { key: eager.key })).status, 200, 'after the wait it goes on')
})

test.serial('N-09 who does not have the key cannot use up its calls', async (t) => {
  const { key } = await signUp(app)
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  for (let n = 0; n < 2 * BURST; n++) t.is((await app.call('GET', '/v1/wallets', { key: wrong })).status, 401)
  t.is((await app.call('GET', '/v1/wallets', { key })).status, 200)
})

test.serial('N-09 an address that posts hashes or simulates above its rate gets 429, whatever it posts', async (t) => {
  const call = strictly(t, app)
  for (const path of ['/v1/verify', '/v1/simulate-payment']) {
    await new Promise((resolve) => setTimeout(resolve, 1_000 * BURST))
    const body = path === '/v1/verify' ? { challengeId: NOBODY, hash: '0x1' } : { challengeId: NOBODY }
    const answers = await rush(t, () => call('POST', path, { body }))
    const refused = answers.filter(({ status }) => status === 429)
    t.is(answers.filter(({ status }) => status === 404).length + refused.length, answers.length)
    for (const { json, headers } of refused)
      t.true(json.error_code === 'svc_rate_limited' && Number(headers.get('retry-after')) >= 1)
  }
  const { key } = await signUp(app)
  const keyed = await call('POST', '/v1/simulate-payment', { key, body: { challengeId: NOBODY } })
  t.is(keyed.status, 404, 'with a key, the limit of the key counts')
})

test.serial(
  'N-09 J-DOOR-05 an address that sends payments above its rate gets 429, and who only asks at the same door does not',
  async (t) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000 * BURST))
    const path = `/r/res_${'a'.repeat(26)}`
    const sent = (headers: Record<string, string>) => app.call('GET', path, { headers })
    for (const name of ['x-payment', 'payment-signature']) await rush(t, () => sent({ [name]: 'e30=' }))
    const looks = await Promise.all(Array.from({ length: 3 * BURST }, () => sent({})))
    t.true(looks.every(({ status }) => status === 404))
  },
)

/** Calls of one address, as its proxy names it. */
const from =
  (address: string) =>
  (path: string, { method = 'GET', ...options }: CallOptions & { method?: string } = {}) =>
    app.call(method, path, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } })

/** Calls until it is refused, 10 at once; answers how many passed, and the first refusal. */
const until429 = async (call: () => Promise<Answer>) => {
  for (let sent = 0; sent < 4 * VISITS; sent += 10) {
    const answers = await Promise.all(Array.from({ length: 10 }, call))
    const refusal = answers.find(({ status }) => status === 429)
    if (refusal) return { sent, refusal }
  }
  throw new Error('it was never refused')
}

deepTest.serial(
  'L-JSN-12 X-RATE-01 a flood with one key leaves the answers to another and their time as they were',
  async (t) => {
    const [eager, calm] = [await signUp(app), await signUp(app)]
    let floods = true
    let refused = 0
    let answered = 0
    const flood = Array.from({ length: FLOOD }, async () => {
      for (; floods; answered++)
        refused += (await app.call('GET', '/v1/wallets', { key: eager.key })).status === 429 ? 1 : 0
    })
    // Counted in calls of the flood that were answered meanwhile, because a busy machine makes everybody late.
    const passed: number[] = []
    for (let n = 0; n < BURST; n++) {
      const before = answered
      t.is((await app.call('GET', '/v1/wallets', { key: calm.key })).status, 200)
      passed.push(answered - before)
    }
    floods = false
    await Promise.all(flood)
    t.true(refused > 0)
    t.true(Math.max(...passed) <= 10 * FLOOD, passed.join(' calls, '))
  },
)

test.serial(
  'X-RATE-01 L-JSN-12 who guesses at keys waits, as long as it is told; the right key passes from the very same address',
  async (t) => {
    const { key } = await signUp(app)
    const here = from('192.0.2.1')
    const guess = () => here('/v1/wallets', { key: `sk_live_${'0'.repeat(16)}_${'a'.repeat(64)}` })
    const { sent, refusal } = await until429(guess)
    t.true(sent <= VISITS + 10)
    t.is(refusal.json.error_code, 'svc_rate_limited')
    const wait = refusal.headers.get('retry-after') ?? ''
    t.regex(wait, /^[12]$/)
    for (let n = 0; n < BURST; n++) t.is((await here('/v1/wallets', { key })).status, 200)
    t.is((await from('192.0.2.2')('/v1/wallets', { key: `${key.slice(0, -1)}x` })).status, 401)
    await new Promise((resolve) => setTimeout(resolve, Number(wait) * 1_000))
    t.is((await guess()).status, 401)
  },
)

test.serial(
  'X-RATE-01 N-09 whatever an address looks at is counted together, of IPv6 by its network, and who forges an address is known',
  async (t) => {
    await until429(() => from('2001:db8:7:1::5')('/l/nothing'))
    const paths = [
      '/nothing',
      '/openapi.json',
      '/assets/daybook.css',
      '/shop/x',
      '/buy/x',
      '/audit',
      '/audit/checkpoint',
      '/verify-email?token=x',
      '/v1/me',
    ]
    for (const path of paths) {
      for (const address of ['2001:db8:7:ff:ffff::6', '9.9.9.9, 2001:0db8:0007:0001::1'])
        t.true((await until429(() => from(address)(path))).sent <= 10, path)
      t.not((await from('2001:db8:7:200::5')(path)).status, 429, path)
    }
    for (const path of ['/healthz', '/readyz']) t.is((await from('2001:db8:7:1::5')(path)).status, 200)
  },
)

deepTest.serial('X-RATE-01 an address may sign up so many accounts in a minute, and then looks on', async (t) => {
  const signs = (address: string) => from(address)('/v1/signup', { method: 'POST', body: { email: 'x' } })
  const { sent, refusal } = await until429(() => signs('192.0.2.9'))
  t.true(sent <= VISITS / 2 + 10)
  t.regex(refusal.headers.get('retry-after') ?? '', /^[1-9]$/)
  t.is((await signs('192.0.2.10')).status, 400)
  t.is((await from('192.0.2.9')('/v1/market')).status, 200)
})

test.serial(
  'X-RATE-01 L-JSN-12 what a processor sends for one seller does not hold up what it sends for another',
  async (t) => {
    const hook = (id: string) => from('192.0.2.50')(`/hooks/card/${id}`, { method: 'POST', body: {} })
    await until429(() => hook('one'))
    t.not((await hook('two')).status, 429)
  },
)
