/** Milliseconds that are counted at once. */
const TICK_MS = 10

/**
 * Begins to count the time that this process runs in, and answers how to end that, in milliseconds. Beside much else it
 * grows slower than the clock, so a limit of it says how long the process has waited, and not how busy the machine is.
 */
export const startOwnTime = (): (() => number) => {
  let ticks = 0
  const timer = setInterval(() => ticks++, TICK_MS).unref()
  return () => {
    clearInterval(timer)
    return ticks * TICK_MS
  }
}
