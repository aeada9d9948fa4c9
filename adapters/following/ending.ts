/**
 * Whether a signal has aborted, as it told when it did; `told` is called then. A signal that is made of others looks at
 * each of them whenever it is asked, and every follower wants to know at every page.
 */
export const endingOf = (signal: AbortSignal, told: () => void): (() => boolean) => {
  let ended = signal.aborted
  const end = () => {
    ended = true
    told()
  }
  signal.addEventListener('abort', end, { once: true })
  return () => ended
}
