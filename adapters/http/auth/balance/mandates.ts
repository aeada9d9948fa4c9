import { z } from 'zod'
import type { Mandate } from '../../../../domain/balance/mandate.ts'
import { isAutomatic, nextAllowedAt, remainingCap } from '../../../../domain/balance/standing-order.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import {
  createMandate,
  debitMandate,
  type MandateWish,
  mandateNow,
  mandateOf,
  revokeMandate,
  tryDebit,
} from '../../../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import { endpoint } from '../../core/endpoint.ts'
import {
  Amount,
  AppState,
  Description,
  Duplicate,
  duplicateOf,
  Id,
  OFTEN,
  Reference,
  usdNumber,
  usdUnits,
} from './fields.ts'
import { ownUri } from './way-back.ts'

/** What an app reads of a standing order (N-53, N-54): its terms, how far it has come, and when what happens. */

const MANDATE_STATES = ['pending', 'approved', 'declined', 'revoked', 'expired', 'exhausted'] as const

const MandateRecord = z.object({
  mandate_id: z.string(),
  state: z.enum(MANDATE_STATES),
  mode: z.enum(['adhoc', 'scheduled']),
  per_debit_cap: z.number(),
  lifetime_cap: z.number(),
  cooldown: z.enum(['monthly', 'weekly', 'none']),
  sched_amount: z.number().nullable(),
  sched_interval: z.enum(['monthly', 'weekly']).nullable(),
  /** Whether Daybook debits it by itself; otherwise the app does. */
  auto: z.boolean(),
  description: z.string(),
  spent: z.number(),
  remaining_cap: z.number(),
  last_debit_at: z.string().nullable(),
  next_allowed_at: z.string().nullable(),
  next_debit_at: z.string().nullable(),
  created_at: z.string().nullable(),
  approved_at: z.string().nullable(),
  valid_until: z.string().nullable(),
  /** Time until which the order can be approved or, once it is approved, debited. */
  expires_at: z.string(),
  ended_at: z.string().nullable(),
})

/** Refuses `mandate-not-found`, also for a standing order of another app than the one that asks. */
const mandateRecord = async (
  { flow, queries }: { readonly flow: UseCaseContext; readonly queries: Queries },
  mandateId: string,
  clientId: string,
): Promise<z.output<typeof MandateRecord>> => {
  const { mandate, order, state } = await mandateNow(flow, mandateId)
  if (mandate.clientId !== clientId) return refuse('mandate-not-found')
  // An order that debits no more is not kept with the user's balance; the rows know what became of it.
  const row = await queries.mandate(mandateId)
  const { spent = '0', lastDebitAt = null, nextDebitAt = null } = order ?? row ?? {}
  const { approvedAt = null, validUntil = null } = order ?? mandate
  return {
    mandate_id: mandateId,
    state,
    ...mandateTerms(mandate),
    description: await openedText(flow.vault, mandate.description),
    spent: usdNumber(spent),
    remaining_cap: usdNumber(remainingCap({ lifetimeCap: mandate.lifetimeCap, spent })),
    last_debit_at: lastDebitAt,
    next_allowed_at: order ? nextAllowedAt(order) : null,
    next_debit_at: nextDebitAt,
    created_at: row?.createdAt ?? null,
    approved_at: approvedAt,
    valid_until: validUntil,
    expires_at: validUntil ?? mandate.expiresAt,
    ended_at: row?.endedAt ?? null,
  }
}

const mandateTerms = ({ mode, perDebitCap, lifetimeCap, cooldown, schedAmount, schedInterval, ...more }: Mandate) => ({
  mode,
  per_debit_cap: usdNumber(perDebitCap),
  lifetime_cap: usdNumber(lifetimeCap),
  cooldown,
  sched_amount: schedAmount === null ? null : usdNumber(schedAmount),
  sched_interval: schedInterval,
  auto: isAutomatic({ mode, ...more }),
})

/** Standing orders (A-MAN-01 to A-MAN-08): `POST /oauth2?op=mandate&act=…`. */

const common = { method: 'post', path: '/oauth2', takes: { json: true }, limits: OFTEN } as const
const byApp = { ...common, auth: 'client' } as const
const One = z.object({ mandate_id: Id })
const Interval = z.enum(['monthly', 'weekly'])
/** A form holds text only. */
const Flag = z.union([z.boolean(), z.enum(['true', 'false'])])

const Proposal = z.object({
  mode: z.enum(['adhoc', 'scheduled']),
  per_debit_cap: Amount,
  lifetime_cap: Amount,
  cooldown: z.enum(['monthly', 'weekly', 'none']).default('none'),
  sched_amount: orNothing(Amount),
  sched_interval: orNothing(Interval),
  auto: orNothing(Flag).meta({
    description:
      'Who debits a schedule: true for Daybook by itself when it is due, false for the app, which takes sched_amount at ' +
      'most, once in each interval. False unless it is sent.',
  }),
  description: Description,
  idempotency_key: Reference.optional(),
  redirect_uri: z.string().max(2_048),
  state: AppState.default(''),
})

const create = endpoint({
  ...common,
  when: { op: 'mandate', act: 'create' },
  summary: 'Asks a user for a standing order; the user approves it at confirm_url',
  auth: 'bearer',
  callers: { scope: 'balance' },
  waits: 'after',
  body: Proposal,
  returns: z.object({ mandate_id: z.string(), state: z.enum(MANDATE_STATES), confirm_url: z.url() }),
  refusals: ['mandate-terms-invalid', 'amount-invalid', 'redirect-uri-refused', 'idempotency-conflict'],
  async answer({ body, actor: { sub, clientId, app }, flow }) {
    const redirectUri = ownUri(flow, body.redirect_uri, app)
    const { mandateId } = await createMandate(flow, { ...termsOf(body), sub, clientId, redirectUri })
    const { state } = await mandateNow(flow, mandateId)
    return { mandate_id: mandateId, state, confirm_url: `${flow.origins.auth}/standing-orders/${mandateId}/confirm` }
  },
})

const debit = endpoint({
  ...byApp,
  when: { op: 'mandate', act: 'debit' },
  waits: 'after',
  summary: 'Takes a payment within what the user has approved, once per idempotency_key',
  body: One.extend({
    amount: Amount,
    description: Description,
    idempotency_key: Reference,
    /** Asks only whether the debit would be possible; nothing is written. */
    dry_run: z.union([z.literal('1'), z.literal(true)]).optional(),
  }),
  returns: z.union([
    z.object({
      status: z.literal('completed'),
      ledger_ref: z.string(),
      remaining_cap: z.number(),
      duplicate: Duplicate,
    }),
    z.object({ status: z.literal('possible'), remaining_cap: z.number() }),
  ]),
  refusals: [
    ...(['mandate-not-found', 'mandate-not-active', 'mandate-mode-mismatch', 'amount-invalid'] as const),
    ...(['per-debit-cap-exceeded', 'lifetime-cap-exceeded', 'cooldown-active', 'insufficient-balance'] as const),
    ...(['idempotency-conflict', 'account-suspended'] as const),
  ],
  async answer({ body, actor: { clientId }, flow }) {
    const { mandate_id: mandateId, description, idempotency_key: idempotencyKey } = body
    const amount = BigInt(usdUnits(body.amount))
    if (body.dry_run) {
      const left = await tryDebit(flow, { clientId, mandateId, amount })
      return { status: 'possible' as const, remaining_cap: usdNumber(left.remainingCap) }
    }
    const made = await debitMandate(flow, { clientId, mandateId, amount, description, idempotencyKey })
    const answer = { status: 'completed' as const, ledger_ref: made.ledgerRef }
    return { ...answer, remaining_cap: usdNumber(made.remainingCap), ...duplicateOf(made.duplicate) }
  },
})

const status = endpoint({
  ...byApp,
  when: { op: 'mandate', act: 'status' },
  summary: 'How a standing order stands',
  body: One,
  returns: MandateRecord,
  refusals: ['mandate-not-found'],
  async answer({ body: { mandate_id: mandateId }, actor, flow, queries }) {
    return mandateRecord({ flow, queries }, mandateId, actor.clientId)
  },
})

const revoke = endpoint({
  ...byApp,
  when: { op: 'mandate', act: 'revoke' },
  summary: 'Ends a standing order for good, also one that waits for its answer',
  body: One,
  returns: MandateRecord,
  refusals: ['mandate-not-found'],
  async answer({ body: { mandate_id: mandateId }, actor, flow, queries, shows }) {
    if ((await mandateOf(flow, mandateId)).clientId !== actor.clientId) return refuse('mandate-not-found')
    await revokeMandate(flow, mandateId, 'app')
    await shows()
    return mandateRecord({ flow, queries }, mandateId, actor.clientId)
  },
})

const termsOf = (body: z.output<typeof Proposal>): Omit<MandateWish, 'sub' | 'clientId' | 'redirectUri'> => ({
  mode: body.mode,
  cooldown: body.cooldown,
  schedInterval: body.sched_interval ?? null,
  auto: body.auto === undefined ? undefined : String(body.auto) === 'true',
  perDebitCap: BigInt(usdUnits(body.per_debit_cap, 'per_debit_cap')),
  lifetimeCap: BigInt(usdUnits(body.lifetime_cap, 'lifetime_cap')),
  schedAmount: body.sched_amount === undefined ? null : BigInt(usdUnits(body.sched_amount, 'sched_amount')),
  description: body.description,
  appState: body.state,
  idempotencyKey: body.idempotency_key,
})

/** A form cannot leave out a field as JSON can: an empty field, and null, say that there is none. */
function orNothing<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
}

export const mandateEndpoints = [create, debit, status, revoke]
