import { maskedAddress } from '../../account/members/masked-address.ts'
import { UNPROVEN_HOURS } from '../../account/owner-password.ts'
import { idOf } from '../../kernel/decider.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells the owner of an account what whoever has the owner key could do without them: another password, and another
 * address, which the former one is told of. So nobody takes an account over unseen (N-78). What older versions wrote is
 * not told of afterwards.
 */
export const sendAccountLetter: Effect = {
  name: 'send-account-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    PasswordReset: async ({ id, stream, data }, context) => {
      const accountId = idOf(stream)
      const account = await context.ledger.account.read(accountId)
      const { resetAt } = data
      if (resetAt === undefined || account.status !== 'activated') return
      await mailOnce(context, id, accountId, async () => {
        const to = await context.vault.open(account.email)
        if (to === undefined) return undefined
        const text = (await passwordWords(context, data, resetAt)).join('\n')
        return { to, subject: 'Your password was changed', text }
      })
    },
    EmailChanged: async ({ id, stream, at, data: { email, formerEmail } }, context) => {
      if (formerEmail === undefined) return
      await mailOnce(context, id, idOf(stream), async () => {
        const [to, next] = await Promise.all([context.vault.open(formerEmail), context.vault.open(email)])
        if (to === undefined || next === undefined) return undefined
        const text = addressWords(context, maskedAddress(next), at).join('\n')
        return { to, subject: 'The address of your account was changed', text }
      })
    },
  },
}

const passwordWords = async (
  { vault, origins }: EffectContext,
  { proven, network: sealed }: EventData<'PasswordReset'>,
  resetAt: string,
): Promise<readonly string[]> => {
  const network = sealed && (await vault.open(sealed))
  const from = network === undefined ? '' : `, from the network ${network}`
  const said = `Your Daybook account has a new password since ${time(resetAt)}${from}.`
  if (proven)
    return [
      said,
      'Whoever set it has the owner key, and knew the password before it.',
      '',
      'If that was not you, write to whoever runs this service at once: they can give you a new owner key.',
    ]
  return [
    said,
    `Whoever set it has the owner key. For ${UNPROVEN_HOURS} hours the password before it goes on to count where a new`,
    'owner key is asked for, and the new one does not count there yet.',
    '',
    'If that was not you, somebody has your owner key. Get a new key now by the page below, with the password before',
    'this one: it ends every older owner key, and your former password is the password again.',
    '',
    `${origins.base}/recover-key`,
  ]
}

const addressWords = ({ origins }: EffectContext, next: string, at: string): readonly string[] => [
  `The address of your Daybook account is ${next} since ${time(at)}, and this one is it no more.`,
  'Whoever asked for it has the owner key of the account, and the link in a letter to the new address was followed.',
  '',
  'If that was not you, somebody has your owner key. Replace it now, with the key and your password, so that theirs',
  'ends at once, and then give your own address again:',
  '',
  `POST ${origins.base}/v1/me?action=rotate-key {"password":"…","old_key":"none"}`,
  `POST ${origins.base}/v1/account-email {"email":"…"}`,
  '',
  'If you do not have the key any more, write to whoever runs this service.',
]

const time = (at: string): string => `${at.slice(0, 16).replace('T', ' at ')} UTC`
