import type { Of } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import type { KeptKey } from './keys/api-key.ts'

/**
 * The owner's key of an account: how another takes its place, and how an operator stops all keys. These are rules of
 * the account's own stream; at most two owner keys are good at a time.
 */

/** Why there is a new key: its owner or an operator asked for it, or a mailed link was followed. */
type RotationCause = 'owner' | 'recovery' | 'operator'

export type OwnerKeyEvents = {
  /** A new owner key takes the place of the last one, and of one before it that was still good until now. */
  OwnerKeyRotated: KeptKey & {
    replacedKeyId: string
    /** Until when the replaced key is good; the time of the event when it ended at once. */
    replacedUntil: string
    /** The key that had been replaced earlier, and was still good. */
    endedKeyId?: string
    cause: RotationCause
    rotatedAt: string
    /** The network that it was asked from, for the letter that asks whether that was you. */
    network?: SealedText
    /** Who decided it at the operator's, and why. */
    by?: string
    reason?: string
  }
  /** Somebody asked for a letter with which a new owner key can be had; only the newest letter's link works. */
  KeyRecoveryRequested: { tokenHash: string; expiresAt: string; letter: SealedText; requestedAt: string }
  /** An operator stopped every key of the account; nothing new is sold. */
  AccountSuspended: { by: string; reason: string; suspendedAt: string }
  AccountReinstated: { by: string; reason: string; reinstatedAt: string }
  /** An operator signed everybody of the account out; its keys go on. */
  AccountSessionsEnded: { by: string; reason: string; endedAt: string }
  /**
   * Its owner closed the account for good: every key and session has ended, and nothing new is sold. `by` is the
   * member; `network` is where from, for the letter that asks whether that was you.
   */
  AccountClosed: { by: string; network: SealedText; closedAt: string }
}

export type OwnerKeyCommands = {
  /**
   * Refuses `forbidden` when `usedKeyId`, the key that asks, is not the newest one, and `account-suspended` unless an
   * operator asks. `keepsOld`: the replaced key stays good for an hour.
   */
  rotateKey: {
    key: KeptKey
    keepsOld: boolean
    cause: 'owner' | 'operator'
    usedKeyId?: string
    network?: SealedText
    by?: string
    reason?: string
  }
  /** Refuses `busy` above so many letters an hour, `not-found` for an account that recovers no key. */
  requestRecovery: { tokenHash: string; expiresAt: string; letter: SealedText }
  /** Follows the link, once: every older key ends. Refuses `verification-link-invalid`, `account-suspended`. */
  recoverKey: { tokenHash: string; key: KeptKey; network: SealedText }
  suspend: { by: string; reason: string }
  reinstate: { by: string; reason: string }
  /** Notes the end of all sessions, whether or not there are any. */
  endSessions: { by: string; reason: string }
  close: { by: string; network: SealedText }
}

/** What the state of an account keeps of its owner keys. */
export type OwnerKeys = {
  readonly keyId: string
  /** The key that was replaced last, while it may still be good. */
  readonly replaced: { readonly keyId: string; readonly until: string } | undefined
  readonly recovery: { readonly tokenHash: string; readonly expiresAt: string } | undefined
  /** When letters for a recovery were asked for, within the hour of the last one. */
  readonly recoveriesAsked: readonly string[]
  readonly suspended: { readonly reason: string; readonly at: string } | undefined
  /** When its owner closed the account. */
  readonly closed: { readonly at: string } | undefined
}

export const firstOwnerKey = (keyId: string): OwnerKeys => ({
  keyId,
  replaced: undefined,
  recovery: undefined,
  recoveriesAsked: [],
  suspended: undefined,
  closed: undefined,
})

/** How long a replaced key stays good, where that was asked for. */
const KEPT_MS = 3_600_000
/** How long the link of a recovery letter works. */
export const RECOVERY_HOURS = 1
/** Letters for a recovery that one account is sent in an hour, whoever asks for them. */
const RECOVERY_LETTERS_PER_HOUR_MAX = 3
const HOUR_MS = 3_600_000

type Events = readonly Of<OwnerKeyEvents>[]

export const rotation = (keys: OwnerKeys, wish: OwnerKeyCommands['rotateKey'], now: string): Events => {
  const { key, keepsOld, usedKeyId, cause, ...told } = wish
  if (keys.keyId === key.keyId) return []
  if (keys.closed) return refuse('forbidden', closedText(keys.closed.at))
  if (cause === 'owner') mustBeGood(keys)
  if (usedKeyId !== undefined && usedKeyId !== keys.keyId)
    return refuse('forbidden', 'This key has been replaced. Use the newest owner key.')
  return [rotated(keys, { ...key, cause, ...told }, keepsOld ? later(now, KEPT_MS) : now, now)]
}

export const closing = ({ closed }: OwnerKeys, data: OwnerKeyCommands['close'], now: string): Events =>
  closed ? [] : [{ type: 'AccountClosed', data: { ...data, closedAt: now } }]

export const recoveryRequest = (keys: OwnerKeys, data: OwnerKeyCommands['requestRecovery'], now: string): Events => {
  if (lately(keys.recoveriesAsked, now).length >= RECOVERY_LETTERS_PER_HOUR_MAX)
    return refuse(
      'busy',
      `An account is sent at most ${RECOVERY_LETTERS_PER_HOUR_MAX} of these letters an hour. Wait, then ask again.`,
    )
  return [{ type: 'KeyRecoveryRequested', data: { ...data, requestedAt: now } }]
}

export const recoveredKey = (keys: OwnerKeys, data: OwnerKeyCommands['recoverKey'], now: string): Events => {
  const { tokenHash, key, network } = data
  mustBeRecoverable(keys, tokenHash, now)
  return [rotated(keys, { ...key, cause: 'recovery', network }, now, now)]
}

export const suspension = ({ suspended }: OwnerKeys, data: OwnerKeyCommands['suspend'], now: string): Events =>
  suspended ? [] : [{ type: 'AccountSuspended', data: { ...data, suspendedAt: now } }]

export const reinstatement = ({ suspended }: OwnerKeys, data: OwnerKeyCommands['reinstate'], now: string): Events =>
  suspended ? [{ type: 'AccountReinstated', data: { ...data, reinstatedAt: now } }] : []

/** Refuses `verification-link-invalid` for a link that is used, replaced or expired, and `account-suspended`. */
export const mustBeRecoverable = (keys: OwnerKeys, tokenHash: string, now: string): void => {
  const { recovery } = keys
  if (keys.closed || recovery?.tokenHash !== tokenHash || now > recovery.expiresAt) refuse('verification-link-invalid')
  mustBeGood(keys)
}

const mustBeGood = ({ suspended }: OwnerKeys): void => {
  if (suspended) refuse('account-suspended', suspendedText(suspended.reason))
}

/** The sentence that a caller of a suspended account reads. */
export const suspendedText = (reason: string): string =>
  `This account is suspended: ${reason}${/[.!?]$/.test(reason) ? '' : '.'} Write to whoever runs this service.`

/** What whoever held a key of a closed account reads, and who signs in to it. */
export const closedText = (at: string): string =>
  `The owner closed this account on ${at.slice(0, 10)}, for good. Sign up for a new one with another email address.`

/** Whether nothing new is sold, and nobody acts for the account. */
export const isStopped = ({ suspended, closed }: OwnerKeys): boolean => suspended !== undefined || closed !== undefined

type Rotation = Omit<OwnerKeyEvents['OwnerKeyRotated'], 'replacedKeyId' | 'replacedUntil' | 'endedKeyId' | 'rotatedAt'>

const rotated = ({ keyId, replaced }: OwnerKeys, data: Rotation, until: string, now: string) => {
  const endedKeyId = replaced && replaced.until > now ? { endedKeyId: replaced.keyId } : {}
  const place = { replacedKeyId: keyId, replacedUntil: until, rotatedAt: now }
  return { type: 'OwnerKeyRotated', data: { ...data, ...place, ...endedKeyId } } as const
}

/** The keys after a rotation: no link of a recovery works any more. */
export const afterRotation = <T extends OwnerKeys>(keys: T, data: OwnerKeyEvents['OwnerKeyRotated']): T => ({
  ...keys,
  keyId: data.keyId,
  replaced: { keyId: data.replacedKeyId, until: data.replacedUntil },
  recovery: undefined,
})

export const afterRecoveryRequest = <T extends OwnerKeys>(
  keys: T,
  { tokenHash, expiresAt, requestedAt }: OwnerKeyEvents['KeyRecoveryRequested'],
): T => ({
  ...keys,
  recovery: { tokenHash, expiresAt },
  recoveriesAsked: [...lately(keys.recoveriesAsked, requestedAt), requestedAt],
})

const later = (now: string, ms: number): string => new Date(Date.parse(now) + ms).toISOString()

/** Those of some times that lie within the last hour. */
export const lately = (times: readonly string[], now: string): readonly string[] =>
  times.filter((time) => Date.parse(now) - Date.parse(time) < HOUR_MS)
