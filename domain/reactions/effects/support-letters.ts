import { idOf } from '../../kernel/decider.ts'
import type { SealedText } from '../../kernel/ports.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells a person what an operator did about how they sign in: somebody who talks support into it does not stay unseen.
 * A suspension of an account has a letter of its own.
 */
export const sendSupportLetter: Effect = {
  name: 'send-support-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    UserSuspended: ({ id, stream, data: { reason } }, context) =>
      toUser(context, { id, sub: idOf(stream), subject: 'You are suspended' }, [
        `Whoever runs this service has suspended you: ${reason}`,
        '',
        'You cannot sign in, no app can use your account, and nothing is taken from your balance. What comes in for you',
        'is kept, and nothing was deleted. Write to whoever runs this service.',
      ]),
    UserReinstated: ({ id, stream, data: { reason } }, context) =>
      toUser(context, { id, sub: idOf(stream), subject: 'You can sign in again' }, [
        `Whoever runs this service has lifted your suspension: ${reason}`,
        '',
        'Sign in as before. Apps that you use ask you to sign in again, and your standing orders go on.',
      ]),
    UserFactorsReset: ({ id, stream, data: { reason } }, context) =>
      toUser(context, { id, sub: idOf(stream), subject: FACTORS_SUBJECT }, factorWords(reason, context.origins.auth)),
    UserSessionsEnded: ({ id, stream, data: { reason } }, context) =>
      toUser(context, { id, sub: idOf(stream), subject: SESSIONS_SUBJECT }, sessionWords(reason)),
    MemberFactorsReset: ({ id, stream, data: { reason } }, context) =>
      toMember(context, { id, sub: idOf(stream), subject: FACTORS_SUBJECT }, factorWords(reason, context.origins.base)),
    MemberSessionsEnded: ({ id, stream, data: { reason } }, context) =>
      toMember(context, { id, sub: idOf(stream), subject: SESSIONS_SUBJECT }, sessionWords(reason)),
    AccountSessionsEnded: ({ id, stream, data: { reason } }, context) =>
      toOwner(context, { id, sub: idOf(stream), subject: 'Everybody was signed out' }, [
        `Whoever runs this service has signed everybody out of your Daybook account: ${reason}`,
        '',
        'Its keys work as before. Sign in again; if that is refused, write to whoever runs this service.',
      ]),
  },
}

const FACTORS_SUBJECT = 'Your second factors were taken away'
const SESSIONS_SUBJECT = 'You were signed out everywhere'

const factorWords = (reason: string, origin: string): readonly string[] => [
  `Whoever runs this service has taken your passkeys, your authenticator app and your recovery codes away: ${reason}`,
  '',
  'You sign in with your password alone until you add a second factor again. If you did not ask for that, somebody',
  'has asked for it in your name: set another password now, and write to whoever runs this service.',
  '',
  origin,
]

const sessionWords = (reason: string): readonly string[] => [
  `Whoever runs this service has signed you out in every browser: ${reason}`,
  '',
  'Sign in again. If somebody else had been using your account, set another password first.',
]

type Notice = { readonly id: string; readonly sub: string; readonly subject: string }

const toUser = (context: EffectContext, { id, sub, subject }: Notice, text: readonly string[]): Promise<void> =>
  mailOnce(context, id, sub, async () => {
    const user = await context.ledger.user.read(sub)
    const to = user.status === 'verified' ? await context.vault.open(user.email) : undefined
    return to === undefined ? undefined : { to, subject, text: text.join('\n') }
  })

const toOwner = (context: EffectContext, { id, sub, subject }: Notice, text: readonly string[]): Promise<void> =>
  mailOnce(context, id, sub, async () => {
    const account = await context.ledger.account.read(sub)
    const to = account.status === 'activated' ? await context.vault.open(account.email) : undefined
    return to === undefined ? undefined : { to, subject, text: text.join('\n') }
  })

const toMember = (context: EffectContext, { id, sub, subject }: Notice, text: readonly string[]): Promise<void> =>
  mailOnce(context, id, sub, async () => {
    const sealed = await addressOf(context, sub)
    const to = sealed === undefined ? undefined : await context.vault.open(sealed)
    return to === undefined ? undefined : { to, subject, text: text.join('\n') }
  })

/** The address of a member: that of the account that they own, else their own. Nobody has one who is nobody yet. */
const addressOf = async ({ ledger }: EffectContext, memberId: string): Promise<SealedText | undefined> => {
  const member = await ledger.member.read(memberId)
  if (member.status === 'none') return undefined
  const owned = member.accountId === undefined ? undefined : await ledger.account.read(member.accountId)
  return owned === undefined ? member.own?.email : owned.status === 'activated' ? owned.email : undefined
}
