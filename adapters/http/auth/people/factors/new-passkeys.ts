import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { refuse } from '../../../../../domain/kernel/refusal.ts'
import type { Passkey } from '../../../../../domain/signin/factors.ts'
import type { UseCaseContext } from '../../../../../domain/use-cases/context.ts'
import type { FactorHolder } from './holder.ts'
import { PASSKEY_MAX_CHARACTERS, webAuthn } from './passkeys.ts'

/** Making a passkey: one that the device can find by itself, and uses only once it has recognised its owner. */

const TIMEOUT_MS = 300_000
/** EdDSA, ES256 and RS256 (COSE algorithms): what every device in use has one of. */
const ALGORITHMS = [-8, -7, -257]
/** What somebody is told whose passkey was not taken. */
export const PASSKEY_NOT_ADDED = 'The passkey could not be added. Please try again.'

type PasskeyOwner = { readonly name: string; readonly passkeys: readonly Passkey[] }

/** The request to the browser; a device that has a passkey for this person already says so. */
export const newPasskeyRequest = async (
  { id, origin }: FactorHolder,
  challenge: string,
  { name, passkeys }: PasskeyOwner,
): Promise<string> =>
  JSON.stringify(
    await (await webAuthn()).generateRegistrationOptions({
      rpName: 'Daybook',
      rpID: new URL(origin).hostname,
      userID: Buffer.from(id),
      userName: name,
      challenge: Buffer.from(challenge, 'base64url'),
      attestationType: 'none',
      excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
      timeout: TIMEOUT_MS,
    }),
  )

type Answer = { readonly passkey: string; readonly challenge: string; readonly label: string }

/**
 * Adds the passkey that a browser has made. `mayAdd` is asked last, so that what it uses up is not lost to a wrong
 * answer. Refuses `mfa-code-wrong`.
 */
export const addPasskey = async (
  { vault }: Pick<UseCaseContext, 'vault'>,
  who: FactorHolder,
  { passkey, challenge, label }: Answer,
  mayAdd: () => Promise<boolean>,
): Promise<void> => {
  const { origin, hostname } = new URL(who.origin)
  const response = parsed(passkey)
  const { verified, registrationInfo } = await (await webAuthn())
    .verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    .catch(() => refuse('mfa-code-wrong', PASSKEY_NOT_ADDED))
  if (!verified || !(await mayAdd())) return refuse('mfa-code-wrong', PASSKEY_NOT_ADDED)
  const { id: credentialId, publicKey, transports = [] } = registrationInfo.credential
  await who.door.addPasskey(who.id, {
    credentialId,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    transports,
    label: await vault.seal(who.subject, label),
  })
}

const text = z.string().max(PASSKEY_MAX_CHARACTERS)
const answerShape = z.object({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(32)).max(10).default([]),
  }),
  clientExtensionResults: z.object({}).default({}),
})

const parsed = (answer: string): z.output<typeof answerShape> => {
  try {
    return answerShape.parse(JSON.parse(answer))
  } catch {
    return refuse('mfa-code-wrong', PASSKEY_NOT_ADDED)
  }
}
