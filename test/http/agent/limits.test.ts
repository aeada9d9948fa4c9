import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signUp } from '../../support/seller.ts'
import { strictly } from '../strict.ts'

/** Small limits, so that they are met at once. */
const BURST = 5

let app: TestApp

test.before(async () => {
  const slow = { KEY_RATE_PER_SECOND: '1', KEY_RATE_BURST: String(BURST) }
  app = await startApp({ env: { ...slow, ADDRESS_RATE_PER_SECOND: '1', ADDRESS_RATE_BURST: String(BURST) } })
})
test.after.always(() => app?.stop())

const NOBODY = `ch_${'a'.repeat(26)}.eth`

test.serial('N-09 a key above its rate gets 429 with Retry-After, and another tenant is not slowed', async (t) => {
  const call = strictly(t, app)
  const [eager, calm] = [await signUp(app), await signUp(app)]
  const answers = await Promise.all(
    Array.from({ length: 3 * BURST }, () => call('GET', '/v1/wallets', { key: eager.key })),
  )
  const refused = answers.filter(({ status }) => status === 429)
  t.true(refused.length >= BURST)
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
    const body = { challengeId: NOBODY, hash: '0x1' }
    const answers = await Promise.all(Array.from({ length: 3 * BURST }, () => call('POST', path, { body })))
    const refused = answers.filter(({ status }) => status === 429)
    t.true(refused.length >= BURST, path)
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
    const sent = async (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 3 * BURST }, async () => (await app.call('GET', path, { headers })).status))
    for (const name of ['x-payment', 'payment-signature'])
      t.true((await sent({ [name]: 'e30=' })).filter((status) => status === 429).length >= BURST, name)
    t.true((await sent({})).every((status) => status === 404))
  },
)
