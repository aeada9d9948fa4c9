import { z } from 'zod'
import { Refusal, type RefusalCode } from '../../../../domain/kernel/refusal.ts'
import { verifyEmail } from '../../../../domain/use-cases/account/account-email.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { limit } from '../../core/limits.ts'
import { outcomePage, passwordPage } from '../../pages/people/verify-email.ts'

/**
 * The link of the verification letter (N-15), for a person as a page and for a program as JSON. Where several accounts
 * have asked for the address, it asks for the account's password; the form needs no script. No cookie counts here:
 * whoever posts the form knows both the link and the password, so a form on a foreign page can do nothing in anybody's
 * name.
 */

const common = { path: '/verify-email', auth: 'none', ignores: 'query' } as const
const link = z.object({ token: z.string().max(200) })
const answer = z.object({ token: z.string().max(200), password: z.string().max(1_000) })
const refusals = ['verification-link-invalid', 'email-taken', 'password-required', 'busy'] as const
const guesses = ['credentials-wrong', 'rate-limited'] as const

const json = {
  ...common,
  returns: z.object({ activated: z.literal(true), next: z.string() }).meta({ id: 'EmailConfirmed' }),
} as const

const page = {
  ...common,
  page: true,
  returns: z.string(),
  produces: 'text/html',
  otherwise: {
    409: { description: 'Another account has the address' },
    410: { description: 'The link is not valid, or no longer' },
  },
} as const

const follow = endpoint({
  ...json,
  method: 'get',
  summary: 'The link of the verification letter; activates the account, once',
  acts: true,
  query: link,
  refusals,
  answer: ({ query, flow }) => confirmed(flow, query.token),
})

const prove = endpoint({
  ...json,
  method: 'post',
  summary: 'The same where several accounts have asked for the address: with the password of this one',
  limits: { keyless: true },
  body: answer,
  refusals: [...refusals, ...guesses],
  async answer({ body: { token, password }, flow, signIn }) {
    await limit({ flow, signIn }, 'verify-email', token)
    return await confirmed(flow, token, password)
  },
})

const followPage = endpoint({
  ...page,
  method: 'get',
  summary:
    'The link of the verification letter, for a person; asks for the password where several accounts want the address',
  acts: true,
  query: link,
  refusals: ['busy'],
  answer: ({ query, flow }) => shown(query.token, () => confirmed(flow, query.token)),
})

const provePage = endpoint({
  ...page,
  method: 'post',
  summary: 'A person types the password of the account that the link is for',
  limits: { keyless: true },
  body: answer,
  otherwise: {
    ...page.otherwise,
    422: { description: 'The page again: the password is wrong' },
    429: { description: 'The page again: too many tries' },
  },
  refusals: ['busy'],
  answer: ({ body: { token, password }, flow, signIn }) =>
    shown(token, async () => {
      await limit({ flow, signIn }, 'verify-email', token)
      return await confirmed(flow, token, password)
    }),
})

export const verifyEmailEndpoints = [follow, prove, followPage, provePage]

const confirmed = async (flow: UseCaseContext, token: string, password?: string) => {
  const outcome = await verifyEmail(flow, token, password).catch(explained)
  return { activated: true as const, next: OUTCOMES[outcome] }
}

/** Throws the same refusal again, with what to do about it. */
const explained = (error: unknown): never => {
  if (!(error instanceof Refusal)) throw error
  const { [error.code]: why } = FAILURES
  if (why === undefined) throw error
  throw error.worded(why)
}

/** The page that shows a person the outcome. */
const shown = async (token: string, confirming: () => Promise<{ next: string }>): Promise<Reply> => {
  try {
    return outcomePage({ title: 'Your email address is confirmed', text: (await confirming()).next })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, detail = '', retryAfterS = 0 } = error
    if (code === 'password-required') return passwordPage({ token })
    if (code === 'credentials-wrong') return passwordPage({ token, error: WRONG, status: 422 })
    if (code === 'rate-limited') {
      const { status, body, headers } = passwordPage({ token, error: `Too many tries. ${detail}`, status: 429 })
      return new Reply(status, body, { ...headers, 'Retry-After': String(retryAfterS) })
    }
    if (code === 'email-taken')
      return outcomePage({ title: 'This address belongs to another account', text: detail, status: 409 })
    if (code === 'verification-link-invalid')
      return outcomePage({ title: 'This link does not work', text: detail, status: 410 })
    throw error
  }
}

const OUTCOMES = {
  activated: 'Your account is active, with $5 of free credit.',
  changed: 'It is the address of your account from now on.',
  known: 'Your account is active.',
} as const

const WRONG = 'This is not the password of the account that this letter is about.'

const FAILURES: { readonly [C in RefusalCode]?: string } = {
  'verification-link-invalid': 'It may have expired, or have been copied incompletely, or there is a newer one.',
  'email-taken': 'An account has this address already, and keeps it. Nothing was activated.',
  'password-required':
    'Several accounts have asked for this address. POST /verify-email {"token": …, "password": …} with the password of the one that the link is for.',
}
