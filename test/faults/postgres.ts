import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import type { Chance } from './chance.ts'
import type { Load } from './load.ts'
import { type Kind, misbehaviour, type Run } from './outcome.ts'
import { startWire, type Wire } from './proxy.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * Postgres ended and started again under 64 writers, whole or one backend after the other, while the service goes on.
 */

/** Milliseconds under load before and after a fault. */
const AROUND_MS = [200, 900] as const
/** Milliseconds that Postgres cannot be reached. */
const OUTAGE_MS = [0, 2_500] as const
const BACKENDS = [5, 40] as const
const BACKEND_PAUSE_MS = [1, 30] as const
/** Milliseconds that a call may take while Postgres is away, and the service may take to be ready once it is back. */
const ANSWER_MAX_MS = 15_000
const READY_MAX_MS = 30_000
/** A call may wait 2 s for what was written before, and another 2 s for what it writes. */
const AWAY_ANSWER_MAX_MS = 8_000

/** A server of its own behind a wire: it stays away for a while. */
export const postgresElsewhere: Kind = async (run, chance) => {
  const server = await startPostgres()
  const wire = await startWire({ port: Number(new URL(server.url).port) })
  const via = new URL(server.url)
  via.port = String(wire.port)
  try {
    return await play(run, chance, {
      open: () => openStage({ store: 'eventstoredb', database: via.href }),
      data: () => join(server.dir, 'data'),
      wire,
    })
  } finally {
    await wire.stop()
    await server.stop()
  }
}

/** The server that the service itself has started, and has to start again. */
export const postgresEmbedded: Kind = (run, chance) =>
  play(run, chance, {
    open: () => openStage({ store: 'embedded', database: 'embedded' }),
    data: ({ dir }) => join(dir, 'postgres', 'data'),
    wire: undefined,
  })

type Scene = { open(): Promise<Stage>; data(stage: Stage): string; wire: Wire | undefined }

const play = async ({ rounds, progress }: Run, chance: Chance, scene: Scene) => {
  const stage = await scene.open()
  try {
    const load = await stage.load(chance.fork('load'))
    const done = { postmasters: 0, backends: 0 }
    const wrong: string[] = []
    for (let round = 1; round <= rounds; round++) {
      load.begin()
      await pause(chance.between(...AROUND_MS))
      if (round % 2 === 1) {
        wrong.push(...(await killPostmaster(scene, stage, load, chance.between(...OUTAGE_MS))))
        done.postmasters++
      } else done.backends += await endBackends(stage.databaseUrl, chance)
      wrong.push(...(await recovered(stage)))
      await pause(chance.between(...AROUND_MS))
      await load.halt()
      const slowest = load.slowest()
      if (slowest > ANSWER_MAX_MS) wrong.push(`an answer took ${slowest} ms`)
      progress(`round ${round}: ${load.claims.size} acknowledged, slowest answer ${slowest} ms`)
    }
    const unavailable = load.answers.get(503) ?? 0
    const counts = { 'Postgres kills': done.postmasters, 'backends ended': done.backends, 'answers 503': unavailable }
    return { ...(await stage.audit(load)), rounds, counts, wrong: [...wrong, ...misbehaviour(stage, load)] }
  } finally {
    await stage.close()
  }
}

const startPostgres = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-postgres-'))
  const server = await startEmbeddedPostgres({ dir })
  return {
    dir,
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The supervisor of the server, or the service itself, starts it again. */
const killPostmaster = async ({ data, wire }: Scene, stage: Stage, load: Load, outageMs: number) => {
  const [pid] = readFileSync(join(data(stage), 'postmaster.pid'), 'utf8').split('\n')
  wire?.refuse()
  process.kill(Number(pid), 'SIGKILL')
  const wrong = wire ? await whileAway(stage, load) : []
  await pause(outageMs)
  wire?.restore()
  return wrong
}

/** Who asks for rows is told at once to come back, and nobody is told that all is well. */
const whileAway = async ({ call }: Stage, { key }: Load): Promise<readonly string[]> => {
  const start = performance.now()
  const [read, ready] = await Promise.all([call('GET', '/v1/transactions', { key }), call('GET', '/readyz')])
  const took = Math.round(performance.now() - start)
  const refused = read.status === 503 && read.json.error_code === 'svc_unavailable'
  const told = ready.status === 503 && ready.json.checks.postgres === 'down'
  return [
    ...(refused ? [] : [`a read was answered ${read.status} ${read.text.slice(0, 200)}`]),
    ...(told ? [] : [`/readyz said ${ready.text.slice(0, 200)}`]),
    ...(took > AWAY_ANSWER_MAX_MS ? [`the answers took ${took} ms`] : []),
  ]
}

/** Ends backends of the service, whatever they are doing. */
const endBackends = async (url: string, chance: Chance): Promise<number> => {
  const admin = connect(url, { max: 1 })
  let ended = 0
  try {
    for (let left = chance.between(...BACKENDS); left > 0; left--) {
      ended += (await endOne(admin, chance.next())).length
      await pause(chance.between(...BACKEND_PAUSE_MS))
    }
  } finally {
    await admin.end({ timeout: 1 })
  }
  return ended
}

const endOne = (admin: Sql, which: number) => admin`
  with others as (
    select pid, row_number() over (order by pid) - 1 as n, count(*) over () as all
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  ) select pg_terminate_backend(pid) from others where n = floor(${which}::float8 * "all")`

const recovered = async ({ service }: Stage): Promise<readonly string[]> => {
  const start = performance.now()
  await service.ready()
  const took = Math.round(performance.now() - start)
  return took > READY_MAX_MS ? [`it was not ready for ${took} ms`] : []
}
