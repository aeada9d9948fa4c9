import { type ClaimBasis, claimedPlace } from '../../account/address-claim.ts'
import { idOf } from '../../kernel/decider.ts'
import type { Letter } from '../../kernel/mail.ts'
import { networkOf } from '../../kernel/networks.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells an account that one of its receive addresses is another account's now, or is contested (section 4 of the
 * address claims).
 */
export const sendClaimLetter: Effect = {
  name: 'send-claim-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    AddressClaimed: async ({ id, stream, data: { from, how } }, context) => {
      for (const accountId of from) await tell(context, { id, stream, accountId, words: lost(how) })
    },
    AddressContested: async ({ id, stream, data: { accountIds } }, context) => {
      for (const accountId of accountIds) await tell(context, { id, stream, accountId, words: CONTESTED })
    },
  },
}

type ClaimLetter = { id: string; stream: string; accountId: string; words: readonly string[] }

const tell = (context: EffectContext, { id, stream, accountId, words }: ClaimLetter): Promise<void> =>
  mailOnce(context, `${id}-${accountId}`, accountId, async () => {
    const account = await context.ledger.account.read(accountId)
    const to = account.status === 'none' ? undefined : await context.vault.open(account.email)
    if (to === undefined) return undefined
    return letter(to, stream, words, context)
  })

const letter = (to: string, stream: string, words: readonly string[], { origins }: EffectContext): Letter => {
  const { network, address } = claimedPlace(idOf(stream))
  const title = networkOf(network)?.title ?? network
  const text = [
    `It is about your receive address on ${title}:`,
    '',
    address,
    '',
    ...words,
    '',
    `${origins.base}/v1/wallets`,
  ]
  return { to, subject: `Your receive address on ${title}`, text: text.join('\n') }
}

const WHY: Readonly<Record<ClaimBasis, string>> = {
  first: 'It belongs to another account now.',
  proof: 'Another account has proved that it controls this address, so it belongs to that account now.',
  operator: 'Whoever runs this service has given the address to another account.',
  platform: 'It is an address of whoever runs this service.',
}

const lost = (how: ClaimBasis): readonly string[] => [
  WHY[how],
  'Your wallet with it is paused, and open requests for payments to it have ended.',
  'Set another address, or prove that you control this one: GET /v1/wallets?proof=1',
]

const CONTESTED = [
  'Another account has the same address. Until it is settled whose it is, no new payments are asked for there.',
  'Prove that you control it (GET /v1/wallets?proof=1), or write to whoever runs this service.',
]
