import { setTimeout as pause } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import { type Kind, misbehaviour } from './outcome.ts'
import { startWire, type Wire } from './proxy.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * Several processes on one log and one PostgreSQL, of which one at a time is killed, hangs, or is cut off from either,
 * under 64 writers. The others have to stay ready.
 */

type Fault = {
  readonly name: string
  begin(one: Process): unknown
  /** Milliseconds until it is over. */
  readonly lastsMs: number
  end(one: Process): unknown
}

type Process = {
  readonly origin: string
  readonly service: Stage['service']
  readonly toStore: Wire
  readonly toDatabase: Wire
}

/** Those that last take longer than the turn of a process that does not answer (12 s). */
const faults: readonly [Fault, ...Fault[]] = [
  {
    name: 'killed',
    begin: ({ service }) => service.kill(),
    lastsMs: 1_000,
    end: ({ service }) => service.launch(),
  },
  {
    name: 'hung',
    begin: ({ service }) => process.kill(service.pid(), 'SIGSTOP'),
    lastsMs: 30_000,
    // What the wire holds of a connection that nobody has read for so long is reset, as a network does with it.
    end({ service, toStore }) {
      toStore.cut()
      process.kill(service.pid(), 'SIGCONT')
    },
  },
  {
    name: 'cut off from PostgreSQL',
    begin: ({ toDatabase }) => toDatabase.hold('up', 'down'),
    lastsMs: 15_000,
    end: ({ toDatabase }) => toDatabase.restore(),
  },
  {
    name: 'cut off from the store',
    begin: ({ toStore }) => toStore.hold('up', 'down'),
    lastsMs: 15_000,
    end: ({ toStore }) => toStore.restore(),
  },
]

/** Milliseconds under load before and after a fault. */
const AROUND_MS = [500, 1_500] as const
/** Milliseconds between two looks at the others, and that one of them may take to say that it is ready. */
const LOOK_EVERY_MS = 500
const LOOK_MS = 10_000
/**
 * Milliseconds without a word that a process is ready, which is a fault: on two cores under such a load the checks of
 * readiness, which may take a second each, are late again and again.
 */
const UNREADY_MAX_MS = 15_000

export const several =
  (count: number): Kind =>
  async ({ rounds, progress }, chance) => {
    const [stores, databases]: [Wire[], Wire[]] = [[], []]
    const wiredBy = (wires: Wire[]) => async (port: number) => {
      const wire = await startWire({ port })
      wires.push(wire)
      return wire.port
    }
    const via = { storeVia: wiredBy(stores), databaseVia: wiredBy(databases) }
    const stage = await openStage({ store: 'eventstoredb', services: count, ...via })
    stage.onClose(() => Promise.all([...stores, ...databases].map((wire) => wire.stop())))
    try {
      const all = stage.services.map((service, n) => ({
        origin: stage.origins[n] as string,
        service,
        toStore: stores[n] as Wire,
        toDatabase: databases[n] as Wire,
      }))
      const load = await stage.load(chance.fork('load'))
      const wrong: string[] = []
      for (let round = 1; round <= rounds; round++) {
        const fault = faults[(round - 1) % faults.length] ?? faults[0]
        // Whoever runs the followers is hit the first time that each fault comes, and every second time after that.
        const runs = Math.floor((round - 1) / faults.length) % 2 === 0
        const one = await chosen(all, runs, chance)
        load.begin()
        await pause(chance.between(...AROUND_MS))
        wrong.push(...(await suffer(one, fault, all)))
        await pause(chance.between(...AROUND_MS))
        await load.halt()
        const who = runs ? 'the process of the followers' : 'a process that stands by'
        progress(`round ${round}, ${who} ${fault.name}: ${load.claims.size} acknowledged`)
      }
      const counts = { processes: count, 'answers 503': load.answers.get(503) ?? 0 }
      wrong.push(...misbehaviour(stage, load, { excused: [0] }))
      return { ...(await stage.audit(load)), rounds, counts, wrong }
    } finally {
      await stage.close()
    }
  }

/** A process that runs followers, or one that stands by. */
const chosen = async (all: readonly Process[], runs: boolean, chance: Chance): Promise<Process> => {
  const turns = await Promise.all(all.map(async ({ origin }) => (await readiness(origin)).turn))
  const fitting = all.filter((_, n) => (turns[n] === 'runs') === runs)
  const [first, ...rest] = fitting.length > 0 ? fitting : all
  return chance.pick([first as Process, ...rest])
}

/** One fault from its begin to the process being ready again; answers who was not ready meanwhile beside it. */
const suffer = async (one: Process, fault: Fault, all: readonly Process[]): Promise<readonly string[]> => {
  const wrong: string[] = []
  await fault.begin(one)
  const readyAt = new Map(all.map(({ origin }) => [origin, performance.now()]))
  for (const until = performance.now() + fault.lastsMs; performance.now() < until; await pause(LOOK_EVERY_MS))
    for (const { origin } of all.filter((each) => each !== one)) {
      const { status, says } = await readiness(origin)
      const now = performance.now()
      if (status === 200) readyAt.set(origin, now)
      else if (now - (readyAt.get(origin) ?? 0) > UNREADY_MAX_MS) {
        wrong.push(`${fault.name}: another process answered ${status} to /readyz for too long: ${says}`)
        readyAt.set(origin, now)
      }
    }
  await fault.end(one)
  await one.service.ready()
  return wrong
}

const readiness = async (origin: string): Promise<{ status: number; turn: string; says: string }> => {
  try {
    const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(LOOK_MS) })
    const { checks } = (await answer.json()) as { checks: { followers: { turn: string } } }
    return { status: answer.status, turn: checks.followers.turn, says: answer.ok ? '' : JSON.stringify(checks) }
  } catch (error) {
    return { status: 0, turn: '', says: String(error) }
  }
}
