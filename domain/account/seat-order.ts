import type { KeptKey } from './api-key.ts'
import type { GrantsChange, SubagentGrants } from './team.ts'

/**
 * What was paid for with a seat: a new sub-key, or a dearer role for one. It stands in the payment, so that a crash
 * between the two loses nothing.
 */
export type SeatOrder =
  | ({ readonly id: string; readonly kind: 'create' } & KeptKey & SubagentGrants)
  | ({ readonly id: string; readonly kind: 'change'; readonly number: number } & GrantsChange)
