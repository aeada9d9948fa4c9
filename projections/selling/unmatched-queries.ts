import type { Fragment, Sql } from 'postgres'
import type { WaitingPayment } from '../../domain/selling/transfers/candidates.ts'
import { ASIDE_REASONS, type AsideReason } from '../../domain/selling/transfers/transfer-events.ts'

/** What is asked of money that settles nothing: rows of the settlement log, with what their sellers did with them. */

type UnmatchedState = 'open' | 'ignored' | 'returned'

export type UnmatchedFilter = {
  /** All of them unless told. */
  readonly state?: UnmatchedState | undefined
  /** Why it settles nothing, of what is open. */
  readonly reason?: AsideReason | undefined
  readonly asset?: string | undefined
  /** ISO 8601 times, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** A part of the hash, the sender, the transfer, the transaction or the challenge. */
  readonly search?: string | undefined
  readonly stores?: readonly number[] | undefined
}

export type UnmatchedRow = {
  readonly transferId: string
  readonly status: AsideReason | 'ignored' | 'returned'
  readonly challengeId: string | null
  readonly transactionId: string | null
  readonly candidates: readonly string[] | null
  readonly asset: string
  readonly paid: string
  readonly decimals: number
  readonly hash: string
  readonly payer: string
  readonly at: string
  /** Null for a payment by card, which is on no chain. */
  readonly network: string | null
  readonly coin: string | null
  readonly payee: string | null
  readonly minedAt: string | null
  readonly ignoredFor: string | null
  readonly handledBy: string | null
  readonly handledAt: string | null
  readonly returned: string | null
  readonly returnState: 'recorded' | 'sent' | 'lost' | null
  readonly returnHash: string | null
  readonly isSought: boolean | null
  readonly refused: string | null
}

/** The statuses of money that settles nothing, by what was done with it. */
const STATUSES: Readonly<Record<UnmatchedState, readonly string[]>> = {
  open: ASIDE_REASONS,
  ignored: ['ignored'],
  returned: ['returned'],
}

/** Payments that are looked at for those that money may be meant for, the newest before it came. */
const LOOKED_AT_MAX = 500

/** How long before the money came a payment that it may be meant for was asked for. */
const LOOK_BACK_MS = 30 * 86_400_000
/** The maker of a block chooses its time. */
const SLACK_MS = 60_000

export const unmatchedQueries = (sql: Sql) => {
  const columns = sql`
    s.transfer_id as "transferId", s.status, s.challenge_id as "challengeId", s.candidates, s.asset, s.paid::text, s.decimals,
    s.hash, s.payer, s.at, b.network, b.coin, b.payee, b.mined_at as "minedAt", h.reason as "ignoredFor",
    h.handled_by as "handledBy", h.handled_at as "handledAt", h.returned::text, h.state as "returnState",
    h.hash as "returnHash", h.sought as "isSought", h.refused,
    coalesce(s.transaction_id, (
      select t.transaction_id from transactions t where t.challenge_id = s.challenge_id limit 1
    )) as "transactionId"`
  const rows = sql`
    settlements s
    left join booked_transfers b on b.transfer_id = s.transfer_id and b.kind = 'payment'
    left join handled_transfers h on h.transfer_id = s.transfer_id and s.status in ('ignored', 'returned')`
  return {
    /** Money that settles nothing, the newest first, after a row of the list. */
    unmatched(
      accountId: string,
      filter: UnmatchedFilter,
      limit: number,
      after?: { readonly at: string; readonly transferId: string },
    ): Promise<UnmatchedRow[]> {
      const further = after ? sql`and (s.at, s.transfer_id) < (${after.at}, ${after.transferId})` : sql``
      return sql<UnmatchedRow[]>`
        select ${columns} from ${rows} where ${passing(sql, accountId, filter)} ${further}
        order by s.at desc, s.transfer_id desc limit ${limit}`
    },
    /** One of them; undefined where there is none that may be seen. */
    async unmatchedTransfer(
      accountId: string,
      transferId: string,
      stores: readonly number[] | undefined,
    ): Promise<UnmatchedRow | undefined> {
      const [row] = await sql<UnmatchedRow[]>`
        select ${columns} from ${rows} where ${passing(sql, accountId, { stores })} and s.transfer_id = ${transferId}`
      return row
    },
    /** Payments in the coin of that money which still wait; with `stores` only those of these stores. */
    async waitingFor(
      accountId: string,
      { network, coin, minedAt, named }: MoneyPlace,
      stores: readonly number[] | undefined,
    ): Promise<WaitingPayment[]> {
      const namedOrNone: string[] = named.length > 0 ? [...named] : ['']
      const mined = Date.parse(minedAt)
      const [from, to] = [mined - LOOK_BACK_MS, mined + SLACK_MS].map((time) => new Date(time).toISOString())
      const found = await sql<(Omit<WaitingPayment, 'asked' | 'came'> & { asked: string; came: string })[]>`
        select c.challenge_id as "challengeId", t.transaction_id as "transactionId", t.title, c.pay_to as "payTo",
          c.opened_at as "openedAt", c.expires_at as "expiresAt", c.amount::text as asked, parts.came::text,
          coalesce(parts.payers, '{}') as payers, coalesce(t.hash, '') as hash
        from (
          select * from challenges where challenge_id in ${sql(namedOrNone)} and account_id = ${accountId}
          union
          (select * from challenges
            where account_id = ${accountId} and asset = ${coin} and network = ${network} and not test
              and opened_at >= ${from ?? ''} and opened_at <= ${to ?? ''}
            order by opened_at desc limit ${LOOKED_AT_MAX})
        ) c
        left join lateral (
          select * from transactions where transaction_id = coalesce(
            (select transaction_id from transactions where challenge_id = c.challenge_id limit 1),
            (select transaction_id from payment_requests where request_id = c.request_id))
        ) t on true
        cross join lateral (
          select coalesce(sum(paid), 0) as came, array_agg(payer) filter (where payer is not null) as payers
          from settlements where challenge_id = c.challenge_id and status = 'underpaid'
        ) parts
        where c.status in ('open', 'pending', 'underpaid') and (t.status is null or t.status <> 'C') and t.deleted_at is null
          and ${
            stores === undefined
              ? sql`true`
              : stores.length === 0
                ? sql`false`
                : sql`coalesce(t.store_id, (select store_id from resources where res_id = c.res_id)) in ${sql(stores)}`
          }`
      return found.map((row) => ({ ...row, asked: BigInt(row.asked), came: BigInt(row.came) }))
    },
    /** Returns that the clock looks for on their chains, in the order of the ids of what they send back. */
    soughtReturns: (
      after: string,
      limit: number,
    ): Promise<{ transferId: string; accountId: string; hash: string; namedAt: string }[]> => sql`
      select transfer_id as "transferId", account_id as "accountId", hash, named_at as "namedAt"
      from handled_transfers where sought and transfer_id > ${after} order by transfer_id limit ${limit}`,
  }
}

type MoneyPlace = {
  readonly network: string
  readonly coin: string
  readonly minedAt: string
  readonly named: readonly string[]
}

const passing = (sql: Sql, accountId: string, filter: UnmatchedFilter): Fragment => {
  const { state, reason, asset, from, to, search, stores } = filter
  const statuses = reason ? [reason] : state ? STATUSES[state] : Object.values(STATUSES).flat()
  const isEmpty = reason !== undefined && state !== undefined && state !== 'open'
  const part = search?.toLowerCase()
  return sql`s.account_id = ${accountId} and not s.test and s.status in ${sql([...statuses])}
    and ${isEmpty ? sql`false` : sql`true`}
    and ${asset === undefined ? sql`true` : sql`s.asset = ${asset}`}
    and ${from === undefined ? sql`true` : sql`s.at >= ${from}`} and ${to === undefined ? sql`true` : sql`s.at <= ${to}`}
    and ${
      part === undefined
        ? sql`true`
        : sql`strpos(lower(concat_ws(' ', s.transfer_id, s.hash, s.payer, s.challenge_id, s.transaction_id)), ${part}) > 0`
    }
    and ${seenIn(sql, stores)}`
}

/**
 * Whether money may be seen by who is limited to some stores: what was meant for a payment there, and what nobody asked
 * for where all that it may be meant for is there. Addresses belong to the account.
 */
export const seenIn = (sql: Sql, stores: readonly number[] | undefined): Fragment => {
  if (stores === undefined) return sql`true`
  if (stores.length === 0) return sql`false`
  return sql`case
    when s.challenge_id is not null then s.store_id in ${sql(stores)}
    else s.candidates is not null and not exists (
      select from json_array_elements_text(s.candidates) as candidate where not exists (
        select from challenges c
          left join transactions t on t.challenge_id = c.challenge_id
          left join payment_requests p on p.request_id = c.request_id
          left join resources r on r.res_id = c.res_id
        where c.challenge_id = candidate and coalesce(t.store_id, p.store_id, r.store_id) in ${sql(stores)}))
  end`
}
