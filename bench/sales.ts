import { createHash } from 'node:crypto'
import { postedTypes } from '../domain/reading/journal.ts'
import type { EventData, EventType } from '../domain/write-side/deciders.ts'

/**
 * The events that a sale leaves in the log, in the shapes and sizes that the product writes; both sides of a comparison
 * get the same ones.
 */

export type Step = { readonly stream: string; readonly type: EventType; readonly data: object }

/** Sales under way at once, each of another seller, so that the steps of a sale lie some way apart in the log. */
export const SALES_AT_ONCE = 64

/** The events that the read model `transactions` is made of: four make two rows. */
export const shownSteps = (n: number): readonly Step[] => stepsOf(n).slice(-SHOWN)

/** All events of a sale: nine, of which the read model `transactions` shows the last four, as two rows. */
export const allSteps = (n: number): readonly Step[] => stepsOf(n)

/** The events of a sale that move money: each is a transaction of the journal. */
export const moneySteps = (n: number): readonly Step[] => stepsOf(n).filter(({ type }) => moving.has(type))

const SHOWN = 4
const moving: ReadonlySet<string> = new Set(postedTypes)
const AT = '2026-03-02T10:06:00.000Z'
const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const stepsOf = (n: number): readonly Step[] => {
  const ids = idsOf(n)
  const { accountId, challengeId, resId, setId, hash, transactionId, eventId } = ids
  const place = { accountId, resId, challengeId, asset: 'eth' }
  const price = { amount: '100000000', currency: 'USD', usd: '100000000' }
  const transfer = { ...TRANSFER, tx: hash }
  const rest = { webhookUrl: null, test: false }
  return [
    step(`challenge-${setId}`, 'ChallengeOpened', { ...opening(ids), ...price, ...rest }),
    step(`receiveAddress-eth:eth:${accountId}`, 'AmountReserved', {
      amount: TRANSFER.amount,
      challengeId,
      reservedAt: AT,
      heldUntil: AT,
    }),
    step(`transfer-eth:${hash}:native`, 'TransferClaimed', { accountId, challengeId, asset: 'eth', transfer }),
    step(`challenge-${setId}`, 'ChallengeSettled', { ...place, ...price, ...rest, transfer, settledAt: AT }),
    step(`creditAccount-${accountId}`, 'CreditDebited', {
      amount: '200000',
      owed: '0',
      reason: 'platform-fee',
      ref: challengeId,
      source: 'bill-settlement',
      position: String(n),
    }),
    step(`transaction-${transactionId}`, 'TransactionCreated', { ...record(ids), ...rest }),
    step(`transaction-${transactionId}`, 'TransactionCompleted', {
      accountId,
      test: false,
      hash,
      payer: PAYER,
      confirmedAt: AT,
    }),
    step(`delivery-${eventId}`, 'DeliveryScheduled', {
      accountId,
      transactionId,
      url: URL,
      slot: 'agent',
      test: false,
    }),
    step(`delivery-${eventId}`, 'DeliveryAccepted', { accountId, transactionId, ...ANSWERED }),
  ]
}

const URL = 'https://merchant.example/hook'
const ANSWERED = { status: 200, reason: null, bodyHead: 'thanks', durationMs: 120, attemptedAt: AT }

const TRANSFER = {
  network: 'eth',
  index: 'native',
  asset: 'eth',
  from: PAYER,
  to: PAY_TO,
  amount: '40000010000000000',
  height: 105,
  blockHash: `0x${'cd'.repeat(32)}`,
  minedAt: AT,
}

const step = <T extends EventType>(stream: string, type: T, data: EventData<T>): Step => ({ stream, type, data })

type Ids = ReturnType<typeof idsOf>

const idsOf = (n: number) => {
  const digest = createHash('sha256').update(String(n)).digest('hex')
  const setId = `ch_${inLetters(digest.slice(0, 26))}`
  return {
    accountId: `acc_${n % SALES_AT_ONCE}`,
    setId,
    challengeId: `${setId}.eth`,
    resId: `res_${digest.slice(26, 52)}`,
    hash: `0x${digest}`,
    transactionId: String(BigInt(`0x${digest.slice(0, 13)}`) | (1n << 51n)),
    eventId: digest.slice(32),
  }
}

/** Ids of the product have none of the digits that look like letters. */
const inLetters = (hex: string): string => hex.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))

const opening = ({ accountId, resId }: Ids) => ({
  accountId,
  resId,
  expiresAt: AT,
  entries: ['eth', 'usdc'].map((asset) => ({
    asset,
    network: 'eth',
    chain: 'eip155:1',
    payTo: PAY_TO,
    amount: TRANSFER.amount,
    rate: '2500',
    heightAtIssue: 100,
    confirmations: 6,
    match: 'amount' as const,
  })),
})

const record = ({ accountId, challengeId, resId, hash }: Ids) => ({
  accountId,
  challengeId,
  resId,
  externalReference: `${resId}.${challengeId}`,
  type: 'resource' as const,
  title: `Resource ${resId}`,
  cryptocurrency: 'eth',
  amount: '0.04000001',
  amountFiat: '100',
  currency: 'USD',
  hash,
  payer: PAYER,
  createdAt: AT,
})
