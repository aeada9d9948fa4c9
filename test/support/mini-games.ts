import { createHmac } from 'node:crypto'
import type { Move } from '../../domain/game/games/judge.ts'
import type { GameSlug } from '../../domain/game/world/games.ts'

/**
 * The mini-games as a player sees them who trusts nobody: what is played well, and what a seed must have dealt, from
 * the documents alone.
 */

type Round = Readonly<Record<string, unknown>> & { readonly round: number }

/** Milliseconds between two inputs of a quick person. */
const QUICK_MS = 250

/** The best that can be done by what is shown of the rounds. */
export const bestMoves = (slug: GameSlug, rounds: readonly Round[]): Move[] =>
  rounds.map((round, n) => ({ t: timeOf(round, n), round: round.round, input: inputs[slug](round) }))

const timeOf = ({ at_ms: at }: Round, n: number): number => (typeof at === 'number' ? at + 80 : QUICK_MS * (n + 1))

const inputs: { readonly [G in GameSlug]: (round: Round) => string | number } = {
  'signal-echo': ({ signals }) => String(signals),
  'lane-drift': ({ lanes }) => (lanes as string[]).indexOf('clear'),
  'salvage-sort': ({ hold, crates }) => bestLoad(Number(hold), crates as Crate[]),
  'three-doors': ({ doors }) => {
    const worth = (doors as { odds: number; prize: number }[]).map(({ odds, prize }) => odds * prize)
    return worth.indexOf(Math.max(...worth))
  },
}

type Crate = { crate: string; mass: number; worth: number }

const bestLoad = (hold: number, crates: readonly Crate[]): string => {
  const total = (load: readonly Crate[], field: 'mass' | 'worth') => load.reduce((sum, crate) => sum + crate[field], 0)
  const loads = crates.reduce<Crate[][]>((all, crate) => all.concat(all.map((load) => load.concat(crate))), [[]])
  const carried = loads.filter((load) => total(load, 'mass') <= hold)
  const [best = []] = carried.sort((a, b) => total(b, 'worth') - total(a, 'worth'))
  return best.map(({ crate }) => crate).join('')
}

/** Whole numbers from a seed: HMAC-SHA256(seed, `id|counter`), 32 bits at a time, those too high left out. */
export const diceAgain = (seed: string, id: string) => {
  const words: number[] = []
  let counter = 0
  const below = (bound: number): number => {
    if (words.length === 0) {
      const block = createHmac('sha256', Buffer.from(seed, 'hex')).update(`${id}|${counter++}`).digest()
      for (let at = 0; at < block.length; at += 4) words.push(block.readUInt32BE(at))
    }
    const word = words.shift() ?? 0
    return word < 2 ** 32 - (2 ** 32 % bound) ? word % bound : below(bound)
  }
  return below
}

/** Every round of a run as its seed dealt it: what was shown, and for doors which one opened. */
export const dealtAgain = (slug: GameSlug, seed: string, runId: string): { rounds: Round[]; opens: number[] } => {
  const below = diceAgain(seed, runId)
  const opens: number[] = []
  let at = 0
  const deal: { readonly [G in GameSlug]: (n: number) => object } = {
    'signal-echo': (n) => ({ signals: Array.from({ length: 3 + n }, () => 'ABCD'[below(4)]).join('') }),
    'lane-drift': () => {
      at += 700 + below(501)
      const clear = below(3)
      return { at_ms: at, lanes: [0, 1, 2].map((lane) => (lane === clear ? 'clear' : 'wreck')) }
    },
    'salvage-sort': () => {
      const crates = [...'abcde'].map((crate) => ({ crate, mass: 1 + below(9), worth: 1 + below(20) }))
      const masses = crates.map(({ mass }) => mass)
      const half = Math.floor(masses.reduce((sum, mass) => sum + mass, 0) / 2)
      return { hold: Math.max(half, Math.min(...masses)), crates }
    },
    'three-doors': () => {
      const [low = 0, high = 0] = [below(10), below(10)].sort((a, b) => a - b)
      const odds = [low + 1, high - low + 1, 10 - high]
      const prizes = [0, 1, 2].map(() => 20 + below(81))
      const roll = below(12)
      opens.push(roll < low + 1 ? 0 : roll < high + 2 ? 1 : 2)
      return { doors: odds.map((each, n) => ({ odds: each, prize: prizes[n] })) }
    },
  }
  const counts = { 'signal-echo': 8, 'lane-drift': 10, 'salvage-sort': 6, 'three-doors': 8 }
  const rounds = Array.from({ length: counts[slug] }, (_, n) => ({ round: n + 1, ...deal[slug](n) }))
  return { rounds, opens }
}
