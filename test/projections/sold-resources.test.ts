/** What a sale makes of a row that is kept in memory is what it makes of the row in the database. */
import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { createQueries } from '../../projections/index.ts'
import { resourceAfter, resourcesProjection } from '../../projections/selling/resources.ts'
import { created, RES_ID } from '../domain/samples.ts'
import { applyAll, emptyReadModels } from './setup.ts'

const SALES = ['ChallengeSettled', 'CardPaymentSettled']

const event = (type: string, data: object, n = 1): RecordedEvent =>
  ({
    stream: `resource-${RES_ID}`,
    type,
    at: '2026-03-02T10:06:00.000Z',
    data,
    position: BigInt(n),
    order: BigInt(n),
    revision: BigInt(n - 1),
  }) as unknown as RecordedEvent

test('N-173 after each sale the row in memory is the row of the database, in whichever order the two heard of it', async (t) => {
  const { sql } = await emptyReadModels(t, [resourcesProjection])
  const { resource } = createQueries(sql)
  await applyAll(sql, resourcesProjection, [event('ResourceCreated', created)])
  let kept = await resource(RES_ID)
  t.false(kept?.settled)
  for (const [n, type] of [...SALES, ...SALES].entries()) {
    // The clocks of two processes may differ: the last one counts, and not the latest.
    const sale = event(type, { resId: RES_ID, settledAt: `2026-03-02T10:0${9 - n}:00.000Z` }, n + 2)
    const change = resourceAfter(sale)
    await applyAll(sql, resourcesProjection, [sale])
    const there = await resource(RES_ID)
    kept = kept && change?.(kept)
    t.deepEqual(kept, there)
    t.deepEqual(there && change?.(there), there)
  }
})

test('N-173 every other event that changes such a row has it read again', (t) => {
  const types = Object.keys(resourcesProjection.on)
  t.true(types.length > SALES.length)
  t.deepEqual(
    types.filter((type) => resourceAfter(event(type, {}))),
    SALES,
  )
})
