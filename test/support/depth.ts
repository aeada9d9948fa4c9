/** `npm run test:deep` sets it; `npm test` has to be done within minutes. */
export const DEEP = process.env.TEST_DEPTH === 'deep'

/** How many runs, rounds or requests a test tries: `quick` of them in `npm test`, `deep` in `npm run test:deep`. */
export const runs = ({ quick, deep }: { readonly quick: number; readonly deep: number }): number =>
  DEEP ? deep : quick

/** What of a list of like cases is tried: all in the deep run, in `npm test` one of `oneOf`, the first included. */
export const cases = <T>(all: readonly T[], oneOf: number): readonly T[] =>
  DEEP ? all : all.filter((_, n) => n % oneOf === 0)

/** Milliseconds after which a test counts as one that hangs; a machine with much else to do is slow, and no fault. */
export const HANG_MS = 600_000
