import { mkdir } from 'node:fs/promises'
import { load } from '../load.ts'
import { openBenchService, type ServiceOptions, startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * Measures how long an installation takes from the command to ready, at two lengths of its log. The parts of an
 * installation are held against each other in that time, which must not depend on how long the log is.
 */

const LENGTHS = { small: [0, 40_000], full: [0, 400_000] } as const
const CONNECTIONS = 64
/** Seconds in which the resources of one load have to be made. */
const FILL_SECONDS = 300

export const start: BenchSet = {
  name: 'start',
  title: 'From the command to ready',
  versioned: ['a short log', 'a long log'],
  async run(stage) {
    const [short, long] = LENGTHS[stage.size]
    const contestants = [await startsOf(stage, 'a short log', short), await startsOf(stage, 'a long log', long)]
    await stage.compare({
      title: `Starts of an installation with everything in order; the long log has ${long.toLocaleString('en-US')} events more`,
      unit: 'starts',
      contestants,
      goals: [{ subject: 'a long log', reference: 'a short log', figure: 'p50', atMost: 1.2 }],
    })
  },
}

/** Fills an installation with resources; each round starts it once. */
const startsOf = async (stage: Stage, name: string, resources: number) => {
  const dataDir = `${stage.dir}/${resources}`
  await mkdir(dataDir)
  const { url: databaseUrl } = await stage.database()
  const options: ServiceOptions = { root: stage.root, dataDir, databaseUrl }
  await fill(options, resources)
  const round = async () => {
    const began = performance.now()
    const service = await openBenchService(options)
    const ms = performance.now() - began
    await service.stop()
    return { rate: 1_000 / ms, p50: ms }
  }
  await round()
  return { name, round }
}

const fill = async (options: ServiceOptions, resources: number): Promise<void> => {
  const { origin, key, stop } = await startBenchService(options)
  try {
    if (resources === 0) return
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ amount: 5, currency: 'USD' })
    const made = { url: `${origin}/v1/resources`, method: 'POST', headers, body, connections: CONNECTIONS }
    await load({ ...made, seconds: FILL_SECONDS, requests: resources }, 200)
  } finally {
    await stop()
  }
}
