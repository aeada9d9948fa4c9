import { z } from 'zod'
import type { World } from '../../../../../domain/kernel/ports.ts'
import { refuse } from '../../../../../domain/kernel/refusal.ts'
import { RECOVERY_CODES_MAX } from '../../../../../domain/signin/factors.ts'
import { giveBack, limit } from '../../../core/limits.ts'
import type { FactorContext } from './challenges.ts'
import { type FactorHolder, type HeldFactors, held } from './holder.ts'
import { checkPasskey, PASSKEY_MAX_CHARACTERS } from './passkeys.ts'
import { totpStep } from './totp.ts'

/** The second factor of a person: a passkey, a code of their authenticator app, or one of their recovery codes. */

/** The factors by which somebody can prove who they are, beside the password. */
export const factorsOf = async (who: FactorHolder): Promise<HeldFactors> => {
  const factors = await who.factors()
  return factors ? held(factors) : refuse('not-found', 'There is nobody of this name. Sign in again.')
}

/** Fields of a form: exactly one of them is filled in. */
type FactorAnswer = {
  readonly passkey?: unknown
  readonly code?: unknown
  readonly recovery_code?: unknown
}

type FactorAttempt = {
  readonly who: FactorHolder
  /** What a passkey has to sign. */
  readonly challenge: string
  /** What the tries are counted by: the session, or the sign-in that waits. */
  readonly holder: string
  /**
   * What the codes for this account are counted by: the session or device that is known, so that those who guess do not
   * slow its owner.
   */
  readonly known: string | undefined
}

/** Fields of a form by which somebody proves who they are. */
export const proofFields = {
  challenge: z.string().max(100).default(''),
  passkey: z.string().max(PASSKEY_MAX_CHARACTERS).default(''),
  code: z.string().max(40).default(''),
  recovery_code: z.string().max(100).default(''),
}

/** Proves by a second factor who somebody is. Refuses `mfa-code-wrong`, `rate-limited`. @returns how (RFC 8176) */
export const proveFactor = async (
  asking: FactorContext,
  { who, challenge, holder, known = 'unknown' }: FactorAttempt,
  proof: FactorAnswer,
): Promise<readonly string[]> => {
  await limit(asking, 'code', holder)
  const passkey = text(proof.passkey)
  if (passkey !== '') return (await checkPasskey(asking, passkey, challenge, () => who)).amr
  const recovery = text(proof.recovery_code)
  if (recovery !== '') return await useRecoveryCode(asking, who, recovery)
  await limit(asking, 'code-account', who.id, known)
  await useTotpCode(asking, who, text(proof.code))
  await giveBack(asking, 'code-account', who.id, known)
  return ['otp', 'mfa']
}

const useTotpCode = async ({ flow, signIn }: FactorContext, who: FactorHolder, code: string): Promise<void> => {
  const sealed = (await who.factors())?.totp ?? null
  const secret = sealed === null ? undefined : await flow.vault.open(sealed)
  const digits = code.replaceAll(/\s/g, '')
  const step = secret === undefined ? undefined : totpStep(Buffer.from(secret, 'hex'), digits, flow.world.now())
  if (step === undefined || !(await signIn.factors.takeTotpStep(who.id, step)))
    refuse('mfa-code-wrong', 'This code is wrong, or was used already. Wait for the next one.')
}

/** Uses up a recovery code; each use is mailed to its owner. */
const useRecoveryCode = async (
  { flow }: FactorContext,
  { id, door }: FactorHolder,
  code: string,
): Promise<readonly string[]> => {
  await door.useRecoveryCode(id, { hash: recoveryHash(flow.world, code) })
  return ['otp', 'mfa']
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Characters of a recovery code. A user has ten for the day that a telephone is lost: 80 bits each in base32, shown
 * once, kept as hashes.
 */

const CHARACTERS = 16

export const newRecoveryCodes = (world: World): readonly string[] =>
  // An id has 130 bits in base32; its first 16 characters are 80 of them.
  Array.from({ length: RECOVERY_CODES_MAX }, () => inGroups(world.id('rc').slice(3, 3 + CHARACTERS)))

/** The hash of a code as somebody types it: case, spaces and dashes do not matter. */
export const recoveryHash = (world: Pick<World, 'digest'>, code: string): string =>
  world.digest(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))

const inGroups = (code: string): string => (code.match(/.{4}/g) ?? []).join('-')
