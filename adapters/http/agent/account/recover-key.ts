import { z } from 'zod'
import { Refusal, type RefusalCode, refuse } from '../../../../domain/kernel/refusal.ts'
import { lookAtRecovery, recoverOwnerKey, requestKeyRecovery } from '../../../../domain/use-cases/account/owner-keys.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { evenly } from '../../core/evenly.ts'
import { limit } from '../../core/limits.ts'
import { networkName } from '../../core/network-of.ts'
import { freshKeyPage, recoverPage, recoverPasswordPage } from '../../pages/people/recover-key.ts'
import { outcomePage } from '../../pages/people/verify-email.ts'
import { Email } from './account.ts'

/**
 * A new owner key for a seller who has lost theirs, or whose key others have: a mailed link and the account's password,
 * for a person as pages and for a program as JSON. No cookie counts here: whoever posts the form knows both the link
 * and the password.
 */

const token = z.string().max(200)
const Asked = z.object({ email: z.string().max(254) })
const Confirmed = z.object({ token, password: z.string().max(1_000) })

const json = { auth: 'none', limits: { keyless: true }, waits: 'never' } as const
const page = {
  auth: 'none',
  limits: { keyless: true },
  waits: 'never',
  page: true,
  returns: z.string(),
  produces: 'text/html',
  refusals: ['busy'],
} as const
const otherwise = {
  403: { description: 'The account is suspended' },
  410: { description: 'The link is not valid, or no longer' },
  422: { description: 'The page again, with what is wrong beside its field' },
  429: { description: 'The page again: too many tries' },
} as const

const ask = endpoint({
  ...json,
  method: 'post',
  path: '/recover-key',
  summary: 'Ask for a letter with which a new owner key can be had; the answer is the same for every address',
  body: z.object({ email: Email }),
  returns: z.object({ sent: z.literal('if-known'), next: z.string() }),
  refusals: ['rate-limited', 'busy'],
  async answer({ body: { email }, flow, signIn, ip }) {
    await mailed({ flow, signIn, ip }, email)
    return { sent: 'if-known' as const, next: LOOK }
  },
})

const askPage = endpoint({
  ...page,
  page: 'always',
  method: 'get',
  path: '/recover-key',
  summary: 'The page that asks for a letter with which a new owner key can be had',
  answer: async () => recoverPage({}),
})

const sendPage = endpoint({
  ...page,
  method: 'post',
  path: '/recover-key',
  summary: 'Sends the letter if an account has proven this address; the page is the same',
  body: Asked,
  otherwise: { 422: otherwise[422], 429: otherwise[429] },
  async answer({ body: { email }, flow, signIn, ip }) {
    if (!Email.safeParse(email).success)
      return recoverPage({ email, error: 'This is not an email address.', status: 422 })
    try {
      await mailed({ flow, signIn, ip }, email)
      return outcomePage({ title: 'Look into your mail', text: LOOK })
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'rate-limited') throw error
      return recoverPage({ email, error: `Too many letters. ${error.detail ?? ''}`, status: 429 })
    }
  },
})

const lookPage = endpoint({
  ...page,
  page: 'always',
  method: 'get',
  path: '/recover-key/confirm',
  summary: 'The page that the link of the letter leads to; it changes nothing',
  query: z.object({ token }),
  otherwise: { 403: otherwise[403], 410: otherwise[410] },
  answer: ({ query, flow }) =>
    shown(query.token, async () => {
      await lookAtRecovery(flow, query.token).catch(explained)
      return recoverPasswordPage({ token: query.token })
    }),
})

const confirm = endpoint({
  ...json,
  method: 'post',
  path: '/recover-key/confirm',
  summary: 'A new owner key for the link of the letter and the account’s password; every older owner key ends',
  body: Confirmed,
  returns: z.object({ api_key: z.string(), key_hint: z.string(), next: z.string() }).meta({ id: 'RecoveredKey' }),
  refusals: ['verification-link-invalid', 'credentials-wrong', 'account-suspended', 'rate-limited', 'busy'],
  waits: 'before',
  async answer({ body, flow, signIn, ip }) {
    const { apiKey, hint } = await recovered({ flow, signIn, ip }, body)
    return { api_key: apiKey, key_hint: hint, next: KEEP }
  },
})

const confirmPage = endpoint({
  ...page,
  method: 'post',
  path: '/recover-key/confirm',
  summary: 'A person types the password of the account, and is shown the new owner key once',
  body: Confirmed,
  otherwise,
  answer: ({ body, flow, signIn, ip }) =>
    shown(body.token, async () =>
      freshKeyPage({ apiKey: (await recovered({ flow, signIn, ip }, body)).apiKey, text: KEEP }),
    ),
})

export const recoverKeyEndpoints = [ask, askPage, sendPage, lookPage, confirm, confirmPage]

type Call = { readonly flow: UseCaseContext; readonly signIn: SignInRows; readonly ip: string }

/** The same work and the same time for every address: neither says whether an account has it. */
const mailed = async ({ flow, signIn, ip }: Call, email: string): Promise<void> => {
  await limit({ flow, signIn }, 'mail', ip)
  await evenly(flow.world, () => requestKeyRecovery(flow, email, networkName(ip)))
}

/** Tries are counted for each link, so that guesses at one keep nobody from another. */
const recovered = async ({ flow, signIn, ip }: Call, { token: link, password }: z.output<typeof Confirmed>) => {
  await limit({ flow, signIn }, 'recover-key', link)
  return await recoverOwnerKey(flow, { token: link, password, network: networkName(ip) }).catch(explained)
}

const explained = (error: unknown): never => {
  if (!(error instanceof Refusal) || error.code !== 'verification-link-invalid') throw error
  return refuse(error.code, STALE)
}

/** The page that shows a person the outcome. */
const shown = async (link: string, confirming: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await confirming()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, detail = '' } = error
    if (code === 'credentials-wrong') return recoverPasswordPage({ token: link, error: detail, status: 422 })
    if (code === 'rate-limited')
      return recoverPasswordPage({ token: link, error: `Too many tries. ${detail}`, status: 429 })
    const { [code]: page } = FAILURES
    if (page === undefined) throw error
    return outcomePage({ ...page, text: detail })
  }
}

const FAILURES: { readonly [C in RefusalCode]?: { readonly title: string; readonly status: number } } = {
  'verification-link-invalid': { title: 'This link does not work', status: 410 },
  'account-suspended': { title: 'This account is suspended', status: 403 },
}

const LOOK =
  'If an account has proven this address, a letter with a link is on its way there. The link works once, within an hour, together with the account’s password.'
const KEEP = 'Keep this key: it is not shown again. Every older owner key has ended; sub-keys and store keys go on.'
const STALE =
  'It was used already, or it is more than an hour old, or there is a newer one, or it was copied incompletely. Ask for another letter at /recover-key.'
