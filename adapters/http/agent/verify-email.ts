import { z } from 'zod'
import { verifyEmail } from '../../../domain/flows/sign-up.ts'
import { Refusal } from '../../../domain/refusal.ts'
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
      await verifyEmail(flow, query.token)
      const page = messagePage('Your email address is confirmed', 'Your account is active, with $5 of free credit.')
      return new Reply(200, page, pageHeaders)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'verification-link-invalid') throw error
      const page = messagePage('This link does not work', 'It may have expired, or have been copied incompletely.')
      return new Reply(410, page, pageHeaders)
    }
  },
})

export const verifyEmailEndpoints = [followLink]
