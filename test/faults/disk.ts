import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../src/demo/client.ts'
import type { Chance } from './chance.ts'
import type { Load } from './load.ts'
import { type Kind, misbehaviour, type Run } from './outcome.ts'
import { openStage, type Stage } from './stage.ts'

/** No room for the log under 64 writers, then room again, while the service goes on. */

type Room = {
  /** No more than so many bytes from now on. */
  leave(stage: Stage, bytes: number): void
  make(stage: Stage): void
}

/** Bytes that are left when a round begins to fill. */
const LEFT_BYTES = [4_096, 300_000] as const
/**
 * Milliseconds that the disk stays full once writes are refused, and that writes may take to go on once there is room.
 */
const FULL_MS = [500, 2_500] as const
const GOES_ON_MS = 10_000
const FILLS_MS = 15_000
const AGAIN_WRITES = 20
/** Writes that a full disk may still take. */
const FITTING_MAX = 200

/**
 * By the largest size that a file of the process may have, which any user may set for its own processes. The write then
 * fails with EFBIG, which SQLite treats as it treats a broken disk.
 */
export const diskByLimit: Kind = (run, chance) => play(run, chance, limit)

/** By a small file system of its own, full to the last block: the true ENOSPC. Needs the right to mount. */
export const diskByMount: Kind = (run, chance) => play(run, chance, filler, mounted)

const limit: Room = {
  leave: (stage, bytes) => fileSize(stage, bytes),
  make: (stage) => fileSize(stage, 'unlimited'),
}

const filler: Room = {
  leave({ dir }, bytes) {
    const { bavail, bsize } = statfsSync(dir)
    try {
      appendFileSync(join(dir, FILLER), Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
    } catch (error) {
      // The service has taken some of it meanwhile: fuller than full is not asked for.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  },
  make: ({ dir }) => rmSync(join(dir, FILLER), { force: true }),
}
const FILLER = 'filler'

/** Its pages are memory, so it is as small as a run needs. */
const MOUNTED_SIZE = '256m'
const mounted = (dir: string) => {
  run('mount', '-t', 'tmpfs', '-o', `size=${MOUNTED_SIZE}`, 'none', dir)
  return () => run('umount', dir)
}

const play = async (
  { rounds, progress }: Run,
  chance: Chance,
  room: Room,
  prepare?: (dir: string) => () => unknown,
) => {
  const stage = await openStage({ store: 'embedded', ...(prepare && { prepare }) })
  try {
    const load = await stage.load(chance.fork('load'))
    const wrong: string[] = []
    let refused = 0
    for (let round = 1; round <= rounds; round++) {
      load.begin()
      const before = load.answers.get(503) ?? 0
      room.leave(stage, chance.between(...LEFT_BYTES))
      if (!(await until(() => (load.answers.get(503) ?? 0) > before, FILLS_MS))) wrong.push('the disk was never full')
      await pause(chance.between(...FULL_MS))
      room.leave(stage, 0)
      wrong.push(...(await whileFull(stage, load)))
      refused += (load.answers.get(503) ?? 0) - before
      room.make(stage)
      const acknowledged = load.claims.size
      if (!(await until(() => load.claims.size >= acknowledged + AGAIN_WRITES, GOES_ON_MS)))
        wrong.push('writes did not go on')
      await load.halt()
      await stage.service.ready()
      progress(`round ${round}: ${load.claims.size} acknowledged, ${refused} answers 503`)
    }
    return {
      ...(await stage.audit(load)),
      rounds,
      counts: { 'answers 503': refused },
      wrong: [...wrong, ...misbehaviour(stage, load)],
    }
  } finally {
    room.make(stage)
    await stage.close()
  }
}

/** Reads go on, the refusal has its code, and nobody is told that all is well. */
const whileFull = async ({ call }: Stage, { key }: Load): Promise<readonly string[]> => {
  // What cannot be written is known once it was tried. A log that was just tidied up has room for some in the space
  // that it holds already.
  let write = await call('POST', '/v1/resources', { key, body: { amount: 0.5 } })
  const fitted: string[] = []
  while (write.status === 200 && fitted.length < FITTING_MAX) {
    fitted.push(write.json.res_id)
    write = await call('POST', '/v1/resources', { key, body: { amount: 0.5 } })
  }
  const kept = await Promise.all(fitted.map((id) => call('GET', `/v1/resources?res_id=${id}`, { key })))
  const [alive, ready, read] = await Promise.all([
    call('GET', '/healthz'),
    call('GET', '/readyz'),
    call('GET', '/v1/wallets', { key }),
  ])
  const said = (what: string, answer: Answer, right: boolean) =>
    right ? [] : [`${what} was answered ${answer.status} ${answer.text.slice(0, 200)}`]
  return [
    ...said('/healthz', alive, alive.status === 200),
    ...said('/readyz', ready, ready.status === 503 && ready.json.checks.event_store === 'down'),
    ...said('a read', read, read.status === 200),
    ...kept.flatMap((one) => said('a write that was answered', one, one.status === 200)),
    ...said('a write', write, write.status === 503 && write.json.error_code === 'svc_unavailable'),
  ]
}

const until = async (holds: () => boolean, limitMs: number): Promise<boolean> => {
  const end = Date.now() + limitMs
  while (!holds() && Date.now() < end) await pause(10)
  return holds()
}

const fileSize = (stage: Stage, bytes: number | 'unlimited') =>
  run('prlimit', '--pid', String(stage.service.pid()), `--fsize=${bytes}:`)

/** A program of the system. */
const run = (program: string, ...args: readonly string[]) => execFileSync(program, args)
