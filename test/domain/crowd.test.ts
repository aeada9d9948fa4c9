import test from 'ava'
import { letIn } from './crowd.ts'
import { openMarket } from './market.ts'

/** The long form is in crowd.deep.test.ts. */

test('N-21 Q-55 beside one flooding network that posts others’ hashes, honest buyers are served, and none pays for it', async (t) => {
  const market = await openMarket('crowd', [`0x${'1'.padStart(40, '0')}`], ['1000000', '2000000'])
  const { asked, paid, refusedFlood } = await letIn(market, { buyers: 300, aMinute: 10, products: 2 })
  t.is(paid, asked)
  t.deepEqual(await market.wrong(), [])
  t.is(await market.count('ChallengeSettled'), paid)
  // Of 20 a minute it gets 32 an hour.
  t.true(refusedFlood > 500, `${refusedFlood} refused`)
})
