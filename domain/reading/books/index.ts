import type { EventData, EventType } from '../../write-side/deciders.ts'
import { postedTypes, postingsOf } from '../journal.ts'
import { claimEntriesOf } from './claims.ts'
import { type BookEntry, moved } from './entry.ts'
import { handoverOf, saleEntryOf, saleTypes } from './sales.ts'

/**
 * What every event that moves money says in the books of those whom it concerns: each keeps its own, and all of them
 * together are the common journal (I-SUM-01).
 */

type BookedEvent = { readonly type: string; readonly data: object; readonly stream: string }

/** The entries of an event, at most one in the books of each holder and one in the platform's. */
export const bookEntriesOf = (event: BookedEvent): readonly BookEntry[] => {
  const sale = saleEntryOf(event)
  const handover = handoverOf(event)
  if (sale) return handover ? [sale, handover] : [sale]
  if (isOf(saleTypes, event.type)) return []
  const gas = gasOf(event)
  if (gas) return [gas]
  const postings = postingsOf(event)
  if (postings.length === 0) return []
  const { reason, kind } = event.data as { reason?: string; kind?: string }
  return claimEntriesOf({ type: event.type, reason, kind }, postings)
}

type GasEvent = 'AuthorizationGasSpent' | 'AuthorizationReverted'

/**
 * The gas of a relayed payment, whether it was carried out or in vain: the relayer's wallets were filled from outside.
 */
const gasOf = ({ type, data }: BookedEvent): BookEntry | undefined => {
  if (!isOf(GAS_TYPES, type)) return undefined
  const gasUsd = BigInt((data as EventData<GasEvent>).gasUsd)
  return gasUsd === 0n
    ? undefined
    : { view: 'platform', kind: 'gas', postings: moved('equity:relayer', 'expenses:gas', 'USD', gasUsd) }
}

const GAS_TYPES: readonly GasEvent[] = ['AuthorizationGasSpent', 'AuthorizationReverted']

const isOf = (types: readonly string[], type: string): boolean => types.includes(type)

/** The types of events that stand in anybody's books. */
export const bookedTypes = [...new Set([...postedTypes, ...saleTypes, ...GAS_TYPES])] as readonly EventType[]
