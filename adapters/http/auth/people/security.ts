import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { ownEntry } from '../../../../domain/kernel/own-entry.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { User } from '../../../../domain/signin/user.ts'
import type { PersonCaller } from '../../core/caller.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { recoveryCodesPage } from '../../pages/people/enrol.ts'
import { confirmPage, securityPage } from '../../pages/people/security.ts'
import { seeOther } from '../../pages/people-page.ts'
import { issueCodes } from './enrol.ts'
import type { FactorContext } from './factors/challenges.ts'
import { doneOf, ofPeople } from './of-people.ts'
import { proofFault, proofForm, provenFields, takeProof } from './proof.ts'

/**
 * How somebody signs in: the factors that they have, removing one, and new recovery codes. Each change needs a proof by
 * a factor that is there.
 */

const common = { ...ofPeople, auth: 'person' } as const
const PATH = '/account/security'
const form = { csrf: z.string().max(100), ...provenFields }

type Request = FactorContext & { readonly actor: PersonCaller }

const look = endpoint({
  ...common,
  path: PATH,
  method: 'get',
  summary: 'How the user signs in',
  query: z.object({ done: z.string().max(20).optional() }),
  async answer({ query, flow, signIn, actor }) {
    const user = await userOf(flow, actor.sub)
    const uses = await signIn.factors.passkeyUses(actor.sub)
    const passkeys = await Promise.all(
      Object.values(user.passkeys).map(async ({ credentialId: id, label }) => ({
        id,
        usedAt: uses.get(id),
        label: await openedText(flow.vault, label),
      })),
    )
    return securityPage({
      csrf: actor.csrf,
      passkeys,
      totp: user.totp !== null,
      recoveryCodes: user.recoveryCodes.length,
      email: await openedText(flow.vault, user.email),
      done: doneOf(DONE, query.done),
    })
  },
})

const DONE: Readonly<Record<string, string>> = {
  removed: 'It is removed.',
  password: 'Your password is changed, and all other devices are signed out.',
}

/** What is to be removed: one passkey, or the app. */
const which = { passkey_id: z.string().max(2_000).optional(), totp: z.literal('1').optional() }

const lookAtRemoval = endpoint({
  ...common,
  path: '/account/security/remove',
  method: 'get',
  summary: 'The page that asks for a proof before a second factor is removed',
  query: z.object(which),
  answer: async ({ query, ...request }) => await showRemoval(request, query),
})

const remove = endpoint({
  ...common,
  path: '/account/security/remove',
  method: 'post',
  summary: 'Removes a second factor',
  body: z.object({ ...form, ...which }),
  async answer({ body, ...request }) {
    const { flow, actor } = request
    let cookies: readonly string[]
    try {
      cookies = (await takeProof(request, aboutRemoval(body), body)).cookies
    } catch (error) {
      return await showRemoval(request, body, proofFault(error))
    }
    if (body.totp) await flow.ledger.user.removeTotp(actor.sub, {})
    else await flow.ledger.user.removePasskey(actor.sub, { credentialId: body.passkey_id ?? '' })
    return seeOther(`${PATH}?done=removed`, cookies)
  },
})

const lookAtCodes = endpoint({
  ...common,
  path: '/account/security/codes',
  method: 'get',
  summary: 'The page that asks for a proof before new recovery codes are made',
  answer: async (request) => await showCodes(request),
})

const makeCodes = endpoint({
  ...common,
  path: '/account/security/codes',
  method: 'post',
  summary: 'Makes new recovery codes and shows them once',
  body: z.object(form),
  async answer({ body, ...request }) {
    const { flow, actor } = request
    if (!isEnrolled(await userOf(flow, actor.sub))) return seeOther(PATH)
    try {
      const { cookies, csrf } = await takeProof(request, 'codes', body)
      return recoveryCodesPage({ csrf, cookies, next: PATH, codes: await issueCodes(flow, actor.sub) })
    } catch (error) {
      return await showCodes(request, proofFault(error))
    }
  },
})

export const securityEndpoints = [look, lookAtRemoval, remove, lookAtCodes, makeCodes]

type RemovalTarget = { readonly passkey_id?: string | undefined; readonly totp?: '1' | undefined }

const aboutRemoval = ({ passkey_id, totp }: RemovalTarget): string =>
  totp ? 'remove app' : `remove passkey ${passkey_id}`

const showRemoval = async (request: Request, { passkey_id, totp }: RemovalTarget, error?: string): Promise<Reply> => {
  const { flow, actor } = request
  const user = await userOf(flow, actor.sub)
  const key = passkey_id === undefined ? undefined : ownEntry(user.passkeys, passkey_id)
  if (totp ? user.totp === null : !key) return seeOther(PATH)
  const label = key ? `the passkey “${await flow.vault.open(key.label)}”` : 'the authenticator app'
  const isLast = Object.keys(user.passkeys).length + (user.totp === null ? 0 : 1) === 1
  return confirmPage({
    csrf: actor.csrf,
    error,
    action: '/account/security/remove',
    carried: { passkey_id, totp },
    title: `Remove ${label}`,
    button: 'Remove it',
    text: isLast
      ? 'It is the last one: your password alone will sign you in, your recovery codes are void, and payments cannot be confirmed.'
      : 'You will not be able to sign in with it any more.',
    ...(await proofForm(request, aboutRemoval({ passkey_id, totp }))),
  })
}

const showCodes = async (request: Request, error?: string): Promise<Reply> => {
  const { flow, actor } = request
  if (!isEnrolled(await userOf(flow, actor.sub))) return seeOther(PATH)
  return confirmPage({
    csrf: actor.csrf,
    error,
    action: '/account/security/codes',
    carried: {},
    title: 'Make new recovery codes',
    button: 'Make new ones',
    text: 'Those that you have are void from then on.',
    ...(await proofForm(request, 'codes')),
  })
}

const isEnrolled = ({ passkeys, totp }: User): boolean => totp !== null || Object.keys(passkeys).length > 0

/** The user behind a session. */
export const userOf = async ({ ledger }: FactorContext['flow'], sub: string): Promise<User> => {
  const user = await ledger.user.read(sub)
  return user.status === 'none' || user.status === 'erased' ? refuse('sign-in-needed', 'Please sign in.') : user
}
