import type { FaultReason } from '../../../adapters/ap2/fault.ts'
import type { MandateCheck } from '../../../adapters/ap2/verify-mandate.ts'

/** A mandate that must not be taken, and why; `check` is what the seller or its session has differently. */
export type Row = readonly [what: string, token: string, reason: FaultReason, check?: Partial<MandateCheck>]
