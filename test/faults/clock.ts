import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kind, misbehaviour } from './outcome.ts'
import { openStage } from './stage.ts'

/**
 * The wall clock of the service set back by minutes and by hours, and forward again, under 64 writers and over
 * restarts.
 */

const MINUTE_MS = 60_000
/** Back by minutes a challenge is still open by the chain's own clock; back by hours it is late before it begins. */
const STEPS_MS = [
  [-50 * MINUTE_MS, -MINUTE_MS],
  [-26 * 60 * MINUTE_MS, -2 * 60 * MINUTE_MS],
  [0, 0],
] as const
const AROUND_MS = [300, 900] as const
/** Every so many rounds the service is killed while its clock is off. */
const KILL_EVERY = 4
const ANSWER_MAX_MS = 15_000
/** What a payment gets that is late by the block's own time. */
const GONE = 410

export const clock: Kind = async ({ rounds, progress }, chance) => {
  const stage = await openStage({
    store: 'eventstoredb',
    nodeArgs: ['--import', join(import.meta.dirname, 'clock-shift.ts')],
    prepare: (dir) => {
      writeFileSync(join(dir, 'clock'), '0')
      return () => undefined
    },
    env: (dir) => ({ FAULTS_CLOCK: join(dir, 'clock') }),
  })
  const set = (offMs: number) => {
    writeFileSync(join(stage.dir, 'clock'), String(offMs))
    process.kill(stage.service.pid(), 'SIGUSR2')
  }
  try {
    const load = await stage.load(chance.fork('load'))
    const wrong: string[] = []
    let kills = 0
    for (let round = 1; round <= rounds; round++) {
      const [low, high] = STEPS_MS[(round - 1) % STEPS_MS.length] ?? STEPS_MS[0]
      const offMs = chance.between(low, high)
      load.begin()
      await pause(chance.between(...AROUND_MS))
      set(offMs)
      await pause(chance.between(...AROUND_MS))
      if (round % KILL_EVERY === 0) {
        await stage.service.kill()
        kills++
      }
      await load.halt()
      stage.service.launch()
      await stage.service.ready()
      const slowest = load.slowest()
      if (slowest > ANSWER_MAX_MS) wrong.push(`an answer took ${slowest} ms`)
      progress(`round ${round}: off by ${Math.round(offMs / MINUTE_MS)} min, ${load.claims.size} acknowledged`)
    }
    set(0)
    const counts = { 'kills meanwhile': kills, 'late payments': load.answers.get(GONE) ?? 0 }
    const seen = misbehaviour(stage, load, { excused: [GONE, ...(kills > 0 ? [0] : [])] })
    return { ...(await stage.audit(load)), rounds, counts, wrong: [...wrong, ...seen] }
  } finally {
    await stage.close()
  }
}
