import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { type Kind, misbehaviour } from './outcome.ts'
import { startWire, type Wire } from './proxy.ts'
import { openStage, type Stage } from './stage.ts'

/** The wire between the service and EventStoreDB cut, held, slowed and given back, under 64 writers. */

type Fault = {
  readonly name: string
  begin(wire: Wire, chance: Chance): void
  /** Milliseconds until the wire is given back. */
  readonly lasts: readonly [number, number]
  /** Whether nothing can be asked of the store meanwhile. */
  readonly away: boolean
}

const one = (chance: Chance) => (count: number) => chance.between(0, Math.max(0, count - 1))

/**
 * Long ones outlast a single try of an append (5 s), the longest all of them (20 s). The first few are what a short run
 * plays.
 */
const faults: readonly [Fault, ...Fault[]] = [
  { name: 'cut', begin: (wire) => wire.cut(), lasts: [0, 300], away: false },
  { name: 'answers held', begin: (wire) => wire.hold('down'), lasts: [1_500, 7_000], away: true },
  { name: 'refused', begin: (wire) => wire.refuse(), lasts: [1_500, 4_000], away: true },
  { name: 'cut again and again', begin: cutAgainAndAgain, lasts: [600, 2_000], away: false },
  { name: 'held', begin: (wire) => wire.hold('up', 'down'), lasts: [1_500, 7_000], away: true },
  { name: 'questions held', begin: (wire) => wire.hold('up'), lasts: [1_500, 7_000], away: true },
  { name: 'held, then cut', begin: (wire) => wire.hold('down'), lasts: [100, 1_500], away: false },
  { name: 'slow', begin: (wire, chance) => wire.slow(() => chance.between(0, 60)), lasts: [500, 2_500], away: false },
  { name: 'held for long', begin: (wire) => wire.hold('up', 'down'), lasts: [21_000, 26_000], away: true },
]

/** Milliseconds under load before and after a fault. */
const AROUND_MS = [150, 800] as const
const CUT_EVERY_MS = 120
/** No call is kept waiting for more than 25 s. */
const ANSWER_MAX_MS = 28_000
const READY_MAX_MS = 30_000
const BEFORE_ASKING_MS = 200

export const cuts: Kind = async ({ rounds, brief, progress }, chance) => {
  let wire: Wire | undefined
  const stage = await openStage({
    store: 'eventstoredb',
    storeVia: async (port) => {
      wire = await startWire({ port })
      return wire.port
    },
  })
  if (!wire) throw new Error('the service was started without its wire')
  const between = wire
  stage.onClose(() => between.stop())
  try {
    const load = await stage.load(chance.fork('load'))
    const wrong: string[] = []
    let cutConnections = 0
    for (let round = 1; round <= rounds; round++) {
      const fault = faults[(round - 1) % faults.length] ?? faults[0]
      load.begin()
      await pause(chance.between(...AROUND_MS))
      cutConnections += between.connections()
      const [low, high] = fault.lasts
      wrong.push(...(await suffer(stage, between, fault, chance, brief ? low : chance.between(low, high))))
      await pause(chance.between(...AROUND_MS))
      await load.halt()
      const slowest = load.slowest()
      if (slowest > ANSWER_MAX_MS) wrong.push(`${fault.name}: an answer took ${slowest} ms`)
      progress(`round ${round}, ${fault.name}: ${load.claims.size} acknowledged, slowest answer ${slowest} ms`)
    }
    const counts = { 'connections met': cutConnections, 'answers 503': load.answers.get(503) ?? 0 }
    return { ...(await stage.audit(load)), rounds, counts, wrong: [...wrong, ...misbehaviour(stage, load)] }
  } finally {
    await stage.close()
  }
}

/** One fault from its begin to the service being ready again; answers what was wrong with it. */
const suffer = async (
  stage: Stage,
  wire: Wire,
  fault: Fault,
  chance: Chance,
  lasts: number,
): Promise<readonly string[]> => {
  const wrong: string[] = []
  fault.begin(wire, chance)
  if (fault.away) {
    const looked = performance.now()
    const said = await readiness(stage)
    if (said !== 'down') wrong.push(`${fault.name}: /readyz said the store is ${said}`)
    await pause(Math.max(0, lasts - (performance.now() - looked)))
  } else await pause(lasts)
  if (fault.name === 'held, then cut') wire.cut()
  wire.restore()
  const start = performance.now()
  await stage.service.ready()
  const took = Math.round(performance.now() - start)
  if (took > READY_MAX_MS) wrong.push(`${fault.name}: not ready for ${took} ms`)
  return wrong
}

/** What the service says of its store, asked once the check's own limit must have told it. */
const readiness = async ({ call }: Stage): Promise<string> => {
  await pause(BEFORE_ASKING_MS)
  const { status, json } = await call('GET', '/readyz')
  return status === 503 && json.ready === false ? json.checks.event_store : `ready (${status})`
}

function cutAgainAndAgain(wire: Wire, chance: Chance) {
  const cutting = setInterval(() => wire.cut(one(chance)), CUT_EVERY_MS)
  setTimeout(() => clearInterval(cutting), 600)
}
