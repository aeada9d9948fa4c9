import { z } from 'zod'
import type { Mandate } from '../../../../domain/balance/mandate.ts'
import { nextAllowedAt, remainingCap } from '../../../../domain/balance/standing-order.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { mandateNow } from '../../../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import { usdNumber } from './fields.ts'

/** What an app reads of a standing order (N-53, N-54): its terms, how far it has come, and when what happens. */

export const MANDATE_STATES = ['pending', 'approved', 'declined', 'revoked', 'expired', 'exhausted'] as const

export const MandateRecord = z.object({
  mandate_id: z.string(),
  state: z.enum(MANDATE_STATES),
  mode: z.enum(['adhoc', 'scheduled']),
  per_debit_cap: z.number(),
  lifetime_cap: z.number(),
  cooldown: z.enum(['monthly', 'weekly', 'none']),
  sched_amount: z.number().nullable(),
  sched_interval: z.enum(['monthly', 'weekly']).nullable(),
  description: z.string(),
  spent: z.number(),
  remaining_cap: z.number(),
  last_debit_at: z.string().nullable(),
  next_allowed_at: z.string().nullable(),
  next_debit_at: z.string().nullable(),
  created_at: z.string().nullable(),
  approved_at: z.string().nullable(),
  valid_until: z.string().nullable(),
  /** Until then it can be approved, and once it is approved, debited. */
  expires_at: z.string(),
  ended_at: z.string().nullable(),
})

/** Refuses `mandate-not-found`, also of another app than the one that asks. */
export const mandateRecord = async (
  { flow, queries }: { readonly flow: UseCaseContext; readonly queries: Queries },
  mandateId: string,
  clientId: string,
): Promise<z.output<typeof MandateRecord>> => {
  const { mandate, order, state } = await mandateNow(flow, mandateId)
  if (mandate.clientId !== clientId) return refuse('mandate-not-found')
  // One that debits no more is not kept where it debited; the rows know what became of it.
  const row = await queries.mandate(mandateId)
  const { spent = '0', lastDebitAt = null, nextDebitAt = null } = order ?? row ?? {}
  const { approvedAt = null, validUntil = null } = order ?? mandate
  return {
    mandate_id: mandateId,
    state,
    ...termsOf(mandate),
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

const termsOf = ({ mode, perDebitCap, lifetimeCap, cooldown, schedAmount, schedInterval }: Mandate) => ({
  mode,
  per_debit_cap: usdNumber(perDebitCap),
  lifetime_cap: usdNumber(lifetimeCap),
  cooldown,
  sched_amount: schedAmount === null ? null : usdNumber(schedAmount),
  sched_interval: schedInterval,
})
