import { setTimeout as pause } from 'node:timers/promises'
import type { StoreKind } from '../support/app.ts'
import type { Chance } from './chance.ts'
import type { Load } from './load.ts'
import { type Kind, misbehaviour } from './outcome.ts'
import { openStage, type Stage } from './stage.ts'

/** The service, and in turn its store, ended without a word at random moments under 64 writers. */

/** Writes that are acknowledged before the cut, and the milliseconds that it comes after them. */
const WRITES = [5, 250] as const
const AFTER_MS = [0, 60] as const
/** A slow machine is not waited for longer. */
const WRITES_WAIT_MS = 5_000
/** Every so many rounds the service is cut while it starts. */
const START_CUT_EVERY = 5
const START_CUT_MS = [100, 1_800] as const
/** On a store of its own, every so many rounds that is cut too. */
const STORE_CUT_EVERY = 2

export const kills =
  (kind: StoreKind): Kind =>
  async ({ rounds, progress }, chance) => {
    const stage = await openStage({ store: kind })
    try {
      const load = await stage.load(chance.fork('load'))
      const cuts = { service: 0, start: 0, store: 0 }
      for (let round = 1; round <= rounds; round++) {
        const what = await cutOnce(stage, load, chance, round)
        for (const each of what) cuts[each]++
        progress(`round ${round}: cut ${what.join(' and ')}, ${load.claims.size} acknowledged`)
      }
      await stage.service.ready()
      const counts = {
        'kills of the service': cuts.service,
        'kills in a start': cuts.start,
        'kills of the store': cuts.store,
      }
      return { ...(await stage.audit(load)), rounds, counts, wrong: misbehaviour(stage, load, { excused: [0] }) }
    } finally {
      await stage.close()
    }
  }

type Cut = 'service' | 'start' | 'store'

/** One round: writers at work, a cut, and everything up again. */
const cutOnce = async (
  { service, store }: Stage,
  load: Load,
  chance: Chance,
  round: number,
): Promise<readonly Cut[]> => {
  const [writes, after, inStart] = [WRITES, AFTER_MS, START_CUT_MS].map(([low, high]) => chance.between(low, high))
  const cut: Cut[] = []
  load.begin()
  await load.grown(writes ?? 0, WRITES_WAIT_MS)
  await pause(after)
  if (store && round % STORE_CUT_EVERY === 0) {
    await store.kill()
    cut.push('store')
  }
  await service.kill()
  cut.push('service')
  await load.halt()
  store?.launch()
  await store?.ready()
  if (round % START_CUT_EVERY === 0) {
    service.launch()
    await pause(inStart)
    await service.kill()
    cut.push('start')
  }
  service.launch()
  await service.ready()
  return cut
}
