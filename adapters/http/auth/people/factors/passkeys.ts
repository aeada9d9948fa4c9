import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { ownEntry } from '../../../../../domain/kernel/plain-data.ts'
import { refuse } from '../../../../../domain/kernel/refusal.ts'
import type { Passkey } from '../../../../../domain/signin/factors.ts'
import type { FactorContext } from './challenges.ts'
import type { FactorHolder } from './holder.ts'

/**
 * Passkeys (WebAuthn Level 3): a key of a device, that the device uses for our own host alone and only once its owner
 * has been recognised.
 */

/** An answer of a browser is some hundred characters long. */
export const PASSKEY_MAX_CHARACTERS = 16_384
const TIMEOUT_MS = 300_000

/**
 * Loads the library only with the first passkey: it is a tenth of all modules of a service, those of CBOR and
 * certificates.
 */
export const webAuthn = () => import('@simplewebauthn/server')

/** The request to a browser, for any passkey of ours at an origin or for one of these. */
export const passkeyRequest = async (
  origin: string,
  challenge: string,
  keys: readonly Passkey[] = [],
): Promise<string> =>
  JSON.stringify(
    await (await webAuthn()).generateAuthenticationOptions({
      rpID: new URL(origin).hostname,
      challenge: Buffer.from(challenge, 'base64url'),
      allowCredentials: keys.map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
      userVerification: 'required',
      timeout: TIMEOUT_MS,
    }),
  )

/**
 * Whose passkey has signed the challenge. `holderBy` finds whom the passkey itself names, or says who it has to be.
 * Refuses `mfa-code-wrong`.
 */
export const checkPasskey = async (
  { flow, signIn }: FactorContext,
  answer: string,
  challenge: string,
  holderBy: (name: string) => FactorHolder | undefined | Promise<FactorHolder | undefined>,
): Promise<{ sub: string; amr: readonly string[] }> => {
  const response = parsed(answer)
  const who = await holderBy(Buffer.from(response.response.userHandle ?? '', 'base64url').toString())
  const factors = await who?.factors()
  const key = factors && ownEntry(factors.passkeys, response.id)
  if (!who || !key)
    return refuse('mfa-code-wrong', 'This passkey is not known here. Try another one, or choose another way.')
  const { origin, hostname } = new URL(who.origin)
  const { verified, authenticationInfo: info } = await (await webAuthn())
    .verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      // The library compares the counter with the one given; ours is compared and kept in one statement, below.
      credential: { id: key.credentialId, publicKey: Buffer.from(key.publicKey, 'base64url'), counter: 0 },
    })
    .catch(() => refuse('mfa-code-wrong', 'The passkey was not accepted. Try again, or choose another way.'))
  const use = { credentialId: key.credentialId, sub: who.id, counter: info.newCounter }
  if (!verified || !(await signIn.factors.takePasskeyCounter(use, flow.world.now())))
    return refuse('mfa-code-wrong', 'The passkey was not accepted. Try again, or choose another way.')
  return { sub: who.id, amr: [info.credentialDeviceType === 'multiDevice' ? 'swk' : 'hwk', 'mfa'] }
}

const text = z.string().max(PASSKEY_MAX_CHARACTERS)
const answerShape = z.object({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish(),
  }),
  clientExtensionResults: z.object({}).default({}),
})

const parsed = (answer: string): z.output<typeof answerShape> => {
  try {
    return answerShape.parse(JSON.parse(answer))
  } catch {
    return refuse('mfa-code-wrong', 'The passkey was not accepted. Try again, or choose another way.')
  }
}
