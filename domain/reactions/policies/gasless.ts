import { billedForGas } from '../../gasless/authorization.ts'
import { callerId } from '../../gasless/caller.ts'
import { budgetsOf } from '../../gasless/relay-budget.ts'
import { idOf } from '../../kernel/decider.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import { carriedOut } from '../../selling/authorization-terms.ts'
import { isClosed } from '../../selling/challenge-state.ts'
import { challengeParts, type TransferData, transferId } from '../../selling/challenge-terms.ts'
import { bookRelayed } from '../../use-cases/gasless/book-relayed.ts'
import { riskOf } from '../../use-cases/gasless/relay-budgets.ts'
import { payerOf, settleAuthorization } from '../../use-cases/gasless/settle-authorization.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'
import { creditPolicy } from './credit-policy.ts'

/**
 * Settles the signed payments that a relayer has carried out, also when the process died right after writing down that
 * they were mined.
 */
export const settleAuthorizations: Policy = policy({
  name: 'settle-authorizations',
  // A payment may be carried out again in another transaction, after its block was replaced.
  keys: ({ data: { outcomes } }) => outcomes.map(({ authorizationId }) => authorizationId),
  on: {
    RelayTransactionMined: ({ data }, { ledger, secondVoice }) => bookRelayed(ledger, data, secondVoice.known),
  },
})

/**
 * Frees what a signed payment has reserved, once it has settled or failed: its payer's balance, a cap, and a challenge.
 */
export const endAuthorizations: Policy = policy({
  name: 'end-authorizations',
  // All that is freed was reserved under the id of the authorization. What no signature has paid ends none.
  keys: {
    ChallengeSettled: ({ data }) => authorizationKeys(data),
    SettlementMoved: ({ data }) => authorizationKeys(data),
    PaymentReversed: ({ data }) => authorizationKeys(data),
    AuthorizationFailed: ({ stream }) => [idOf(stream)],
  },
  on: {
    ChallengeSettled: ({ data }, { ledger }) => settleAuthorization(ledger, data),
    SettlementMoved: async ({ data: { from, transfer } }, { ledger }) => {
      const id = carriedOut(transfer)
      if (id === undefined) return
      await ledger.authorization.move(id, { from: from.tx, transferId: transferId(transfer), tx: transfer.tx })
    },
    // The payment can no longer be carried out, so another one may take its challenge (N-42).
    PaymentReversed: async ({ data: { challengeId, asset, transfer, reason } }, { ledger }) => {
      const id = carriedOut(transfer)
      const parts = challengeParts(challengeId)
      if (id === undefined || !parts || (await ledger.authorization.read(id)).status === 'none') return
      const set = await ledger.challenge.read(parts.setId)
      if (set.status === 'none' || isClosed(set, asset)) return
      await ledger.authorization.reverse(id, { transferId: transferId(transfer), tx: transfer.tx, reason })
      await ledger.challenge.release(parts.setId, { challengeId, asset, authorizationId: id })
    },
    AuthorizationFailed: async ({ stream, data }, { ledger }) => {
      const id = idOf(stream)
      const { accountId, resId, challengeId, payer } = data
      const parts = challengeParts(challengeId)
      if (parts) await ledger.challenge.release(parts.setId, { challengeId, asset: parts.asset, authorizationId: id })
      if (resId !== null) await ledger.caller.release(callerId(resId, payer), { accountId, authorizationId: id })
      await ledger.payer.release(payerOf(id), { authorizationId: id, failed: true })
    },
  },
})

const authorizationKeys = ({ transfer }: { readonly transfer: TransferData }): readonly string[] => {
  const id = carriedOut(transfer)
  return id === undefined ? [] : [id]
}

/**
 * The gas of a signed payment, plus 21 %, is billed once, beside the platform fee, and no more than was said when it
 * was offered (J-GAS-02, Q-12).
 */
export const billGas = creditPolicy('bill-gas', {
  AuthorizationGasSpent: ({ data }) => {
    const amount = billedForGas(data)
    if (data.accountId === PLATFORM || amount === '0') return undefined
    return { charge: { amount, reason: 'gasless-fee', gasUsd: data.gasUsd, ref: data.challengeId } }
  },
  // A payment that its network has lost costs its seller nothing (N-24).
  AuthorizationReversed: ({ data: { accountId, challengeId, billedUsd = '0' } }) =>
    accountId === PLATFORM || billedUsd === '0'
      ? undefined
      : { grant: { amount: billedUsd, reason: 'gas-returned', ref: challengeId } },
})

/**
 * What a relayer has lost to a payment counts against its network, its seller, its payer and the payer's code: a
 * transaction in vain, gas that was dearer than what may be billed for it, and what was billed and given back.
 */
export const countRelayLosses: Policy = policy({
  name: 'count-relay-losses',
  // A budget tells by the event's place which losses it has counted.
  keys: {
    AuthorizationReverted: ({ data: { gasUsd } }) => keysOfLoss(BigInt(gasUsd)),
    AuthorizationGasSpent: ({ data }) => keysOfLoss(unbilledGas(data)),
    AuthorizationReversed: ({ data: { billedUsd = '0' } }) => keysOfLoss(BigInt(billedUsd)),
  },
  on: {
    AuthorizationReverted: ({ stream, order, data: { tx, gasUsd } }, { ledger }) =>
      count(ledger, idOf(stream), order, { tx, usd: BigInt(gasUsd) }),
    AuthorizationGasSpent: ({ stream, order, data }, { ledger }) =>
      count(ledger, idOf(stream), order, { tx: data.tx, usd: unbilledGas(data) }),
    AuthorizationReversed: ({ stream, order, data: { tx, billedUsd = '0' } }, { ledger }) =>
      count(ledger, idOf(stream), order, { tx, usd: BigInt(billedUsd) }),
  },
})

/** Every loss is one of a network, whose budget counts it. Most payments cost the relayer nothing. */
const keysOfLoss = (usd: bigint): readonly string[] => (usd > 0n ? ['losses'] : [])

/** What of the gas may not be billed; below zero where more is billed than was spent. */
const unbilledGas = (data: EventData<'AuthorizationGasSpent'>): bigint =>
  BigInt(data.gasUsd) - BigInt(billedForGas(data))

const count = async (
  ledger: Ledger,
  authorizationId: string,
  order: bigint,
  { tx, usd }: { tx: string; usd: bigint },
): Promise<void> => {
  const taken = await ledger.authorization.recent(authorizationId)
  if (usd <= 0n || taken.status === 'none') return
  const loss = { usd: String(usd), authorizationId, tx, source: 'count-relay-losses', position: String(order) }
  for (const [, budget] of budgetsOf(await riskOf(ledger, taken))) await ledger.relayBudget.count(budget, loss)
}

/**
 * What a payer has spent on a resource counts towards its cap, on whatever rail it was paid. Not every chain
 * names one payer.
 */
export const countCallerSpend: Policy = policy({
  name: 'count-caller-spend',
  // The caller tells by the event's place what it has spent.
  keys: {
    ChallengeSettled: ({ data: { resId, transfer } }) => (resId === null ? [] : [callerId(resId, transfer.from)]),
    PaymentReversed: ({ data: { resId, unsettled } }) =>
      resId === null || !unsettled ? [] : [callerId(resId, unsettled.payer)],
  },
  on: {
    ChallengeSettled: async ({ order, data }, { ledger }) => {
      const { accountId, resId, challengeId, amount, transfer, settledAt, test } = data
      if (resId === null || test || transfer.from === '') return
      await ledger.caller.spend(callerId(resId, transfer.from), {
        accountId,
        challengeId,
        authorizationId: carriedOut(transfer) ?? null,
        amount,
        at: settledAt,
        source: 'count-caller-spend',
        position: String(order),
      })
    },
    PaymentReversed: async ({ order, data }, { ledger }) => {
      const { accountId, resId, challengeId, amount, unsettled, test } = data
      if (resId === null || test || !unsettled || unsettled.payer === '') return
      await ledger.caller.unspend(callerId(resId, unsettled.payer), {
        accountId,
        challengeId,
        amount,
        source: 'count-caller-spend',
        position: String(order),
      })
    },
  },
})
