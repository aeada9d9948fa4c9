import { closestMatch } from 'leven'

/** Longer names are not compared: no name here is that long, and the work grows with the length of both. */
const COMPARED_MAX = 64

/**
 * The known name that somebody who wrote `name` most likely meant: at most a third of its letters are other ones, and
 * at least one may be. Undefined where no name comes close.
 */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > COMPARED_MAX) return undefined
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  return closestMatch(name.toLowerCase(), known, { maxDistance })
}
