import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { CANDIDATE_REASONS, type Candidate, candidatesFor } from '../../../../domain/selling/transfers/candidates.ts'
import { ASIDE_REASONS } from '../../../../domain/selling/transfers/transfer-events.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { UnmatchedFilter, UnmatchedRow } from '../../../../projections/selling/unmatched-queries.ts'
import type { Actor } from '../../core/endpoint.ts'
import { From, To } from '../common/times.ts'

/** Money that settles nothing, as the JSON API and the dashboard both show it (N-103). */

const TEXT_MAX = 200
/** The most candidates that one of them is shown with. */
const CANDIDATES_MAX = 10

export const unmatchedFilters = {
  state: z.enum(['open', 'ignored', 'returned']).optional(),
  reason: z.enum(ASIDE_REASONS).optional(),
  asset: z
    .string()
    .max(TEXT_MAX)
    .transform((code) => code.toLowerCase())
    .optional(),
  from: From.optional(),
  to: To.optional(),
  search: z.string().max(TEXT_MAX).optional(),
}
export const UnmatchedFilters = z.object(unmatchedFilters)
export type UnmatchedWish = z.output<typeof UnmatchedFilters>

/** The row after which a page goes on: its time and its transfer. */
export const UnmatchedPlace = z
  .string()
  .max(TEXT_MAX * 2)
  .regex(/^[0-9TZ:.-]{20,30}_\S+$/, 'has to be the value of next of the page before')

export const UnmatchedShape = z
  .object({
    transfer: z.string(),
    state: z.enum(['open', 'ignored', 'returned']),
    reason: z.enum(ASIDE_REASONS).optional(),
    transaction_id: z.string().nullable(),
    challenge_id: z.string().nullable(),
    asset: z.string(),
    asset_amount: z.string(),
    hash: z.string(),
    payer: z.string(),
    address: z.string().nullable(),
    network: z.string().nullable(),
    at: z.string(),
    mined_at: z.string().nullable(),
    ignored_for: z.string().optional(),
    handled_by: z.string().optional(),
    handled_at: z.string().optional(),
    returned_amount: z.string().optional(),
    return_status: z.enum(['recorded', 'pending', 'sent']).optional(),
    return_hash: z.string().optional(),
    return_refused: z.string().optional(),
  })
  .meta({
    id: 'UnmatchedMoney',
    description:
      'Money that came and settles nothing. `reason`: it came `late`, was `doubled`, or nobody asked for it (`unmatched`). `state`: `open` until the seller matches it, notes that it was `returned`, or leaves it `ignored`. A return is `recorded` by the seller’s word, `pending` while its hash is looked for, and `sent` once its chain shows it. `return_refused`: why a hash was not taken.',
  })

export const CandidateShape = z
  .object({
    challenge_id: z.string(),
    transaction_id: z.string().nullable(),
    title: z.string(),
    reasons: z.array(z.enum(CANDIDATE_REASONS)),
    asked: z.string(),
    missing: z.string(),
    opened_at: z.string(),
    expires_at: z.string(),
  })
  .meta({
    id: 'UnmatchedCandidate',
    description:
      'A payment that the money may be meant for, and why. `hash-named`: somebody named this hash for it. `amount-equal`, `rest-equal`: it is what was asked, or what is missing of it. `same-sender`: a part of it came from there before. `same-address`: it came to its address. `in-time`, `late`: it came while that was asked for, or after. `part`: it is less than is missing.',
  })

/** A page of the list, and where the next one begins; null after the last. */
export const unmatchedPage = async (
  queries: Queries,
  { accountId, storeScope: stores }: Actor,
  wish: UnmatchedWish,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<{ readonly rows: readonly UnmatchedRow[]; readonly next: string | null }> => {
  const filter: UnmatchedFilter = { ...wish, stores, ...(wish.search === '' && { search: undefined }) }
  const found = await queries.unmatched(
    accountId,
    filter,
    limit + 1,
    before === undefined ? undefined : placeIn(before),
  )
  const last = found[limit - 1]
  return { rows: found.slice(0, limit), next: found.length > limit && last ? `${last.at}_${last.transferId}` : null }
}

const placeIn = (before: string): { readonly at: string; readonly transferId: string } => {
  const cut = before.indexOf('_')
  return { at: before.slice(0, cut), transferId: before.slice(cut + 1) }
}

/** One of them that the caller may see. Refuses `transfer-not-found`. */
export const ownUnmatched = async (
  queries: Queries,
  { accountId, storeScope }: Actor,
  transferId: string,
): Promise<UnmatchedRow> =>
  (await queries.unmatchedTransfer(accountId, transferId, storeScope)) ?? refuse('transfer-not-found')

/** The payments that it may be meant for, the likeliest first; none once something was done with it. */
export const candidatesOf = async (
  queries: Queries,
  { accountId, storeScope }: Actor,
  row: UnmatchedRow,
): Promise<readonly Candidate[]> => {
  const { network, coin, minedAt, status, challengeId, candidates, paid, hash, payer, payee } = row
  if (network === null || coin === null || minedAt === null || stateOf(status) !== 'open') return []
  const named = [...(candidates ?? []), ...(challengeId === null ? [] : [challengeId])]
  const waiting = await queries.waitingFor(accountId, { network, coin, minedAt, named }, storeScope)
  const money = { paid: BigInt(paid), hash, payer, payee: payee ?? undefined, minedAt, named }
  return candidatesFor(money, waiting, CANDIDATES_MAX)
}

export const stateOf = (status: UnmatchedRow['status']): 'open' | 'ignored' | 'returned' =>
  status === 'ignored' || status === 'returned' ? status : 'open'

export const shownMoney = (row: UnmatchedRow): z.input<typeof UnmatchedShape> => {
  const { status, decimals, isSought, returnState } = row
  return {
    transfer: row.transferId,
    state: stateOf(status),
    ...(status !== 'ignored' && status !== 'returned' && { reason: status }),
    transaction_id: row.transactionId,
    challenge_id: row.challengeId,
    asset: row.asset,
    asset_amount: toDecimal(BigInt(row.paid), decimals),
    hash: row.hash,
    payer: row.payer,
    address: row.payee,
    network: row.network,
    at: row.at,
    mined_at: row.minedAt,
    ...(row.ignoredFor !== null && { ignored_for: row.ignoredFor }),
    ...(row.handledBy !== null && { handled_by: row.handledBy }),
    ...(row.handledAt !== null && { handled_at: row.handledAt }),
    ...(row.returned !== null && { returned_amount: toDecimal(BigInt(row.returned), decimals) }),
    ...(returnState !== null && { return_status: returnStatusOf(returnState, isSought) }),
    ...(row.returnHash !== null && { return_hash: row.returnHash }),
    ...(row.refused !== null && { return_refused: row.refused }),
  }
}

/** A return that its chain has lost is looked for again. */
export const returnStatusOf = (
  state: NonNullable<UnmatchedRow['returnState']>,
  isSought: boolean | null,
): 'recorded' | 'pending' | 'sent' => (state === 'sent' ? 'sent' : isSought ? 'pending' : 'recorded')

export const shownCandidate = (
  { challengeId, transactionId, title, reasons, asked, missing, openedAt, expiresAt }: Candidate,
  decimals: number,
): z.input<typeof CandidateShape> => ({
  challenge_id: challengeId,
  transaction_id: transactionId,
  title: title ?? '',
  reasons: [...reasons],
  asked: toDecimal(asked, decimals),
  missing: toDecimal(missing, decimals),
  opened_at: openedAt,
  expires_at: expiresAt,
})
