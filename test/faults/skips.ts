import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../adapters/postgres/connect.ts'
import { runProgram } from '../support/program.ts'
import type { Chance } from './chance.ts'
import type { Load } from './load.ts'
import { type Kind, misbehaviour } from './outcome.ts'
import { startWire, type Wire } from './proxy.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * No event is skipped by who follows the log: two services whose commits are delayed at random, 64 writers, read models
 * that follow and are built anew meanwhile, and a service that dies with whatever it was following.
 */

const SERVICES = 2
const DELAY_MS = [0, 40] as const
const AROUND_MS = [300, 1_000] as const

export const skips: Kind = async ({ rounds, progress }, chance) => {
  const wires: Wire[] = []
  const delays = chance.fork('delays')
  const stage = await openStage({
    store: 'eventstoredb',
    services: SERVICES,
    storeVia: async (port) => {
      const wire = await startWire({ port })
      wire.slow(() => delays.between(...DELAY_MS))
      wires.push(wire)
      return wire.port
    },
  })
  stage.onClose(() => Promise.all(wires.map((wire) => wire.stop())))
  try {
    const load = await stage.load(chance.fork('load'))
    for (let round = 1; round <= rounds; round++) {
      await rebuildUnderLoad(stage, load, chance, round)
      progress(`round ${round}: ${load.claims.size} acknowledged`)
    }
    const counts = { rebuilds: rounds, 'kills of a service': rounds }
    const wrong = [...misbehaviour(stage, load, { excused: [0] }), ...(await miscounted(stage, load))]
    return { ...(await stage.audit(load)), rounds, counts, wrong }
  } finally {
    await stage.close()
  }
}

/** Everything is built from the first event and swapped in while events go on coming. */
const rebuildUnderLoad = async (stage: Stage, load: Load, chance: Chance, round: number): Promise<void> => {
  load.begin()
  await pause(chance.between(...AROUND_MS))
  const rebuilding = runProgram({ ...stage.env, EVENTSTORE_URL: stage.eventStoreUrl }, 'replay', '--json')
  await pause(chance.between(...AROUND_MS))
  // They take turns in dying; the work of one goes over to the other.
  await stage.services[round % SERVICES]?.kill()
  await rebuilding
  await pause(chance.between(...AROUND_MS))
  await load.halt()
  for (const service of stage.services) {
    service.launch()
    await service.ready()
  }
}

/** Rows counted by Postgres alone: a replay that skipped the same events would differ in nothing. */
const miscounted = async (stage: Stage, load: Load): Promise<readonly string[]> => {
  const sql = connect(stage.databaseUrl, { schema: 'daybook', max: 1 })
  try {
    const claimed = [...load.claims].flatMap((claim) => (claim.startsWith('resource ') ? [claim.slice(9)] : []))
    const rows = new Set((await sql<{ res_id: string }[]>`select res_id from resources`).map((row) => row.res_id))
    return claimed.filter((id) => !rows.has(id)).map((id) => `resource ${id} has no row`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
