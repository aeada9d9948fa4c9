import type { Letter } from '../../kernel/mail.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import { networkOf } from '../../kernel/networks.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { SealedText } from '../../kernel/ports.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Tells a seller that a payment which had settled is not in the chain any more (N-24, N-62); of what was paid to the
 * platform, the one whose credit or balance it had raised.
 */
export const sendReversalLetter: Effect = {
  name: 'send-reversal-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    PaymentReversed: async ({ id, data }, context) => {
      const reader = data.unsettled && !data.test ? await readerOf(context, data) : undefined
      if (reader) await mailOnce(context, id, reader.id, () => letter(context, reader, data))
    },
  },
}

type ReversedPayment = EventData<'PaymentReversed'>

/** `owes`: what was bought with it lay in this, and was taken from it. */
type Reader = { readonly id: string; readonly email: SealedText; readonly owes?: 'credit' | 'balance' }

const readerOf = async (
  context: EffectContext,
  { accountId, paymentRequest }: ReversedPayment,
): Promise<Reader | undefined> => {
  const { ledger } = context
  if (accountId !== PLATFORM) return sellerNamed(context, accountId)
  const request = paymentRequest && (await ledger.paymentRequest.read(paymentRequest.requestId))
  if (!request || request.status === 'none') return undefined
  if (request.topUp) return sellerNamed(context, request.topUp.accountId, 'credit')
  const topUp = request.balanceTopUp && (await ledger.topUp.read(request.balanceTopUp.topUpId))
  const sub = topUp && topUp.status !== 'none' ? topUp.sub : undefined
  const user = sub === undefined ? undefined : await ledger.user.read(sub)
  return sub !== undefined && user && user.status !== 'none'
    ? { id: sub, email: user.email, owes: 'balance' }
    : undefined
}

const sellerNamed = async (
  { ledger }: EffectContext,
  id: string,
  owes?: Reader['owes'],
): Promise<Reader | undefined> => {
  const account = await ledger.account.read(id)
  return account.status === 'none' ? undefined : { id, email: account.email, ...(owes && { owes }) }
}

const UNPAID = [
  'Your transaction is pending again, and the fee was given back to your credit. If the same payment comes again, or',
  'another one in time, it settles by itself. You are not told by webhook: look before you deliver anything that you',
  'have not delivered yet, and ask the buyer to pay again.',
]

const owed = (what: 'credit' | 'balance'): readonly string[] => [
  `What it had added to your ${what} was taken from it again; what was spent by then is taken from what comes next.`,
  'If the same payment comes again, it counts again by itself. Else send it once more.',
]

const letter = async (
  { vault, origins }: EffectContext,
  { email, owes }: Reader,
  { transfer, amount, currency, resId, challengeId, paymentRequest }: ReversedPayment,
): Promise<Letter | undefined> => {
  const to = await vault.open(email)
  if (to === undefined) return undefined
  const { network, tx } = transfer
  const title = networkOf(network)?.title ?? network
  const price = `${toDecimal(BigInt(amount), FIAT_DECIMALS)} ${currency}`
  const sold = paymentRequest ? `transaction ${paymentRequest.transactionId}` : (resId ?? 'a signed payment')
  const text = [
    `A payment of ${price} on ${title} had settled, and was taken back by its network: the block that it stood in was`,
    `replaced, and the payment is in no other. ${owes ? 'The money has not come.' : 'The money is not on your address.'}`,
    '',
    `For: ${sold}`,
    `Challenge: ${challengeId}`,
    `Transaction: ${tx}`,
    '',
    ...(owes ? owed(owes) : UNPAID),
    '',
    owes === 'balance' ? `${origins.auth}/account` : `${origins.base}/v1/settlements`,
  ]
  return { to, subject: `A payment of ${price} was taken back by ${title}`, text: text.join('\n') }
}
