import { type ClaimBasis, claimedPlace } from '../../account/address-claim.ts'
import { idOf } from '../../kernel/decider.ts'
import type { Letter } from '../../kernel/mail.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../../kernel/money.ts'
import { networkOf } from '../../kernel/networks.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { RecordedEvent, SealedText } from '../../kernel/ports.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/**
 * Sends the letter that lies sealed in the event that asked for it. The id of its outcome comes from the event, so it
 * is sent once.
 */
export const sendLetter: Effect = {
  name: 'send-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    EmailVerificationRequested: async (event, context) => {
      if (!event.data.withheld) await sendSealed(event, context)
    },
    KeyRecoveryRequested: (event, context) => sendSealed(event, context),
    UserLinkRequested: (event, context) => sendSealed(event, context),
    ReceiptLetterRequested: (event, context) => sendSealed(event, context, event.data.accountId),
    MemberCodeRequested: (event, context) => sendSealed(event, context, event.data.accountId),
    MemberInvited: (event, context) => sendSealed(event, context),
  },
}

const sendSealed = (
  { id, stream, data }: RecordedEvent<{ readonly type: string; readonly data: { letter: SealedText } }>,
  context: EffectContext,
  subject = idOf(stream),
): Promise<void> =>
  mailOnce(context, id, subject, async () => {
    const text = await context.vault.open(data.letter)
    return text === undefined ? undefined : (JSON.parse(text) as Letter)
  })

/**
 * Tells the operator, where there is one to write to, that a network's relayer loses coin to payments that come to
 * nothing, before all of what it may lose in an hour is lost. The log tells of the budgets of sellers, payers and their
 * code.
 */
export const sendBudgetLetter: Effect = {
  name: 'send-budget-letter',
  concurrency: 1,
  on: {
    RelayBudgetReached: async ({ id, stream, data }, context) => {
      const { operatorEmail } = context
      const [scope, network] = idOf(stream).split(':')
      if (operatorEmail === undefined || scope !== 'network') return
      const { percent, lostUsd, limitUsd } = data
      const [lost, limit] = [lostUsd, limitUsd].map((usd) => toDecimal(BigInt(usd), FIAT_DECIMALS))
      await mailOnce(context, id, PLATFORM, async () => ({
        to: operatorEmail,
        subject: `The relayer of ${network} has lost ${percent} % of what it may lose in an hour`,
        text: [
          `Payments that came to nothing have cost the relayer of ${network} ${lost} of ${limit} US dollars within an hour.`,
          '',
          'From 50 % on it waits with contract wallets that have never paid here, from 90 % on with all who have not, and',
          'at 100 % with everybody. What was taken goes on by itself as the hour passes.',
          '',
          'docs/operations.md, "Relayer", tells how to see who it is, and what the limits are (RELAY_LOSS_PER_HOUR).',
        ].join('\n'),
      }))
    },
  },
}

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
    return claimLetter(to, stream, words, context)
  })

const claimLetter = (to: string, stream: string, words: readonly string[], { origins }: EffectContext): Letter => {
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

/** Mails every debit of a standing order to the user whose money it was, with the way to end it (A-MAN-08). */
export const sendDebitLetter: Effect = {
  name: 'send-debit-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    BalanceSent: async ({ id, stream, data, at }, context) => {
      if (data.kind !== 'standing-order') return
      const sub = idOf(stream)
      await mailOnce(context, id, sub, () => debitLetter(context, sub, data, at))
    },
  },
}

const debitLetter = async (
  { ledger, vault, origins }: EffectContext,
  sub: string,
  { clientId, total, order, description, ledgerRef }: EventData<'BalanceSent'>,
  at: string,
): Promise<Letter | undefined> => {
  const [user, app] = await Promise.all([ledger.user.read(sub), ledger.clientApp.read(clientId ?? '')])
  const to = user.status === 'none' ? undefined : await vault.open(user.email)
  if (to === undefined) return undefined
  const what = description === null ? undefined : await vault.open(description)
  const name = app.status === 'none' ? 'An app' : app.name
  const text = [
    `${name} has taken ${dollars(total)} from your balance by your standing order, on ${date(at)}.`,
    ...(what ? [`It says: ${what}`] : []),
    ...(order ? [`The standing order may take ${dollars(order.remainingCap)} more.`] : []),
    ...(order?.nextDebitAt ? [`The next debit is due on ${date(order.nextDebitAt)}.`] : []),
    `Reference: ${ledgerRef}`,
    '',
    'You can end the standing order at any time:',
    '',
    `${origins.auth}/account/standing-orders`,
  ]
  return { to, subject: `${name} has taken ${dollars(total)}`, text: text.join('\n') }
}

const date = (at: string): string => at.slice(0, 10)

/** An amount in US dollars, with two places at least. */
const dollars = (units: Units): string => {
  const [whole, cents = ''] = toDecimal(BigInt(units), FIAT_DECIMALS).split('.')
  return `${whole}.${cents.padEnd(2, '0')} USD`
}

/**
 * Tells a seller that a payment which had settled is not in the chain any more (N-24, N-62). For a payment to the
 * platform, it tells the account or the user whose credit or balance it had raised.
 */
export const sendReversalLetter: Effect = {
  name: 'send-reversal-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    PaymentReversed: async ({ id, data }, context) => {
      const reader = data.unsettled && !data.test ? await readerOf(context, data) : undefined
      if (reader) await mailOnce(context, id, reader.id, () => reversalLetter(context, reader, data))
    },
  },
}

type ReversedPayment = EventData<'PaymentReversed'>

/**
 * The reader of a letter. `owes`: the credit or balance that the payment had raised, and that it was taken from again.
 */
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

const reversalLetter = async (
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
