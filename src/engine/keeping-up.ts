/** Milliseconds that the followers may be behind before those who sell wait for them: as long as a read waits. */
const BEHIND_MAX_MS = 2_000

type Followers = {
  /** Whether all have come to a position, as far as this process knows. */
  reached(position: bigint): boolean
  /** Resolves once they have come to it, or the wait is up. */
  settled(position: bigint): Promise<unknown>
}

/**
 * Who sells waits for no row, so nothing else keeps the followers from falling behind without an end. Where they have
 * not come in two seconds to what somebody wrote, everybody who sells waits until they have, so that reads show what
 * was answered.
 */
export const keepingUp = ({ reached, settled }: Followers, now = () => performance.now()) => {
  let mark: { readonly position: bigint; readonly since: number } | undefined
  let coming: Promise<unknown> | undefined
  return async (position: bigint): Promise<void> => {
    if (position < 0n) return
    mark ??= { position, since: now() }
    if (now() - mark.since < BEHIND_MAX_MS) return
    if (reached(mark.position)) {
      mark = { position, since: now() }
      return
    }
    coming ??= settled(mark.position)
      .catch(() => {})
      .finally(() => {
        mark = undefined
        coming = undefined
      })
    await coming
  }
}
