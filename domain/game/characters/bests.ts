import { dayOf, weekOf } from '../../kernel/calendar.ts'
import type { GameSlug } from '../world/games.ts'

/**
 * The best score of a character in each mini-game: ever, and in each of the latest weeks and days, by which tournaments
 * are decided (G-TRN-01). A window is named `2026-w47` (the ISO week) or `2026-11-22` (the day, UTC) and counts the
 * runs that were finished in it.
 */
export type Bests = { readonly [G in GameSlug]?: { readonly ever: number; readonly windows: Windows } }

/** The part of a character that is read here. */
type BestsHolder = { readonly bests: Bests }

type Windows = { readonly [window: string]: Best }

/** Of two runs with the same score the earlier one is the best. */
export type Best = { readonly score: number; readonly at: string }

/** Weeks, and days, that are kept for each game. */
const WINDOWS_MAX = 3

/** The best run in a window; undefined when the character finished no plausible run in it. */
export const bestIn = ({ bests }: BestsHolder, game: GameSlug, window: string): Best | undefined =>
  bests[game]?.windows[window]

export const bestEver = ({ bests }: BestsHolder, game: GameSlug): number | undefined => bests[game]?.ever

export const withScore = (bests: Bests, game: GameSlug, { score, at }: Best): Bests => {
  const { ever = 0, windows = {} } = bests[game] ?? {}
  const beaten = [weekOf(at), dayOf(at)].filter((window) => (windows[window]?.score ?? -1) < score)
  const kept = { ...windows, ...Object.fromEntries(beaten.map((window) => [window, { score, at }])) }
  return { ...bests, [game]: { ever: Math.max(ever, score), windows: newest(kept) } }
}

/** The newest windows: names of one kind sort as their times do. */
const newest = (windows: Windows): Windows => {
  const names = Object.keys(windows).sort()
  const weeks = names.filter((name) => name.includes('w')).slice(-WINDOWS_MAX)
  const days = names.filter((name) => !name.includes('w')).slice(-WINDOWS_MAX)
  return Object.fromEntries([...weeks, ...days].flatMap((name) => (windows[name] ? [[name, windows[name]]] : [])))
}
