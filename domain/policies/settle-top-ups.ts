import { ledgerRefOf, userRef } from '../balance/transfer-terms.ts'
import type { EventData } from '../deciders.ts'
import type { Ledger } from '../ledger.ts'
import { FIAT_DECIMALS, mulDivFloor, RATE_DECIMALS, toUnits } from '../money.ts'
import { PLATFORM } from '../platform.ts'
import type { Policy } from '../policy.ts'
import type { World } from '../ports.ts'
import { challengeParts, coinFacts } from '../sell/challenge-terms.ts'

/**
 * What is paid for a top-up is credited to its user, also when it is more or less than was asked for, once for each payment
 * (A-TOP-03, T-TOP-01, I-BAL-03).
 */
export const settleTopUps: Policy = {
  name: 'settle-top-ups',
  on: {
    ChallengeSettled: ({ order, data }, context) => settle(context, order, data, false),
    ChallengeUnderpaid: ({ order, data }, context) => settle(context, order, data, true),
  },
}

type Paid = EventData<'ChallengeSettled'> | EventData<'ChallengeUnderpaid'>

const settle = async (
  { ledger, world }: { ledger: Ledger; world: World },
  order: bigint,
  paid: Paid,
  short: boolean,
): Promise<void> => {
  const { accountId, paymentRequest, challengeId, test } = paid
  if (accountId !== PLATFORM || !paymentRequest || test) return
  const request = await ledger.paymentRequest.read(paymentRequest.requestId)
  const topUpId = request.status === 'none' ? undefined : request.balanceTopUp?.topUpId
  if (topUpId === undefined) return
  const topUp = await ledger.topUp.read(topUpId)
  const worth = await worthOf(ledger, paid)
  if (topUp.status === 'none' || topUp.sub === undefined || worth <= 0n) return
  const { sub, clientId } = topUp
  const total = String(worth)
  const transferId = `topup:${topUpId}:${challengeId}`
  await ledger.topUp.settle(topUpId, {
    ...{ transferId, ledgerRef: ledgerRefOf(world, 'top-up', transferId), kind: 'top-up', total },
    ...{ legs: [{ to: userRef(sub), amount: total }], clientId, request: challengeId, description: null },
    ...{ sub, topUpId, challengeId, short, source: settleTopUps.name, position: String(order) },
  })
}

/**
 * Millionths of a US dollar, at the rate that the challenge had locked. What was asked for in coin may be a little more than its price, so that
 * payments can be told apart: who pays that pays the price, and who pays less never pays more.
 */
const worthOf = async (ledger: Ledger, { challengeId, asset, transfer, asked, usd }: Paid): Promise<bigint> => {
  const [paid, price] = [BigInt(transfer.amount), BigInt(usd)]
  if (asked === undefined || paid === BigInt(asked)) return price
  const set = await ledger.challenge.recent(challengeParts(challengeId)?.setId ?? '')
  const entry = set.status === 'none' ? undefined : set.entries.find((each) => each.asset === asset)
  if (!entry) return mulDivFloor(price, paid, BigInt(asked))
  const scale = 10n ** BigInt(RATE_DECIMALS - FIAT_DECIMALS + coinFacts(entry).decimals)
  const worth = mulDivFloor(paid, toUnits(entry.rate, RATE_DECIMALS), scale)
  return paid < BigInt(asked) ? least(worth, price) : most(worth, price)
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)
const most = (a: bigint, b: bigint) => (a > b ? a : b)
