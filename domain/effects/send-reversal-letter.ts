import type { EventData } from '../deciders.ts'
import type { Letter } from '../mail.ts'
import { FIAT_DECIMALS, toDecimal } from '../money.ts'
import { networkOf } from '../networks.ts'
import { PLATFORM } from '../platform.ts'
import type { Effect, EffectContext } from './effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from './mailing.ts'

/** Tells a seller that a payment which had settled is not in the chain any more (N-24, N-62). */
export const sendReversalLetter: Effect = {
  name: 'send-reversal-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    PaymentReversed: async ({ id, data }, context) => {
      const accountId = data.unsettled && !data.test ? await readerOf(context, data) : undefined
      if (accountId !== undefined) await mailOnce(context, id, accountId, () => letter(context, accountId, data))
    },
  },
}

type Reversed = EventData<'PaymentReversed'>

/** Of what was paid to the platform it is the account whose credit was bought. */
const readerOf = async (
  { ledger }: EffectContext,
  { accountId, paymentRequest }: Reversed,
): Promise<string | undefined> => {
  if (accountId !== PLATFORM) return accountId
  const request = paymentRequest && (await ledger.paymentRequest.read(paymentRequest.requestId))
  return request && request.status !== 'none' ? request.topUp?.accountId : undefined
}

const letter = async (
  { ledger, vault, origins }: EffectContext,
  accountId: string,
  { transfer, amount, currency, resId, challengeId, paymentRequest }: Reversed,
): Promise<Letter | undefined> => {
  const account = await ledger.account.read(accountId)
  const to = account.status === 'none' ? undefined : await vault.open(account.email)
  if (to === undefined) return undefined
  const { network, tx } = transfer
  const title = networkOf(network)?.title ?? network
  const price = `${toDecimal(BigInt(amount), FIAT_DECIMALS)} ${currency}`
  const sold = paymentRequest ? `transaction ${paymentRequest.transactionId}` : (resId ?? 'a signed payment')
  const text = [
    `A payment of ${price} on ${title} had settled, and was taken back by its network: the block that it stood in was`,
    'replaced, and the payment is in no other. The money is not on your address.',
    '',
    `For: ${sold}`,
    `Challenge: ${challengeId}`,
    `Transaction: ${tx}`,
    '',
    'Your transaction is pending again, and the fee was given back to your credit. If the same payment comes again, or',
    'another one in time, it settles by itself. You are not told by webhook: look before you deliver anything that you',
    'have not delivered yet, and ask the buyer to pay again.',
    '',
    `${origins.base}/v1/settlements`,
  ]
  return { to, subject: `A payment of ${price} was taken back by ${title}`, text: text.join('\n') }
}
