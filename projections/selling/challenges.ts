import type { Sql } from 'postgres'
import { coinOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import type { PendingPayment } from '../../domain/use-cases/selling/settling/book-transfer.ts'
import type { BookedPlace } from '../../domain/use-cases/selling/settling/recheck-booked.ts'
import { type Projection, patch, put, type Row, type Table, upsert } from '../engine/projection.ts'

/**
 * Every challenge, one row each: what it asks for, where, and whether it was paid. The chain watch reads its
 * addresses and contracts here, and the payments that wait for confirmations.
 */

const challenges = {
  name: 'challenges',
  columns: {
    challenge_id: 'text',
    account_id: 'text',
    res_id: 'text',
    request_id: 'text',
    asset: 'text',
    network: 'text',
    pay_to: 'text',
    amount: 'numeric',
    status: 'text',
    test: 'boolean',
    expires_at: 'text',
    opened_at: 'text',
  },
  key: ['challenge_id'],
  indexes: ['network, expires_at', 'res_id', 'request_id', 'account_id, asset, opened_at desc'],
} as const satisfies Table

/**
 * A payment that was seen, until it is booked or taken back; `due_height` is the height at which it has enough
 * confirmations. From its booking on it is `booked`, and `gone` once its block was replaced. A refund that was found
 * stands here too, under the id of its transaction, and a return under that of the transfer that it sends back.
 */
const pendingPayments = {
  name: 'pending_payments',
  columns: {
    transfer_id: 'text',
    challenge_id: 'text',
    network: 'text',
    tx: 'text',
    block_hash: 'text',
    height: 'bigint',
    due_height: 'bigint',
    waits: 'boolean',
    booked: 'boolean',
    gone: 'boolean',
    refund: 'boolean',
  },
  key: ['transfer_id', 'challenge_id'],
  indexes: ['network, waits, due_height', 'network, booked, height', 'challenge_id'],
} as const satisfies Table

/**
 * Contracts of tokens that are in no catalogue, while a challenge asks for one; few, so that the watch need not go
 * through all challenges.
 */
const watchedContracts = {
  name: 'watched_contracts',
  columns: { network: 'text', contract: 'text', expires_at: 'text' },
  key: ['network', 'contract'],
} as const satisfies Table

export const challengesProjection: Projection = {
  name: 'challenges',
  version: 7,
  tables: [challenges, watchedContracts, pendingPayments],
  on: {
    ChallengeOpened: ({ stream, at, data }) =>
      data.entries.flatMap((entry) => [
        put(challenges, {
          challenge_id: `${idOf(stream)}.${entry.asset}`,
          account_id: data.accountId,
          res_id: data.resId,
          request_id: data.paymentRequest?.requestId ?? null,
          asset: entry.asset,
          network: entry.network,
          pay_to: entry.payTo,
          amount: entry.amount,
          status: 'open',
          test: data.test,
          expires_at: data.expiresAt,
          opened_at: at,
        }),
        ...watched(entry, data.expiresAt),
      ]),
    PaymentDetected: ({ data: { challengeId, transfer, required } }) => [
      changed(challengeId, 'pending'),
      waiting(challengeId, transfer, transfer.height + required - 1),
    ],
    PaymentSimulated: ({ data }) => changed(data.challengeId, 'pending'),
    PaymentRetracted: ({ data: { challengeId, transferId: id } }) => [
      changed(challengeId, 'open'),
      patch(pendingPayments, [id, challengeId], () => ({ waits: false })),
    ],
    ChallengeSettled: ({ data: { challengeId, transfer } }) => [
      changed(challengeId, 'settled'),
      waiting(challengeId, transfer, null),
    ],
    SettlementMoved: ({ data: { challengeId, from, transfer } }) => [
      isGone(challengeId, from),
      waiting(challengeId, transfer, null),
    ],
    ChallengeUnderpaid: ({ data: { challengeId, transfer } }) => [
      changed(challengeId, 'underpaid'),
      waiting(challengeId, transfer, null),
    ],
    // A payment that was set aside for no challenge is listed under its seller's id.
    TransferSetAside: ({ data: { accountId, challengeId, transfer } }) =>
      waiting(challengeId ?? accountId, transfer, null),
    PaymentReversed: ({ data: { challengeId, transfer, unsettled } }) => [
      ...(unsettled ? [changed(challengeId, unsettled.parts ? 'underpaid' : 'open')] : []),
      isGone(challengeId, transfer),
    ],
    TransferReversed: ({ data: { accountId, challengeId, transfer, aside } }) =>
      aside ? isGone(challengeId ?? accountId, transfer) : [],
    RefundTransferClaimed: ({ data: { transactionId, transfer } }) => waiting(transactionId, transfer, null, true),
    RefundTransferReversed: ({ data: { transactionId, transfer } }) => isGone(transactionId, transfer),
    ReturnTransferClaimed: ({ data: { returned, transfer } }) => waiting(returned, transfer, null, true),
    ReturnTransferReversed: ({ data: { returned, transfer } }) => isGone(returned, transfer),
  },
}

const watched = (entry: { asset: string; network: string; contract?: string }, expires_at: string) => {
  const { network, contract } = entry
  if (contract === undefined || coinOf(entry) !== contract) return []
  const later = (row: Row) => ({ expires_at: [String(row.expires_at), expires_at].sort().at(-1) as string })
  return [upsert(watchedContracts, { network, contract, expires_at }, later)]
}

const changed = (challengeId: string, status: string) => patch(challenges, [challengeId], () => ({ status }))

const waiting = (challengeId: string, transfer: TransferData, due: number | null, refund = false) =>
  put(pendingPayments, {
    transfer_id: transferId(transfer),
    challenge_id: challengeId,
    network: transfer.network,
    tx: transfer.tx,
    block_hash: transfer.blockHash,
    height: transfer.height,
    due_height: due,
    waits: due !== null,
    booked: due === null,
    gone: false,
    refund,
  })

const isGone = (challengeId: string, transfer: TransferData) =>
  patch(pendingPayments, [transferId(transfer), challengeId], () => ({ gone: true }))

/** Challenges of one request that a posted hash is looked up for. */
const CHALLENGES_OF_REQUEST_MAX = 50

export const challengeQueries = (sql: Sql) => ({
  /** The challenges that were opened for a payment request, the newest first. */
  async challengesOfRequest(requestId: string): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select challenge_id as id from challenges where request_id = ${requestId}
      order by opened_at desc, challenge_id limit ${CHALLENGES_OF_REQUEST_MAX}`
    return rows.map(({ id }) => id)
  },
  /** Payments of some challenges that were seen and are not booked yet. */
  async waitingPayments(challengeIds: readonly string[], limit: number): Promise<PendingPayment[]> {
    const rows = await sql<(Omit<PendingPayment, 'height'> & { height: string })[]>`
      select challenge_id as "challengeId", transfer_id as "transferId", tx, height, block_hash as "blockHash"
      from pending_payments where waits and challenge_id in ${sql(challengeIds)}
      order by due_height, transfer_id limit ${limit}`
    return rows.map((row): PendingPayment => ({ ...row, height: Number(row.height) }))
  },
  /**
   * Payments that have enough confirmations at a height, and all that were seen above `from`: the lowest ones after
   * `after`.
   */
  async pendingPayments(
    network: string,
    height: number,
    from: number | undefined,
    limit: number,
    after: Pick<PendingPayment, 'height' | 'transferId'> = { height: -1, transferId: '' },
  ) {
    const rows = await sql<(Omit<PendingPayment, 'height'> & { height: string })[]>`
      select challenge_id as "challengeId", transfer_id as "transferId", tx, height, block_hash as "blockHash"
      from pending_payments
      where network = ${network} and waits and (due_height <= ${height} or height > ${from ?? null}::bigint)
        and (height, transfer_id) > (${after.height}, ${after.transferId})
      order by height, transfer_id limit ${limit}`
    return rows.map((row): PendingPayment => ({ ...row, height: Number(row.height) }))
  },
  /**
   * Payments that were booked, and refunds that were found, or that were taken back, from blocks above a height and up
   * to another one, the lowest first. With `after`, the list goes on after that transfer.
   */
  async bookedPayments(
    network: string,
    { above, through, after }: { above: number; through: number; after?: { height: number; id: string } | undefined },
    limit: number,
  ): Promise<BookedPlace[]> {
    const further = after ? sql`and (height, transfer_id) > (${after.height}::bigint, ${after.id})` : sql``
    const rows = await sql<(Omit<BookedPlace, 'height'> & { height: string })[]>`
      select transfer_id as "transferId", tx, height, block_hash as "blockHash", gone, refund
      from pending_payments
      where network = ${network} and booked and height > ${above}::bigint and height <= ${through}::bigint ${further}
      order by height, transfer_id limit ${limit}`
    return rows.map((row): BookedPlace => ({ ...row, height: Number(row.height) }))
  },
})
