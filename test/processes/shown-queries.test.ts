/** Queries of a caller whom nobody knows. */
import test from 'ava'
import type { Queries } from '../../projections/index.ts'
import { type HotQueries, shownQueries } from '../../src/engine/hot-rows.ts'

test('N-173 before the first row that is not in memory a stranger waits once, and for a row in memory never', async (t) => {
  let waits = 0
  let come = () => {}
  const asked: string[] = []
  const answers = (name: string) => async (id: string) => {
    asked.push(name)
    return id
  }
  const kept = { resource: answers('resource') }
  const all = { ...kept, wallets: answers('wallets'), shop: answers('shop') } as unknown as Queries
  const current = () => {
    waits++
    return new Promise<void>((resolve) => (come = resolve))
  }
  const queries = shownQueries(all, kept as unknown as HotQueries, { current })()
  t.is((await queries.resource('res')) as unknown, 'res')
  t.is(waits, 0)
  const reading = [queries.wallets('acc'), queries.shop('x')]
  await new Promise((resolve) => setImmediate(resolve))
  t.deepEqual(asked, ['resource'])
  come()
  t.deepEqual((await Promise.all(reading)) as unknown, ['acc', 'x'])
  t.is((await queries.shop('y')) as unknown, 'y')
  t.is(waits, 1)
})
