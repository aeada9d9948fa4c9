/**
 * Plays requests by number: the same seed and number make the same request, so that what fails can be played again by
 * itself.
 */
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { labelOf } from '../http/tenants/declared.ts'
import { createPlayer, type Fault, PLAYED, type Tried } from './player.ts'
import { createSender } from './send.ts'
import type { Stage } from './stage.ts'

export type Game = {
  readonly seed: number
  /** The first number, and how many. */
  readonly from: number
  readonly requests: number
  progress(line: string): void
  /** Every request with its answer. */
  heard?(tried: Tried): void
}

export type Played = {
  readonly faults: readonly Fault[]
  readonly statuses: ReadonlyMap<number, number>
  /** Operations that nobody was let in to, and what was said last to who might have been. */
  readonly closed: readonly string[]
}

/** Requests after which the log is looked at. */
const BATCH = 200
/** After so many, what they were played on is worn: keys revoked, people erased. */
const SCENE_REQUESTS = 2_000
const FAULTS_MAX = 25
const SAID_MAX = 120

export const play = async (stage: Stage, { seed, from, requests, progress, heard }: Game): Promise<Played> => {
  const { eventStoreUrl, origin } = stage.app.served()
  const store = eventStoreDb(eventStoreUrl)
  const sender = createSender(origin)
  const faults: Fault[] = []
  const seen = createSeen()
  const end = from + requests
  let next = from
  try {
    while (next < end && faults.length < FAULTS_MAX) {
      const player = createPlayer(seed, await stage.scene(), { store, origin, send: sender.send })
      const last = Math.min(end, next + SCENE_REQUESTS)
      while (next < last && faults.length < FAULTS_MAX) {
        const size = Math.min(BATCH, last - next)
        const tried = await player.batch(Array.from({ length: size }, (_, n) => next + n))
        for (const each of tried) {
          seen.note(each)
          heard?.(each)
          if (each.fault !== undefined) faults.push(await player.smallest(each))
        }
        next += size
        progress(`${next - from} requests, ${faults.length} faults`)
      }
    }
  } finally {
    sender.stop()
    await store.close()
  }
  return { faults, ...seen.told() }
}

/** How calls were answered, and which operations let nobody in. */
const createSeen = () => {
  const statuses = new Map<number, number>()
  const open = new Set<string>()
  const said = new Map<string, string>()
  return {
    note({ label, answer, plain }: Tried) {
      const status = answer?.status ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status < 400) open.add(label)
      if (plain) said.set(label, `${status} ${wordsOf(answer?.text ?? '')}`)
    },
    told: () => ({
      statuses,
      closed: PLAYED.map(labelOf)
        .filter((label) => !open.has(label))
        .map((label) => `${label} (${said.get(label) ?? 'never asked plainly'})`),
    }),
  }
}

/** What an answer says, without its markup. */
const wordsOf = (text: string): string => {
  const found = [/"message":"([^"]*)/, /<p[^>]*>([^<]*)/, /"error_description":"([^"]*)/].flatMap(
    (words) => words.exec(text)?.[1] ?? [],
  )
  return (found[0] ?? text).slice(0, SAID_MAX)
}
