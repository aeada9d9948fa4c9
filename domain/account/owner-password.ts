/**
 * Which password proves the owner, where the owner's key alone is not enough. Document 1 lets the key alone set another
 * one, so a leaked key could set its own and then take the account over with it. Until a day has passed, the password
 * before it goes on to count for that, and its owner has a letter in hand (N-78).
 */

/** What the state of an account keeps of its password. */
export type OwnerPassword = {
  readonly passwordHash: string
  /** The password before one that the key alone has set, and until when it is the one that proves the owner. */
  readonly former: { readonly passwordHash: string; readonly until: string } | undefined
}

/** Hours until a password that the key alone has set proves the owner. */
export const UNPROVEN_HOURS = 24
const HOUR_MS = 3_600_000

/** The hash that a password has to fit which proves the owner now. */
export const provingHash = ({ passwordHash, former }: OwnerPassword, now: string): string =>
  isWaiting(former, now) ? former.passwordHash : passwordHash

/** From when on the newest password proves the owner; undefined when it does now. */
export const provesFrom = ({ former }: OwnerPassword, now: string): string | undefined =>
  isWaiting(former, now) ? former.until : undefined

/** `resetAt` is missing in what older versions wrote; such a password counts at once, as it did then. */
export const afterReset = <T extends OwnerPassword>(
  state: T,
  { passwordHash, proven, resetAt }: { passwordHash: string; proven?: true; resetAt?: string },
): T => {
  if (proven || resetAt === undefined) return { ...state, passwordHash, former: undefined }
  const until = new Date(Date.parse(resetAt) + UNPROVEN_HOURS * HOUR_MS).toISOString()
  // However often the key sets another one, the last that was proven goes on to count.
  return { ...state, passwordHash, former: { passwordHash: provingHash(state, resetAt), until } }
}

/** Whoever proved the owner by the password before it keeps that one, and the one that was set meanwhile is gone. */
export const afterProof = <T extends OwnerPassword>(state: T, at: string): T =>
  state.former === undefined ? state : { ...state, passwordHash: provingHash(state, at), former: undefined }

const isWaiting = (former: OwnerPassword['former'], now: string): former is NonNullable<OwnerPassword['former']> =>
  former !== undefined && now < former.until
