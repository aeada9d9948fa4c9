/**
 * Why the domain said no. The list is closed: each API surface words every one of these in its own table (X-ERR-01).
 */
export type RefusalCode =
  | 'invalid-request'
  | 'internal'
  | 'busy'
  | 'rate-limited'
  | 'unavailable'
  | 'stream-cut'
  | 'event-unreadable'
  | 'forbidden'
  | 'not-found'
  | 'route-not-found'
  | 'method-not-allowed'
  | 'body-too-large'
  | 'body-too-slow'
  | 'batch-too-large'
  | 'key-missing'
  | 'key-invalid'
  | 'key-ended'
  | 'network-refused'
  | 'account-suspended'
  | 'sandbox-key-rejected'
  | 'publishable-key-rejected'
  | 'sandbox-key-not-found'
  | 'store-not-found'
  | 'too-many-keys'
  | 'subagent-not-found'
  | 'too-many-stores'
  | 'email-taken'
  | 'password-required'
  | 'terms-not-agreed'
  | 'not-activated'
  | 'verification-link-invalid'
  | 'unknown-asset'
  | 'bad-address'
  | 'address-taken'
  | 'proof-invalid'
  | 'wallet-missing'
  | 'rate-missing'
  | 'custom-token-exists'
  | 'card-processor-invalid'
  | 'amount-not-positive'
  | 'webhook-url-refused'
  | 'insufficient-credit'
  | 'resource-not-found'
  | 'challenge-not-found'
  | 'challenge-expired'
  | 'challenge-is-test'
  | 'challenge-is-live'
  | 'challenge-closed'
  | 'no-free-amount'
  | 'out-of-stock'
  | 'transfer-not-found'
  | 'transfer-taken'
  | 'payment-not-matching'
  | 'payment-too-low'
  | 'already-paid'
  | 'request-not-found'
  | 'checkout-not-found'
  | 'version-conflict'
  | 'too-many-checkouts'
  | 'too-many-entries'
  | 'label-taken'
  | 'lander-not-found'
  | 'no-free-lander-slots'
  | 'offer-not-found'
  | 'transaction-not-found'
  | 'session-not-found'
  | 'session-closed'
  | 'order-not-found'
  | 'item-not-found'
  | 'checkout-mandate-invalid'
  | 'checkout-mandate-expired'
  | 'checkout-mandate-out-of-scope'
  | 'checkout-mandate-required'
  | 'profile-url-invalid'
  | 'profile-unreachable'
  | 'profile-malformed'
  | 'protocol-version-unsupported'
  | 'state-forbids'
  | 'refunds-not-enabled'
  | 'no-webhook-url'
  | 'authorization-unknown'
  | 'insufficient-funds'
  | 'caller-limit-reached'
  | 'idempotency-conflict'
  | 'id-taken'
  | 'client-unknown'
  | 'token-invalid'
  | 'insufficient-scope'
  | 'grant-invalid'
  | 'grant-type-unsupported'
  | 'pkce-required'
  | 'pkce-failed'
  | 'redirect-uri-refused'
  | 'sign-in-needed'
  | 'credentials-wrong'
  | 'form-stale'
  | 'mfa-needed'
  | 'mfa-missing'
  | 'mfa-code-wrong'
  | 'currency-unsupported'
  | 'amount-invalid'
  | 'intent-not-found'
  | 'intent-code-wrong'
  | 'intent-not-confirmed'
  | 'intent-not-completed'
  | 'intent-declined'
  | 'intent-expired'
  | 'refund-too-high'
  | 'insufficient-balance'
  | 'credit-push-key-wrong'
  | 'app-credit-insufficient'
  | 'ref-conflict'
  | 'top-up-not-found'
  | 'top-up-expired'
  | 'mandate-not-found'
  | 'mandate-terms-invalid'
  | 'mandate-not-active'
  | 'mandate-expired'
  | 'mandate-mode-mismatch'
  | 'per-debit-cap-exceeded'
  | 'lifetime-cap-exceeded'
  | 'cooldown-active'
  | 'too-many-mandates'
  | GameRefusal

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  /** Prose for a person; callers branch on the code. */
  readonly detail: string | undefined
  /** Seconds after which the same call may pass, where that is known. */
  readonly retryAfterS: number | undefined
  /** Facts that a caller's program may want to know; only the sign-in service tells them, beside the code. */
  readonly facts: Readonly<Record<string, string>> | undefined

  constructor(
    code: PlainRefusalCode,
    detail?: string,
    cause?: unknown,
    retryAfterS?: number,
    facts?: Readonly<Record<string, string>>,
  )
  /** Whoever is at a limit is always told how long to wait (`domain/kernel/limits.ts`). */
  constructor(code: RefusalCode, detail: string | undefined, cause: unknown, retryAfterS: number)
  constructor(
    code: RefusalCode,
    detail?: string,
    cause?: unknown,
    retryAfterS?: number,
    facts?: Readonly<Record<string, string>>,
  ) {
    super(detail ? `${code}: ${detail}` : code, { cause })
    this.code = code
    this.detail = detail
    this.retryAfterS = retryAfterS
    this.facts = facts
  }

  /** The same refusal in other words. */
  worded(detail: string): Refusal {
    return new Refusal(this.code as PlainRefusalCode, detail, this.cause, this.retryAfterS, this.facts)
  }
}

export const refuse = (code: PlainRefusalCode, detail?: string): never => {
  throw new Refusal(code, detail)
}

/**
 * What a deletion did. Refuses when it found nothing to delete: the decider stays quiet about what is deleted already,
 * and only the answer tells whether this call was the one (N-79).
 */
export const deletedOr = <R extends { readonly events: readonly unknown[] }>(
  result: R,
  code: PlainRefusalCode,
  detail?: string,
): R => (result.events.length > 0 ? result : refuse(code, detail))

/** Every code but those of limits, which are told with the time to wait: `domain/kernel/limits.ts` refuses by these. */
export type PlainRefusalCode = Exclude<RefusalCode, 'rate-limited' | 'no-plays-left'>

/** Whether something that was thrown is a refusal with one of these codes. */
export const isRefusal = (error: unknown, ...codes: readonly RefusalCode[]): error is Refusal =>
  error instanceof Refusal && codes.includes(error.code)

/** Whether something that was thrown is a refusal which stays one when the same is tried again in a moment. */
export const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && !MAY_CHANGE.has(error.code)

const MAY_CHANGE: ReadonlySet<RefusalCode> = new Set(['busy', 'unavailable', 'stream-cut', 'event-unreadable'])

/** Why the game says no: its part of the refusals. */
type GameRefusal =
  | 'game-not-linked'
  | 'game-scope-missing'
  | 'link-not-found'
  | 'link-code-not-found'
  | 'link-code-used'
  | 'link-code-expired'
  | 'too-many-links'
  | 'too-many-characters'
  | 'character-not-found'
  | 'character-busy'
  | 'insufficient-training-points'
  | 'stat-at-most'
  | 'wrong-galaxy'
  | 'not-claimed'
  | 'not-ready'
  | 'already-claimed'
  | 'run-not-found'
  | 'run-used'
  | 'run-expired'
  | 'run-elsewhere'
  | 'implausible-run'
  | 'no-plays-left'
  | 'insufficient-units'
  | 'grant-ceiling'
  | 'wager-grant-ceiling'
  | 'entry-grant-ceiling'
  | 'quote-mismatch'
  | 'quote-expired'
  | 'fragments-tried'
  | 'duel-not-found'
  | 'not-your-duel'
  | 'duel-closed'
  | 'too-many-duels'
  | 'tournament-not-found'
  | 'tournament-closed'
  | 'tournament-full'
  | 'already-entered'
