import { ledgerRefOf, userRef } from '../../balance/transfer-terms.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { World } from '../../kernel/ports.ts'
import { transferId } from '../../selling/challenge-terms.ts'
import {
  type BookedPayment,
  type WorthyPayment,
  worthOfPayment,
} from '../../use-cases/selling/settling/worth-of-payment.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * Credits what is paid for a top-up to its user, also when it is more or less than was asked for, once for each payment
 * (A-TOP-03, T-TOP-01, I-BAL-03).
 */
export const settleTopUps: Policy = policy({
  name: 'settle-top-ups',
  // The top-up tells by the event's place what it was paid, and one request is made for it. What is paid to sellers
  // funds none.
  keys: ({ data: { accountId, paymentRequest } }) =>
    accountId === PLATFORM && paymentRequest ? [paymentRequest.requestId] : [],
  on: {
    ChallengeSettled: ({ order, data }, context) => settle(context, order, data, false),
    ChallengeUnderpaid: ({ order, data }, context) => settle(context, order, data, true),
    // What was credited for it is taken back; what is spent by then is owed (N-24).
    PaymentReversed: async ({ order, data }, { ledger, world }) => {
      const funded = await fundedWith(ledger, data)
      if (!funded) return
      const { topUpId, clientId, worth } = funded
      const name = `${nameOf(topUpId, data)}:reversed:${data.times}`
      await ledger.topUp.reverse(topUpId, {
        transferId: name,
        ledgerRef: ledgerRefOf(world, 'top-up', name),
        total: String(worth),
        clientId,
        topUpId,
        challengeId: data.challengeId,
        source: settleTopUps.name,
        position: String(order),
      })
    },
  },
})

const settle = async (
  { ledger, world }: { ledger: Ledger; world: World },
  order: bigint,
  payment: BookedPayment,
  short: boolean,
): Promise<void> => {
  const { challengeId } = payment
  const funded = await fundedWith(ledger, payment)
  if (!funded) return
  const { topUpId, sub, clientId } = funded
  const total = String(funded.worth)
  const transferId = nameOf(topUpId, payment)
  await ledger.topUp.settle(topUpId, {
    transferId,
    ledgerRef: ledgerRefOf(world, 'top-up', transferId),
    kind: 'top-up',
    total,
    legs: [{ to: userRef(sub), amount: total }],
    clientId,
    request: challengeId,
    description: null,
    sub,
    topUpId,
    challengeId,
    short,
    source: settleTopUps.name,
    position: String(order),
  })
}

/**
 * The top-up that a payment funds, with its user, its app and the payment's worth in millionths of a US dollar;
 * undefined where it funds none.
 */
const fundedWith = async (ledger: Ledger, payment: WorthyPayment) => {
  const { accountId, paymentRequest, test } = payment
  if (accountId !== PLATFORM || !paymentRequest || test) return undefined
  const request = await ledger.paymentRequest.read(paymentRequest.requestId)
  const topUpId = request.status === 'none' ? undefined : request.balanceTopUp?.topUpId
  if (topUpId === undefined) return undefined
  const topUp = await ledger.topUp.read(topUpId)
  const worth = await worthOfPayment(ledger, payment)
  if (topUp.status === 'none' || topUp.sub === undefined || worth <= 0n) return undefined
  return { topUpId, sub: topUp.sub, clientId: topUp.clientId, worth }
}

/**
 * The id of the transfer that a payment makes. The first payment of a challenge is named by the challenge alone, as all
 * were when there could be only one.
 */
const nameOf = (topUpId: string, { challengeId, transfer, paid }: WorthyPayment): string =>
  paid === undefined ? `topup:${topUpId}:${challengeId}` : `topup:${topUpId}:${challengeId}:${transferId(transfer)}`

const NAME = 'take-back-top-ups'

/**
 * Takes back from a user's balance what a top-up had credited, when its funds are not in their chain any more (N-24).
 */
export const takeBackTopUps: Policy = policy({
  name: NAME,
  // The user's balance tells by the event's place what was taken back.
  keys: ({ data: { sub } }) => [sub],
  on: {
    TopUpReversed: ({ order, data }, { ledger }) => {
      const { sub, transferId, ledgerRef, total: amount, clientId, topUpId } = data
      const terms = { transferId, ledgerRef, kind: 'top-up' as const, clientId, description: null, topUpId }
      return ledger.userBalance.takeBack(sub, {
        ...terms,
        from: 'platform',
        amount,
        source: NAME,
        position: String(order),
      })
    },
  },
})

/** Writes into a mandate's own stream what was decided about it in its user's stream. */
export const followMandates: Policy = policy({
  name: 'follow-mandates',
  // A mandate is approved before it ends.
  keys: ({ data: { mandateId } }) => [mandateId],
  on: {
    StandingOrderActivated: ({ data: { mandateId, approvedAt, validUntil } }, { ledger }) =>
      ledger.mandate.approve(mandateId, { approvedAt, validUntil }),
    StandingOrderEnded: ({ data: { mandateId, by, endedAt } }, { ledger }) =>
      ledger.mandate.revoke(mandateId, { by, revokedAt: endedAt }),
    StandingOrderForbidden: ({ data: { mandateId, by, endedAt } }, { ledger }) =>
      by === 'user'
        ? ledger.mandate.decline(mandateId, {})
        : ledger.mandate.revoke(mandateId, { by, revokedAt: endedAt }),
  },
})
