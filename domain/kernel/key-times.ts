import { addMinutes } from './calendar.ts'

/** Keys that follow one another in time: each signs from its moment on, until the next one does. */

type TimedKey = { readonly activeFrom: string }

/**
 * The key that signs at a time; undefined before there is any. The first key signs also where a clock is behind the
 * clock of its maker.
 */
export const signingAt = <K extends TimedKey>(keys: readonly K[], at: string): K | undefined =>
  keys.findLast(({ activeFrom }) => activeFrom <= at) ?? keys[0]

/** The keys that are published at a time: each until so many minutes after the next one began to sign. */
export const publishedOf = <K extends TimedKey>(keys: readonly K[], at: string, afterMinutes: number): readonly K[] =>
  keys.filter((_, i) => {
    const next = keys[i + 1]
    return !next || at < addMinutes(next.activeFrom, afterMinutes)
  })
