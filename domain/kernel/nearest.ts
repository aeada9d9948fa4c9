/**
 * The name among the known ones that was most likely meant; undefined when none is like it, or only with more than
 * `mistakesMax` letters put right.
 */
export const nearestName = (
  given: string,
  known: readonly string[],
  mistakesMax = Number.POSITIVE_INFINITY,
): string | undefined => {
  const wanted = given.toLowerCase().slice(0, LENGTH_MAX)
  const most = Math.min(mistakesMax, Math.max(1, Math.floor(wanted.length / LETTERS_FOR_A_MISTAKE)))
  const [best] = known
    .map((name) => ({ name, steps: stepsBetween(wanted, name.toLowerCase()) }))
    .filter(({ steps }) => steps <= most && steps < wanted.length)
    .toSorted((a, b) => a.steps - b.steps)
  return best?.name
}

/** What is longer is like no name that there is. */
const LENGTH_MAX = 64
/** So many letters of a name may have one wrong among them. */
const LETTERS_FOR_A_MISTAKE = 4

/** How many letters have to be put in, left out or changed to make one text of the other. */
const stepsBetween = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (letter === b[j] ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
