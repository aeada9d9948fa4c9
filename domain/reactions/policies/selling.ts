import { assetOf } from '../../kernel/assets.ts'
import { idOf } from '../../kernel/decider.ts'
import { inStore } from '../../kernel/in-store.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import type { World } from '../../kernel/ports.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import type { RequestRef } from '../../selling/challenge-events.ts'
import type { OpenSet } from '../../selling/challenge-state.ts'
import { challengeParts, coinFacts, transferId } from '../../selling/challenge-terms.ts'
import { lockedWorth } from '../../selling/sale-rate.ts'
import type { PaidCoin } from '../../selling/transactions/coin-refund.ts'
import type { TransactionCommands } from '../../selling/transactions/transaction-commands.ts'
import { madeTransaction } from '../../use-cases/selling/challenges/new-transaction.ts'
import { paysRequest } from '../../use-cases/selling/challenges/pays-request.ts'
import { paidInCoin } from '../../use-cases/selling/refunds/paid-coin.ts'
import { attributeFound } from '../../use-cases/selling/settling/attribute-transfer.ts'
import { finishReversal } from '../../use-cases/selling/settling/reverse-payment.ts'
import { finishSettlement as finish, isSettledBy } from '../../use-cases/selling/settling/settle-payment.ts'
import { webhookOf } from '../../use-cases/selling/webhooks/webhook-of.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/** Every transfer that the chain watch has seen pays what it is meant for (T-CHL-01). */
export const attributeTransfers: Policy = policy({
  name: 'attribute-transfers',
  // What an amount pays hangs on the transfers that came before on its chain.
  keys: ({ stream }) => [stream],
  on: {
    TransfersSeen: async ({ data: { transfers, head } }, { ledger, secondVoice }) => {
      for (const transfer of transfers) await attributeFound(ledger, transfer, secondVoice.known, head)
    },
  },
})

/**
 * A transfer that was claimed settles its challenge, also when the process died between the two. One that was taken
 * back since pays nothing until it is claimed anew.
 */
export const finishSettlement: Policy = policy({
  name: 'finish-settlement',
  // The first transfer settles a challenge, and a transfer may be claimed anew for another one.
  keys: ({ stream, data: { challengeId } }) => [stream, setOf(challengeId)],
  on: {
    TransferClaimed: async ({ data }, { ledger }) => {
      // Mostly it has settled by now, which is seen without a read of the store.
      if (isSettledBy(await ledger.challenge.recent(setOf(data.challengeId)), data)) return
      const { challengeId, reversed } = await ledger.transfer.read(transferId(data.transfer))
      if (challengeId !== data.challengeId || reversed !== (data.again ?? 0)) return
      await finish(ledger, data).catch((error: unknown) => {
        if (!isRefusal(error, 'transfer-taken')) throw error
      })
    },
  },
})

/** A transfer that was taken back pays its challenge no longer, also when the process died between the two (N-24). */
export const reversePayments: Policy = policy({
  name: 'reverse-payments',
  // A transfer is taken back as often as it came, and its challenge counts how often.
  keys: {
    TransferReversed: ({ stream, data: { challengeId } }) => [
      stream,
      ...(challengeId === null ? [] : [setOf(challengeId)]),
    ],
    SettlementMoved: ({ data: { challengeId, from } }) => [`transfer-${transferId(from)}`, setOf(challengeId)],
  },
  on: {
    TransferReversed: ({ data }, { ledger }) => finishReversal(ledger, data),
    // The transfer that settled the challenge before is nobody's payment any more, unless it came back meanwhile.
    SettlementMoved: async ({ data: { challengeId, asset, from, times } }, { ledger }) => {
      const id = transferId(from)
      const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? '')
      if (set.status === 'none' || set.settled[asset] === id) return
      await ledger.transfer.reverse(id, { reason: 'reorganised', times: times - 1 })
    },
  },
})

/**
 * A payment of a resource becomes the merchant's transaction when it is first seen (P); the transaction of a payment
 * request was made with the request. It completes when the challenge settles (C), and is rejected when too little came
 * (X): M-REC-02 to M-REC-04. The transaction of a payout completes with the payout.
 */
export const recordTransaction: Policy = policy({
  name: 'record-transaction',
  // A transaction tells by the event's place which payments were taken back of it.
  keys: {
    PaymentDetected: ({ data }) => transactionKeys(data),
    PaymentSimulated: ({ data }) => transactionKeys(data),
    ChallengeSettled: ({ data }) => transactionKeys(data),
    SettlementMoved: ({ data }) => transactionKeys(data),
    ChallengeUnderpaid: ({ data }) => transactionKeys(data),
    PaymentReversed: ({ data }) => transactionKeys(data),
    PaymentRequestExpired: ({ data }) => [data.transactionId],
    PaymentRequestWithdrawn: ({ data }) => [data.transactionId],
    PayoutCompleted: ({ data }) => [data.transactionId],
  },
  on: {
    PaymentDetected: ({ at, data }, { ledger, world }) => noteSeen(ledger, world, at, data),
    PaymentSimulated: async ({ at, data }, { ledger, world }) => {
      // What it comes to is the next event of the same moment, and says all of this for what is no request.
      if (data.paymentRequest === undefined && data.confirmations >= data.required) return
      await noteSeen(ledger, world, at, data)
    },
    ChallengeSettled: async ({ at, order, data }, { ledger, world }) => {
      const settled = { confirmedAt: data.settledAt, received: receivedOf(data), position: String(order) }
      await completeTransaction(ledger, world, at, data, settled)
    },
    SettlementMoved: async ({ at, data }, { ledger, world }) => {
      const { id, paid } = await transactionOf(ledger, world, at, data)
      await ledger.transaction.move(id, { from: data.from.tx, hash: paid.hash, payer: paid.payer })
    },
    ChallengeUnderpaid: async ({ at, data }, { ledger, world }) => {
      const id = await noteSeen(ledger, world, at, data)
      await ledger.transaction.reject(id, { reason: 'underpaid' })
    },
    // The transaction is as if it had not been paid. The webhook has told once that it was, and tells nothing of this
    // (W-DEL-01).
    PaymentReversed: async ({ at, order, data }, { ledger, world }) => {
      const { id } = await transactionOf(ledger, world, at, data)
      if (!data.unsettled) return await capRefund(ledger, id)
      const { reason, reversedAt } = data
      await ledger.transaction.reverse(id, { reason, reversedAt, position: String(order), coin: coinBefore(data) })
    },
    PaymentRequestExpired: ({ data }, { ledger }) => expire(ledger, data),
    // What the seller wrote by hand says already how it ended.
    PaymentRequestWithdrawn: async ({ data }, { ledger }) => {
      if (data.reason !== 'by-hand') await expire(ledger, data)
    },
    PayoutCompleted: async ({ data: { transactionId, completedAt } }, { ledger }) => {
      await ledger.transaction.complete(transactionId, { hash: '', payer: '', confirmedAt: completedAt })
    },
  },
})

/** The set of a challenge: what settles one of its challenges is seen by the others. */
const setOf = (challengeId: string): string => challengeParts(challengeId)?.setId ?? challengeId

/** A request has one transaction, whichever of its challenges are paid; a resource has one for each challenge. */
const transactionKeys = ({ challengeId, paymentRequest }: DetectedPayment & { paymentRequest?: RequestRef }) =>
  paymentRequest ? [paymentRequest.transactionId] : [challengeId]

/** A sale that stands with less than had come owes no more than what is left of it. */
const capRefund = async (ledger: Ledger, transactionId: string): Promise<void> => {
  const transaction = await ledger.transaction.read(transactionId)
  const paid = transaction.status === 'none' ? undefined : await paidInCoin(ledger, transaction)
  if (paid) await ledger.transaction.capRefund(transactionId, { coin: paid.coin })
}

/** What had been paid until a payment of it was taken back. */
const coinBefore = (data: EventData<'PaymentReversed'>): PaidCoin => {
  const { transfer, paid: received = transfer.amount, asked, asset, amount, currency, usd, test } = data
  const decimals = data.decimals ?? assetOf(asset)?.decimals ?? 0
  const coin = { network: transfer.network, asset: transfer.asset, decimals, received, asked }
  return { ...coin, amount, currency, usd, ...lockedWorth(data), test }
}

const expire = (ledger: Ledger, { transactionId }: { transactionId: string }) =>
  ledger.transaction.reject(transactionId, { reason: 'expired' })

type DetectedPayment = Pick<EventData<'PaymentDetected'>, 'challengeId' | 'accountId' | 'resId' | 'asset' | 'transfer'>

/** Notes a payment on its transaction as soon as it is seen. Answers the transaction's id. */
const noteSeen = async (ledger: Ledger, world: World, at: string, seen: DetectedPayment): Promise<string> => {
  const { id, paid, made } = await transactionOf(ledger, world, at, seen)
  // One that was made just now says all of that already.
  if (made?.status !== 'P' || made.hash !== paid.hash) await ledger.transaction.see(id, paid)
  return id
}

/**
 * Completes the transaction of a payment that settles. One that settles as soon as it comes has it written and
 * completed at once; one that was seen before, and waited for its depth, has one, which that finds out.
 */
const completeTransaction = async (
  ledger: Ledger,
  world: World,
  at: string,
  seen: DetectedPayment,
  settled: { readonly confirmedAt: string; readonly received: string; readonly position: string },
): Promise<void> => {
  const payment = { ...paymentOf(seen.transfer), ...settled }
  const { id, paid, made } = await transactionOf(ledger, world, at, seen, payment)
  if (!made) await ledger.transaction.complete(id, { ...paid, ...settled })
}

/**
 * The transaction of a payment. A resource's is made here, under a number from the challenge's id, so that a second run
 * meets the transaction of the first; with `settled` it is completed, too.
 */
const transactionOf = async (
  ledger: Ledger,
  world: World,
  at: string,
  seen: DetectedPayment,
  settled?: TransactionCommands['complete'],
) => {
  const { challengeId, accountId, resId, transfer } = seen
  // What was asked for never changes, and is older than the event that is answered here.
  const set = await ledger.challenge.recent(challengeParts(challengeId)?.setId ?? '')
  if (set.status === 'none') throw new Error(`${challengeId} was paid but never opened`)
  const payment = paymentOf(transfer)
  const chosen = asked(set, seen)
  if (set.paymentRequest)
    return { id: set.paymentRequest.transactionId, paid: { ...payment, challengeId, ...chosen }, made: undefined }
  const opening = {
    accountId,
    ...inStore(set.storeId),
    challengeId,
    resId,
    ...namedAfter(resId, challengeId),
    ...chosen,
    ...payment,
    webhookUrl: set.webhookUrl,
    test: set.test,
    createdAt: at,
    expiresAt: set.expiresAt,
  }
  const { id, state } = await madeTransaction(ledger, world, challengeId, opening, settled)
  return { id, paid: payment, made: state }
}

const paymentOf = ({ tx, from }: DetectedPayment['transfer']) => ({ hash: tx, payer: from })

/** The names of a transaction. What is sold elsewhere, and only settled here, has no resource to name it after. */
const namedAfter = (resId: string | null, challengeId: string) =>
  resId === null
    ? { externalReference: `x402.${challengeId}`, type: 'x402' as const, title: 'Signed payment' }
    : { externalReference: `${resId}.${challengeId}`, type: 'resource' as const, title: `Resource ${resId}` }

/** All that came for what was settled, in the coin. */
const receivedOf = ({ asset, transfer, paid, decimals }: EventData<'ChallengeSettled'>): string =>
  toDecimal(BigInt(paid ?? transfer.amount), decimals ?? assetOf(asset)?.decimals ?? 0)

/**
 * A test that settles pays its request, also when the process died between the two: no money comes that would say so.
 */
export const payTestRequests: Policy = policy({
  name: 'pay-test-requests',
  // A request takes the payment that comes first.
  keys: ({ data: { test, paymentRequest } }) => (test && paymentRequest ? [paymentRequest.requestId] : []),
  on: {
    ChallengeSettled: async ({ data }, { ledger }) => {
      if (data.test) await paysRequest(ledger, data, data.challengeId)
    },
  },
})

/** What the payer was asked for, as the transaction's record writes it. */
const asked = (set: OpenSet, { asset, challengeId }: DetectedPayment) => {
  const entry = set.entries.find((each) => each.asset === asset)
  if (!entry) throw new Error(`${challengeId} was paid but never asked for`)
  return {
    cryptocurrency: asset,
    amount: toDecimal(BigInt(entry.amount), coinFacts(entry).decimals),
    amountFiat: toDecimal(BigInt(set.amount), FIAT_DECIMALS),
    currency: set.currency,
  }
}

/**
 * A completed payment is told to the merchant once, also when the merchant said so by hand first; a payout, which the
 * merchant made itself, never (W-NOT-01).
 */
export const notifyMerchant: Policy = policy({
  name: 'notify-merchant',
  // What is told first of a transaction is all that is told of it.
  keys: ({ stream }) => [stream],
  on: {
    TransactionCompleted: ({ stream }, { ledger, world }) => tellCompleted(ledger, world, idOf(stream)),
    TransactionEdited: async ({ stream, data: { changes } }, { ledger, world }) => {
      if (changes.status === 'C') await tellCompleted(ledger, world, idOf(stream))
    },
  },
})

const tellCompleted = async (ledger: Ledger, world: World, transactionId: string): Promise<void> => {
  // The state is at least what the event that is answered here has made of it.
  const transaction = await ledger.transaction.recent(transactionId)
  if (transaction.status === 'none') throw new Error(`${transactionId} was completed but never created`)
  if (transaction.payoutId !== undefined) return
  const { accountId, test } = transaction
  const { url, ...whose } = await webhookOf(ledger, transaction)
  // The id is made from the transaction: a second run meets the first one's decision, which stands.
  const eventId = world.digest(`delivery|${transactionId}|completed`).slice(0, 32)
  if (url === undefined) await ledger.delivery.skip(eventId, { accountId, transactionId })
  else await ledger.delivery.schedule(eventId, { accountId, transactionId, url, ...whose, test })
}
