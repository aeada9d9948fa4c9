import { ownEntry } from '../kernel/plain-data.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The second factors of a person, and the rules by which they come and go. A user of the sign-in service and a member
 * of a seller's account have the same ones; each names its own events.
 */

export type Passkey = {
  /** The id of the credential, in base64url. */
  credentialId: string
  /** The COSE key, in base64url. */
  publicKey: string
  transports: readonly string[]
  /** What its owner calls it, sealed. */
  label: SealedText
}

/** Who at the operator's decided something about a person, and why. */
export type OperatorAct = { by: string; reason: string }

/** What the state of a person keeps of them. */
export type Factors = {
  readonly passkeys: { readonly [credentialId: string]: Passkey }
  readonly totp: SealedText | null
  /** The hashes of those that are left. */
  readonly recoveryCodes: readonly string[]
}

export type FactorCommands = {
  addPasskey: Passkey
  removePasskey: { credentialId: string }
  enrolTotp: { secret: SealedText }
  removeTotp: Record<never, never>
  issueRecoveryCodes: { hashes: readonly string[] }
  /** Refuses `mfa-code-wrong`. */
  useRecoveryCode: { hash: string }
}

export const NO_FACTORS: Factors = { passkeys: {}, totp: null, recoveryCodes: [] }
export const RECOVERY_CODES_MAX = 10
const PASSKEYS_MAX = 20

/** Whether a passkey is one that the person does not have yet. Refuses `invalid-request` when there are too many. */
export const isNewPasskey = ({ passkeys }: Factors, { credentialId }: Passkey): boolean => {
  if (ownEntry(passkeys, credentialId)) return false
  if (Object.keys(passkeys).length >= PASSKEYS_MAX)
    return refuse('invalid-request', `A user has at most ${PASSKEYS_MAX} passkeys: remove one first.`)
  return true
}

export const hasPasskey = ({ passkeys }: Factors, credentialId: string): boolean =>
  ownEntry(passkeys, credentialId) !== undefined

/** Whether the person has one factor alone; without any, recovery codes are void as well. */
export const isLastFactor = ({ passkeys, totp }: Factors): boolean =>
  Object.keys(passkeys).length + (totp === null ? 0 : 1) === 1

/** Whether the person is asked for a second factor at all. */
export const isEnrolled = ({ passkeys, totp }: Factors): boolean => totp !== null || Object.keys(passkeys).length > 0

/** Whether a person has anything that a reset takes away. */
export const hasFactors = (factors: Factors): boolean => isEnrolled(factors) || factors.recoveryCodes.length > 0

/** Refuses `invalid-request` for more recovery codes than anybody has. */
export const mustBeFewCodes = (hashes: readonly string[]): void => {
  if (hashes.length > RECOVERY_CODES_MAX)
    refuse('invalid-request', `A user has to have at most ${RECOVERY_CODES_MAX} recovery codes.`)
}

/** Refuses `mfa-code-wrong` for a recovery code that is not one of those that are left. */
export const mustHaveCode = ({ recoveryCodes }: Factors, hash: string): void => {
  if (!recoveryCodes.includes(hash)) refuse('mfa-code-wrong')
}

export const withPasskey = ({ passkeys }: Factors, key: Passkey): Pick<Factors, 'passkeys'> => ({
  passkeys: { ...passkeys, [key.credentialId]: key },
})

export const withoutPasskey = (factors: Factors, credentialId: string): Pick<Factors, 'passkeys'> => {
  const { [credentialId]: _, ...passkeys } = factors.passkeys
  return { passkeys }
}

export const withoutCode = ({ recoveryCodes }: Factors, hash: string): Pick<Factors, 'recoveryCodes'> => ({
  recoveryCodes: recoveryCodes.filter((each) => each !== hash),
})
