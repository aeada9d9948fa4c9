import { z } from 'zod'
import { changeEmail, resendVerification } from '../../../../domain/use-cases/account/account-email.ts'
import { resetPassword as changePassword } from '../../../../domain/use-cases/account/owner-password.ts'
import { endpoint } from '../../core/endpoint.ts'
import { giveBack, limit } from '../../core/limits.ts'
import { networkName } from '../../core/network-of.ts'
import { Email, Password } from './account.ts'
import { ownerKeyEndpoints } from './owner-keys.ts'
import { recoverKeyEndpoints } from './recover-key.ts'
import { verifyEmailEndpoints } from './verify-email.ts'

/** The address and the password of an account that exists. */

const setEmail = endpoint({
  method: 'post',
  path: '/v1/account-email',
  summary: 'Ask for another email address; it becomes the account’s when the mailed link is followed',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  body: z.object({ email: Email }),
  returns: z.object({ email: z.string(), verification_required: z.literal(true), next: z.string() }),
  refusals: ['busy', 'not-found'],
  async answer({ body: { email }, actor, flow, ip }) {
    await changeEmail(flow, actor.accountId, email, networkName(ip))
    const next = 'Follow the link in the mail to the new address. The old one stays until then.'
    return { email, verification_required: true as const, next }
  },
})

const resend = endpoint({
  method: 'post',
  path: '/v1/resend-verification',
  summary: 'Send the verification letter again, with a new link',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  returns: z.object({ sent: z.boolean(), next: z.string() }),
  refusals: ['busy', 'not-found'],
  async answer({ actor, flow, ip }) {
    const sent = await resendVerification(flow, actor.accountId, networkName(ip))
    const next = sent
      ? 'Follow the link in the newest mail; earlier links do not work any more.'
      : 'The email address is verified already: there is nothing to do.'
    return { sent, next }
  },
})

const resetPassword = endpoint({
  method: 'post',
  path: '/v1/reset-password',
  summary:
    'Set a new password; the keys stay as they are. Without `old_password` it counts for a new owner key after 24 hours',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  body: z.object({ new_password: Password, old_password: z.string().max(1_000).optional() }),
  returns: z.object({ reset: z.literal(true) }),
  refusals: ['credentials-wrong', 'not-found', 'busy'],
  async answer({ body: { new_password, old_password }, actor: { accountId }, flow, signIn, ip }) {
    const guess = [accountId, ip] as const
    if (old_password !== undefined) await limit({ flow, signIn }, 'owner-password', ...guess)
    const wish = { newPassword: new_password, oldPassword: old_password, network: networkName(ip) }
    await changePassword(flow, accountId, wish)
    if (old_password !== undefined) await giveBack({ flow, signIn }, 'owner-password', ...guess)
    return { reset: true as const }
  },
})

/** What is done to an account by its owner, or by whoever reads its mail. */
export const accountMailEndpoints = [
  setEmail,
  resend,
  resetPassword,
  ...verifyEmailEndpoints,
  ...ownerKeyEndpoints,
  ...recoverKeyEndpoints,
]
