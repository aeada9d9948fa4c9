import test from 'ava'
import { letIn } from './crowd.ts'
import { openMarket } from './market.ts'

test('N-21 Q-55 of 10,000 buyers and one flooding network, 99 of 100 are served and none is credited with another’s payment', async (t) => {
  t.timeout(1_800_000)
  const market = await openMarket('crowd', [`0x${'1'.padStart(40, '0')}`], ['1000000', '2000000', '50000000'])
  const { asked, paid, refusedFlood } = await letIn(market, { buyers: 10_000, aMinute: 10, products: 3 })
  const settled = await market.count('ChallengeSettled')
  t.log(`${asked} asked, ${paid} paid, ${settled} settled, ${refusedFlood} of the flood refused`)
  t.true(settled >= 0.99 * asked, `${settled} of ${asked} served`)
  t.is(settled, paid)
  t.deepEqual(await market.wrong(), [])
})
