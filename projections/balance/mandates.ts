import type { Sql } from 'postgres'
import { isAutomatic } from '../../domain/balance/standing-order.ts'
import type { Interval } from '../../domain/kernel/calendar.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, plus, put, type Table } from '../engine/projection.ts'

/** Mandates and the standing orders that they become, as their users and apps see them (A-MAN-04, N-53). */

const mandates = {
  name: 'mandates',
  columns: {
    mandate_id: 'text',
    sub: 'text',
    client_id: 'text',
    mode: 'text',
    per_debit_cap: 'numeric',
    lifetime_cap: 'numeric',
    cooldown: 'text',
    sched_amount: 'numeric',
    sched_interval: 'text',
    auto: 'boolean',
    description: 'text',
    redirect_uri: 'text',
    app_state: 'text',
    status: 'text',
    spent: 'numeric',
    created_at: 'text',
    expires_at: 'text',
    approved_at: 'text',
    valid_until: 'text',
    ended_at: 'text',
    ended_by: 'text',
    last_debit_at: 'text',
    next_debit_at: 'text',
  },
  key: ['mandate_id'],
  indexes: ['sub, created_at desc, mandate_id', 'client_id, created_at desc, mandate_id', 'next_debit_at'],
} as const satisfies Table

export const mandatesProjection: Projection = {
  name: 'mandates',
  version: 2,
  tables: [mandates],
  on: {
    MandateCreated: ({ stream, at, data }) =>
      put(mandates, {
        mandate_id: idOf(stream),
        sub: data.sub,
        client_id: data.clientId,
        mode: data.mode,
        per_debit_cap: data.perDebitCap,
        lifetime_cap: data.lifetimeCap,
        cooldown: data.cooldown,
        sched_amount: data.schedAmount,
        sched_interval: data.schedInterval,
        auto: data.auto ?? true,
        description: data.description,
        redirect_uri: data.redirectUri,
        app_state: data.appState,
        status: 'pending',
        spent: '0',
        created_at: at,
        expires_at: data.expiresAt,
        approved_at: null,
        valid_until: null,
        ended_at: null,
        ended_by: null,
        last_debit_at: null,
        next_debit_at: null,
      }),
    StandingOrderActivated: ({ data: { mandateId, mode, auto = true, approvedAt, validUntil } }) =>
      patch(mandates, [mandateId], () => ({
        status: 'approved',
        approved_at: approvedAt,
        valid_until: validUntil,
        next_debit_at: isAutomatic({ mode, auto }) ? approvedAt : null,
      })),
    StandingOrderEnded: ({ data: { mandateId, by, endedAt } }) =>
      patch(mandates, [mandateId], () => ({
        status: 'revoked',
        ended_at: endedAt,
        ended_by: by,
        next_debit_at: null,
      })),
    StandingOrderForbidden: ({ data: { mandateId, by, endedAt } }) =>
      patch(mandates, [mandateId], () => ({
        status: by === 'user' ? 'declined' : 'revoked',
        ended_at: endedAt,
        ended_by: by,
      })),
    StandingOrderDebitMissed: ({ data: { mandateId, nextDebitAt } }) =>
      patch(mandates, [mandateId], () => ({ next_debit_at: nextDebitAt })),
    BalanceSent: ({ data: { order, total } }) =>
      order
        ? patch(mandates, [order.mandateId], ({ spent }) => ({
            spent: plus(spent, total),
            last_debit_at: order.at,
            next_debit_at: order.nextDebitAt,
          }))
        : [],
  },
}

/** Amounts are millionths of a US dollar. `mandateStateAt` tells the state at a time. */
export type MandateRow = {
  mandateId: string
  sub: string
  clientId: string
  mode: 'adhoc' | 'scheduled'
  perDebitCap: string
  lifetimeCap: string
  cooldown: Interval | 'none'
  schedAmount: string | null
  schedInterval: Interval | null
  /** Whether Daybook debits a schedule by itself. */
  auto: boolean
  /** The description, sealed. */
  description: string
  redirectUri: string
  appState: string
  status: 'pending' | 'approved' | 'declined' | 'revoked'
  spent: string
  createdAt: string
  expiresAt: string
  approvedAt: string | null
  validUntil: string | null
  endedAt: string | null
  endedBy: 'user' | 'app' | null
  lastDebitAt: string | null
  nextDebitAt: string | null
}

export const mandateQueries = (sql: Sql) => {
  const columns = sql`
    mandate_id as "mandateId", sub, client_id as "clientId", mode, per_debit_cap::text as "perDebitCap", lifetime_cap::text as "lifetimeCap",
    cooldown, sched_amount::text as "schedAmount", sched_interval as "schedInterval", auto, description, redirect_uri as "redirectUri",
    app_state as "appState", status, spent::text, created_at as "createdAt", expires_at as "expiresAt", approved_at as "approvedAt",
    valid_until as "validUntil", ended_at as "endedAt", ended_by as "endedBy", last_debit_at as "lastDebitAt", next_debit_at as "nextDebitAt"`
  return {
    async mandate(mandateId: string): Promise<MandateRow | undefined> {
      const [row] = await sql<MandateRow[]>`select ${columns} from mandates where mandate_id = ${mandateId}`
      return row
    },
    /** The mandates that a user has approved, ended ones too, the newest first. */
    standingOrdersOf: (sub: string, limit: number): Promise<MandateRow[]> => sql<MandateRow[]>`
      select ${columns} from mandates where sub = ${sub} and approved_at is not null
      order by created_at desc, mandate_id limit ${limit}`,
    /** The mandates of an app, newest first. */
    mandatesOfApp: (clientId: string, limit: number): Promise<MandateRow[]> => sql<MandateRow[]>`
      select ${columns} from mandates where client_id = ${clientId} order by created_at desc, mandate_id limit ${limit}`,
    /** Schedules that are to debit by now, the one that has waited longest first. */
    standingOrdersDue: (now: string, limit: number): Promise<{ mandateId: string; sub: string }[]> => sql<
      { mandateId: string; sub: string }[]
    >`
      select mandate_id as "mandateId", sub from mandates where next_debit_at <= ${now} and valid_until > ${now}
      order by next_debit_at, mandate_id limit ${limit}`,
  }
}
