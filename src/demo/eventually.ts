const LOOK_AGAIN_MS = 25

/** Waits until a check holds, and answers what it found; throws after `waitMs`. */
export const eventually = async <T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  waitMs = 30_000,
): Promise<T> => {
  const until = Date.now() + waitMs
  for (;;) {
    const found = await check()
    if (found) return found
    if (Date.now() > until) throw new Error(`${what} did not happen within ${waitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}
