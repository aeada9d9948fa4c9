import { z } from 'zod'
import { verifyEmail } from '../../../domain/flows/account-email.ts'
import { Refusal, type RefusalCode } from '../../../domain/refusal.ts'
import { endpoint, Reply } from '../endpoint.ts'
import { messagePage, pageHeaders } from '../pages/message.ts'

const followLink = endpoint({
  method: 'get',
  path: '/verify-email',
  summary: 'The link of the verification letter; activates the account, once',
  auth: 'none',
  acts: true,
  query: z.object({ token: z.string().max(200) }),
  returns: z.string(),
  produces: 'text/html',
  otherwise: { 410: { description: 'The link is not valid, or no longer' } },
  async answer({ query, flow }) {
    try {
      const page = messagePage('Your email address is confirmed', outcomes[await verifyEmail(flow, query.token)])
      return new Reply(200, page, pageHeaders)
    } catch (error) {
      const why = error instanceof Refusal ? failures[error.code] : undefined
      if (why === undefined) throw error
      return new Reply(410, messagePage('This link does not work', why), pageHeaders)
    }
  },
})

const outcomes = {
  activated: 'Your account is active, with $5 of free credit.',
  changed: 'It is the address of your account from now on.',
  known: 'Your account is active.',
} as const

const failures: { readonly [C in RefusalCode]?: string } = {
  'verification-link-invalid': 'It may have expired, or have been copied incompletely, or there is a newer one.',
  'email-taken': 'Another account has this address by now.',
}

export const verifyEmailEndpoints = [followLink]
