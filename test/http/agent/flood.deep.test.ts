import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { logOf, payInFull, saidOf, shop } from '../../support/sale.ts'
import { offerOf } from '../../support/seller.ts'

/** Many callers from many addresses at one door (Q-22, N-21). */

/** A flood of programs from these networks, each program at one door. */
const NETWORKS = 10
const PROGRAMS = 40
const AT_ONCE = 20
/** Unpaid challenges that one network may hold. */
const HELD_MAX = 32

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { TRUST_PROXY: '1' } })
})
test.after.always(() => app?.stop())

const get = (resId: string, network: number, program = 0) =>
  app.call('GET', `/r/${resId}`, {
    headers: { 'x-forwarded-for': `10.0.0.${network}`, 'user-agent': `robot ${program}` },
  })

test('Q-22 N-21 a flood from many networks writes a bounded number of events, and leaves room for real buyers', async (t) => {
  const s = await shop(app)
  let next = 0
  const statuses = new Map<number, number>()
  const ask = async () => {
    for (let call = next++; call < NETWORKS * PROGRAMS; call = next++) {
      const { status } = await get(s.resId, call % NETWORKS, Math.trunc(call / NETWORKS))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const held = NETWORKS * HELD_MAX
  t.deepEqual(Object.fromEntries(statuses), { 402: held, 429: NETWORKS * PROGRAMS - held })
  const log = await logOf(app)
  const count = (type: string) => log.filter((event) => event.type === type).length
  t.deepEqual([count('ChallengeOpened'), count('AmountReserved')], [held, held])

  // The seller's own buyer has an amount of its own, and so has whoever comes to the door: both settle without a call.
  const known = await offerOf(app, s.key, s.resId)
  const [stranger] = (await get(s.resId, NETWORKS)).json.accepts
  for (const offer of [known, stranger]) {
    const hash = await payInFull(app, offer)
    await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
  }
})
