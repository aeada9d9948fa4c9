import type { OpenSet } from '../../../selling/challenge-state.ts'
import { asRequested, isCurrent } from '../../../selling/request-end.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/**
 * A set of challenges with the end that its request gives it: a request may be withdrawn, or be given another price,
 * while its challenges are open. `recent` is what this process knows, for pages and offers; what books money reads.
 */
export const requestedSet = async <S extends Pick<OpenSet, 'expiresAt' | 'paymentRequest' | 'shut'>>(
  ledger: Ledger,
  set: S,
  how: 'read' | 'recent' = 'read',
): Promise<S> =>
  set.paymentRequest === undefined
    ? set
    : asRequested(set, await ledger.paymentRequest[how](set.paymentRequest.requestId))

/**
 * Whether a set may be handed out, as far as this process knows: its request takes payments, and at that price. A set
 * that was opened for an old price is still taken for a moment, and shown to nobody else.
 */
export const asksWhatItsRequestAsks = async (ledger: Ledger, set: Pick<OpenSet, 'paymentRequest'>): Promise<boolean> =>
  set.paymentRequest === undefined || isCurrent(set, await ledger.paymentRequest.recent(set.paymentRequest.requestId))
