import test from 'ava'
import { eventually } from '../../../src/demo/eventually.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { logOf, payInFull, saidOf, shop } from '../../support/sale.ts'
import { offerOf } from '../../support/seller.ts'

/** Many callers from many addresses at one door (Q-22, N-21). */

const CALLERS = 5_000
const AT_ONCE = 50
/** Callers who get challenges of their own, and what comes beside: the shared one, and one that was begun at the same moment. */
const OWN_SETS = 200
const BESIDE = AT_ONCE

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { TRUST_PROXY: '1' } })
})
test.after.always(() => app?.stop())

const get = (resId: string, caller: number) =>
  app.call('GET', `/r/${resId}`, {
    headers: { 'x-forwarded-for': `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}` },
  })

test('Q-22 a flood of anonymous GETs from as many addresses writes a bounded number of events, and leaves room for real buyers', async (t) => {
  const s = await shop(app)
  let next = 0
  const statuses = new Map<number, number>()
  const ask = async () => {
    for (let caller = next++; caller < CALLERS; caller = next++) {
      const { status } = await get(s.resId, caller)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  t.deepEqual([...statuses], [[402, CALLERS]])
  const log = await logOf(app)
  const count = (type: string) => log.filter((event) => event.type === type).length
  t.true(count('ChallengeOpened') <= OWN_SETS + BESIDE, `${count('ChallengeOpened')} sets`)
  t.true(count('AmountReserved') <= OWN_SETS + BESIDE, `${count('AmountReserved')} amounts`)

  // The seller's own buyer has an amount of its own, and so has whoever comes to the door: both settle without a call.
  const known = await offerOf(app, s.key, s.resId)
  const [stranger] = (await get(s.resId, CALLERS)).json.accepts
  for (const offer of [known, stranger]) {
    const hash = await payInFull(app, offer)
    await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
  }
})
