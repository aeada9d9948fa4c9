import { idOf } from '../../kernel/decider.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells an account, at the address that it has proven, that its owner key was replaced, that an operator stopped its
 * keys, or that the account was closed. An address that nobody has proven may be a stranger's, and is sent nothing.
 */
export const sendOwnerKeyLetter: Effect = {
  name: 'send-owner-key-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    OwnerKeyRotated: ({ id, stream, data }, context) =>
      tell(context, { id, accountId: idOf(stream), subject: 'Your owner key was replaced' }, () =>
        rotationWords(context, data),
      ),
    AccountSuspended: ({ id, stream, data: { reason } }, context) =>
      tell(context, { id, accountId: idOf(stream), subject: 'Your account is suspended' }, async () => [
        `Whoever runs this service has suspended your Daybook account: ${reason}`,
        '',
        'None of its keys works, it is in no public list, and nothing new can be bought from you. What was asked for',
        'before may still be paid; it is booked, and told by webhook, as before. Nothing was deleted. Write to whoever',
        'runs this service.',
      ]),
    AccountClosed: ({ id, stream, data }, context) =>
      tell(context, { id, accountId: idOf(stream), subject: 'Your account is closed' }, async () => {
        const network = (await context.vault.open(data.network)) ?? 'one that was erased'
        return [
          `Your Daybook account was closed on ${time(data.closedAt)}, from the network ${network}, with its second factor.`,
          '',
          'None of its keys works, nobody can sign in to it, and nothing can be bought from it. Your wallets are yours, as',
          'they always were. What the ledger holds stays, and so does what is left of your credit. If that was not you,',
          'write to whoever runs this service.',
        ]
      }),
    AccountReinstated: ({ id, stream, data: { reason } }, context) =>
      tell(context, { id, accountId: idOf(stream), subject: 'Your account is open again' }, async () => [
        `Whoever runs this service has opened your Daybook account again: ${reason}`,
        '',
        'Its keys work as before, and you sell as before.',
      ]),
  },
}

type Notice = { readonly id: string; readonly accountId: string; readonly subject: string }

const tell = async (
  context: EffectContext,
  { id, accountId, subject }: Notice,
  words: () => Promise<readonly string[]>,
): Promise<void> => {
  const account = await context.ledger.account.read(accountId)
  if (account.status !== 'activated') return
  await mailOnce(context, id, accountId, async () => {
    const to = await context.vault.open(account.email)
    return to === undefined ? undefined : { to, subject, text: (await words()).join('\n') }
  })
}

type Rotation = EventData<'OwnerKeyRotated'>

const rotationWords = async ({ vault, origins }: EffectContext, data: Rotation): Promise<readonly string[]> => {
  const { cause, rotatedAt, replacedUntil, hint, network: sealed, reason } = data
  const network = sealed && (await vault.open(sealed))
  const from = network === undefined ? '' : `, from the network ${network}`
  const kept = replacedUntil > rotatedAt
  return [
    `Your Daybook account has a new owner key, ${hint}, since ${time(rotatedAt)}${from}.`,
    reason === undefined ? BY[cause] : `${BY[cause]} The reason: ${reason}`,
    kept ? `The key before it is good until ${time(replacedUntil)}.` : 'Every older owner key has ended.',
    '',
    ...UNLESS_YOU[cause],
    '',
    `${origins.base}/recover-key`,
  ]
}

const BY: Readonly<Record<Rotation['cause'], string>> = {
  owner: 'Somebody asked for it with the last key and the password.',
  recovery: 'Somebody followed the link in a letter to this address, and knew the password.',
  operator: 'Whoever runs this service has made it.',
}

const UNLESS_YOU: Readonly<Record<Rotation['cause'], readonly string[]>> = {
  owner: [
    'If that was not you, somebody has your key and your password. Get a new key at once by the page below, which ends',
    'all others, and then set a new password with it (POST /v1/reset-password). If your password is refused there,',
    'write to whoever runs this service.',
  ],
  recovery: [
    'If that was not you, somebody reads your mail and knows your password. Secure your mailbox first. Then get a new',
    'key by the page below, which ends all others, and set a new password with it (POST /v1/reset-password). If your',
    'password is refused there, write to whoever runs this service.',
  ],
  operator: [
    'If you do not have the new key, ask whoever runs this service for it, or get another one by the page below.',
  ],
}

const time = (at: string): string => `${at.slice(0, 16).replace('T', ' at ')} UTC`
