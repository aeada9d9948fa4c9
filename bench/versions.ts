import { setTimeout as pause } from 'node:timers/promises'
import { childPids } from './children.ts'
import type { Comparison, Contestant, Figures } from './comparison.ts'
import { cpuSeconds } from './cpu.ts'
import { type Interval, median, medianInterval } from './ratio.ts'
import { type BenchSet, type Ground, onStage, ROOT, type Size } from './stage.ts'

/** One contestant of two versions of the product: rates per second, and by how much the new one is faster. */
export type Race = {
  readonly title: string
  readonly unit: string
  readonly name: string
  readonly rounds: number
  readonly old: number
  readonly now: number
  /** The new rate over the old one of the same round: 1 and more is faster. */
  readonly speed: Interval
}

export type Pace = { readonly size: Size; readonly rounds: number; say(line: string): void }

/** A version counts as no slower than before when the 95 % interval of the median ratio reaches this. */
export const NO_SLOWER = 0.95
export const isNoSlower = ({ speed }: Race): boolean => speed.high >= NO_SLOWER

/** A child that uses less than this share of a core is waiting; its work after one round must not slow the next one. */
const QUIET_SHARE = 0.1
const QUIET_LOOK_MS = 200
const QUIET_MAX_LOOKS = 25

/**
 * Runs a set on the service of `oldRoot` and on this one, both up at the same time, each on a stage of its own;
 * measures one at a time, and the two in turns: old and new, then new and old. Rejects when the set cannot run on one
 * of them.
 */
export const race = async (set: BenchSet, ground: Ground, oldRoot: string, pace: Pace): Promise<readonly Race[]> => {
  const races: Race[] = []
  const meeting = createMeeting(async (old, now) => void races.push(...(await run(set, old, now, pace))))
  const sides = [oldRoot, ROOT].map(async (root, side) => {
    try {
      const compare = (comparison: Comparison) => meeting.join(side, comparison)
      await onStage(set, ground, { size: pace.size, root, peers: false, compare })
    } catch (error) {
      meeting.fail(error)
      throw error
    }
  })
  const failed = (await Promise.allSettled(sides)).find((side) => side.status === 'rejected')
  if (failed) throw failed.reason
  return races
}

/** Two sides that come to the same comparison: the one that is first waits for the other, and both until it is done. */
const createMeeting = (together: (old: Comparison, now: Comparison) => Promise<void>) => {
  let waiting: { comparison: Comparison; done: PromiseWithResolvers<readonly []> } | undefined
  let failure: { error: unknown } | undefined
  return {
    async join(side: number, comparison: Comparison): Promise<readonly []> {
      if (failure) throw failure.error
      if (!waiting) {
        waiting = { comparison, done: Promise.withResolvers() }
        return waiting.done.promise
      }
      const { comparison: other, done } = waiting
      waiting = undefined
      try {
        await together(...(side === 0 ? ([comparison, other] as const) : ([other, comparison] as const)))
        done.resolve([])
        return []
      } catch (error) {
        done.reject(error)
        throw error
      }
    },
    fail(error: unknown) {
      failure = { error }
      waiting?.done.reject(error)
    },
  }
}

const run = async (set: BenchSet, old: Comparison, now: Comparison, pace: Pace): Promise<Race[]> => {
  const { title, unit } = now
  const names = now.contestants.map(({ name }) => name).filter((name) => set.versioned?.includes(name))
  const pairs = names.map((name) => ({ name, old: contestant(old, name), now: contestant(now, name) }))
  const taken = new Map<string, { old: number; now: number }[]>(names.map((name) => [name, []]))
  for (let round = 0; round < pace.rounds; round++)
    for (const pair of pairs) {
      const rates = await inTurns(pair, round)
      taken.get(pair.name)?.push(rates)
      const shown = [rates.old, rates.now].map(Math.round).join(' and ')
      pace.say(`${set.name} · round ${round + 1} of ${pace.rounds} · ${pair.name}: ${shown} ${unit}/s`)
    }
  return [...taken].map(([name, rates]) => ({
    title,
    unit,
    name,
    rounds: rates.length,
    old: median(rates.map((rate) => rate.old)),
    now: median(rates.map((rate) => rate.now)),
    speed: medianInterval(rates.map((rate) => rate.now / rate.old)),
  }))
}

const contestant = ({ contestants }: Comparison, name: string): Contestant => {
  const found = contestants.find((each) => each.name === name)
  if (!found) throw new Error(`${name} is not measured on both versions`)
  return found
}

const inTurns = async ({ old, now }: Record<'old' | 'now', Contestant>, round: number) => {
  const rate = async ({ round }: Contestant): Promise<Figures['rate']> => {
    await quiet()
    return (await round()).rate
  }
  if (round % 2 === 0) return { old: await rate(old), now: await rate(now) }
  const first = await rate(now)
  return { old: await rate(old), now: first }
}

/** Resolves once no child is at work any more, or after some seconds: services have a little to do for ever. */
const quiet = async (): Promise<void> => {
  for (let look = 0; look < QUIET_MAX_LOOKS; look++) {
    const pids = childPids()
    const before = cpuSeconds(pids)
    await pause(QUIET_LOOK_MS)
    if (cpuSeconds(pids) - before < (QUIET_SHARE * QUIET_LOOK_MS) / 1_000) return
  }
}
