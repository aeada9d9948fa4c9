import type { Sql } from '../../adapters/postgres/connect.ts'
import { type LoadResult, load, loaded } from '../load.ts'
import { paced } from '../paced.ts'
import { newSeller, startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'

/** Measures what one crowd leaves for the others: strangers at one door, and a seller at its rate limit. */

const KEY_RATE_PER_SECOND = 50
/** Requests a second of the seller beside the one at its limit; they are below the limit. */
const CALM_PER_SECOND = 40
/** Requests a second of the seller at its limit: ten times what it may send. */
const WILD_PER_SECOND = 500
/** An address belongs to one seller. */
const CALM_ADDRESS = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const CONNECTIONS = 50
/**
 * Challenge sets that one door makes at most: callers' own, those that were begun at the same moments, and the one that
 * the rest share.
 */
const SETS_MAX = 200 + CONNECTIONS
const STRANGERS_SECONDS = 300

const STRANGERS = 'strangers at one door'
const ALONE = 'a seller, alone'
const BESIDE = 'a seller beside one at its rate limit'

export const crowd: BenchSet = {
  name: 'crowd',
  title: 'Crowds',
  versioned: [STRANGERS],
  async run(stage) {
    await strangers(stage)
    if (stage.peers) await neighbours(stage)
  },
}

/** Everybody asks one door, each from an address of its own. */
const strangers = async (stage: Stage) => {
  const { url: databaseUrl, sql } = await stage.database()
  const service = await startBenchService({ root: stage.root, dataDir: `${stage.dir}/door`, databaseUrl })
  stage.closing(() => service.stop())
  const { client, key, origin } = service
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: 5, currency: 'USD' } })
  const requests = stage.pick(2_000, 10_000)
  let callers = 0
  const round = async () => {
    const what = {
      url: `${origin}/r/${resId}`,
      connections: CONNECTIONS,
      seconds: STRANGERS_SECONDS,
      requests,
      callers,
    }
    callers += requests
    return load(what, 402)
  }
  await stage.compare({
    title: `${requests.toLocaleString('en-US')} GETs a round of one door, each from another address`,
    unit: 'requests',
    contestants: [{ name: STRANGERS, round }],
    goals: [],
    details: async () => [await whatTheyLeft(sql, resId, callers)],
  })
}

/** Throws when they made more challenges than the door gives out. */
const whatTheyLeft = async (sql: Sql, resId: string, callers: number): Promise<string> => {
  const [row] = await sql<{ sets: number }[]>`
    select count(distinct split_part(challenge_id, '.', 1))::int as sets from daybook.challenges where res_id = ${resId}`
  const sets = row?.sets ?? 0
  if (sets === 0 || sets > SETS_MAX) throw new Error(`${callers} strangers made ${sets} challenge sets`)
  return `${callers.toLocaleString('en-US')} GETs made ${sets} challenge sets, at most ${SETS_MAX}`
}

/** Two sellers, one of which asks for ten times what it may. */
const neighbours = async (stage: Stage) => {
  const { url: databaseUrl } = await stage.database()
  const env = { KEY_RATE_PER_SECOND: String(KEY_RATE_PER_SECOND), KEY_RATE_BURST: String(KEY_RATE_PER_SECOND) }
  const service = await startBenchService({ dataDir: `${stage.dir}/sellers`, databaseUrl, env })
  stage.closing(() => service.stop())
  const url = `${service.origin}/v1/wallets`
  const seconds = stage.pick(3, 10)
  const calmKey = await newSeller(service.client, 'calm@example.test', CALM_ADDRESS)
  const calm = () => paced(url, { headers: { 'x-api-key': calmKey }, perSecond: CALM_PER_SECOND, seconds })
  const wild = () =>
    loaded({
      url,
      headers: { 'x-api-key': service.key },
      connections: CONNECTIONS,
      // The load lasts longer than the calm seller's requests, so that none of them meets a quiet moment.
      seconds: seconds + 2,
      perSecond: WILD_PER_SECOND,
    })
  await calm()
  const refused: number[] = []
  await stage.compare({
    title: `GET /v1/wallets, ${CALM_PER_SECOND} a second`,
    unit: 'requests',
    contestants: [
      { name: ALONE, round: calm },
      { name: BESIDE, round: async () => beside(calm, wild, (share) => refused.push(share)) },
    ],
    goals: [
      { subject: BESIDE, reference: ALONE, figure: 'p50', atMost: 2 },
      { subject: BESIDE, reference: ALONE, atLeast: 0.95 },
    ],
    details: async () => [
      `the seller at its limit asked ${WILD_PER_SECOND} times a second; refused: ${refused.map((share) => `${Math.round(share * 100)} %`).join(', ')}`,
    ],
  })
}

/** Throws when the wild one was let through: nobody was at a limit then. */
const beside = async <F>(calm: () => Promise<F>, wild: () => Promise<LoadResult>, note: (share: number) => void) => {
  const [figures, { statuses }] = await Promise.all([calm(), wild()])
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const share = (statuses[429] ?? 0) / answers
  if (!(share > 0.5)) throw new Error(`nobody was at a limit: ${JSON.stringify(statuses)}`)
  note(share)
  return figures
}
