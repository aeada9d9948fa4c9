import { Refusal } from '../refusal.ts'

/**
 * Everything that may be done only so often. Whoever is at a limit is told the seconds after which the same call
 * passes: a test reaches each limit of this list, waits for as long as it was told, and gets through.
 */
export const LIMITS = [
  // Calls, counted for one network, key, app or token by all processes together.
  ...(['calls.key', 'calls.address', 'calls.visitor', 'calls.client', 'calls.strangerBytes'] as const),
  ...(['calls.signUp', 'calls.authorize', 'calls.userinfo', 'calls.tokenFailures', 'calls.balance'] as const),
  // What one process holds in its memory for its callers.
  ...(['calls.newChallenges', 'calls.profiles'] as const),
  // What people try, and what calls others, counted by all processes together.
  ...(['people.login-account', 'people.login-address', 'people.login-device', 'people.sign-up'] as const),
  ...(['people.mail', 'people.code', 'people.code-account', 'people.verify-email', 'people.confirm'] as const),
  ...(['people.recover-key', 'people.owner-password'] as const),
  ...(['people.receipt', 'people.receipt-network', 'people.receipt-address'] as const),
  ...(['people.webhook-test', 'people.connection-test', 'people.checkout'] as const),
  // What a stream counts.
  ...(['letters.user', 'letters.account', 'letters.member', 'letters.invitations', 'sandbox-keys'] as const),
  ...(['unpaid-challenges', 'lent-pieces', 'game.plays', 'game.stakes'] as const),
  ...(['payer.failures', 'payer.under-way', 'relay-budget'] as const),
] as const
export type LimitName = (typeof LIMITS)[number]

/** A refusal of something that may be done again after `retryAfterS` seconds. */
export class LimitReached extends Refusal {
  readonly limit: LimitName

  constructor(
    limit: LimitName,
    waitS: number,
    detail: string,
    code: 'rate-limited' | 'no-plays-left' = 'rate-limited',
  ) {
    super(code, detail, undefined, Math.max(1, Math.ceil(waitS)))
    this.limit = limit
  }
}

/** Seconds from one time to another, at least one. */
export const secondsUntil = (until: string, now: string): number =>
  Math.max(1, Math.ceil((Date.parse(until) - Date.parse(now)) / 1_000))
