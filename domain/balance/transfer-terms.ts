import type { Units } from '../kernel/money.ts'
import type { SealedText, World } from '../kernel/ports.ts'

/**
 * Money moves by one event in the stream of whoever pays: that event is the transfer, and the moment it is in the log
 * the money has moved. Each payee's stream gets its part from an ordered reactor (`carry-transfers`), once. Amounts are
 * millionths of a US dollar.
 */

/** Who can be paid: `user:<sub>` or `app:<client id>`. */
export type AccountRef = `user:${string}` | `app:${string}`

export type Leg = { readonly to: AccountRef; readonly amount: Units }

/** What a transfer is made for. The words stand in histories, exports and receipts. */
export type TransferKind = 'intent' | 'standing-order' | 'credit-push' | 'refund' | 'top-up' | 'grant'

/** What every event that sends money holds. */
export type SentTransfer = {
  /** Namespaced by what it is made for, so that two payers never use one: `intent:pi_…`, `push:app_…:<ref>`. */
  transferId: string
  /** The name that people and receipts know it by (`oidcpay-…`); made from `transferId`. */
  ledgerRef: string
  kind: TransferKind
  total: Units
  /** The parts of the payees. They sum to `total`; no account stands twice. */
  legs: readonly Leg[]
  /** The app that asked for it; null for the operator. */
  clientId: string | null
  /** Keyed digest of what was asked: the same transfer asked for with other terms is refused. */
  request: string
  /** The text for the user's history, sealed under the user's key. */
  description: SealedText | null
} & TransferOrigin

/** The intent, mandate or top-up that it was made from, where there is one. */
type TransferOrigin = { intentId?: string; mandateId?: string; topUpId?: string }

/** What a payee's event holds: its part, and the place in the ledger's order of the event that it answers. */
export type ReceivedPart = {
  transferId: string
  ledgerRef: string
  kind: TransferKind
  amount: Units
  from: AccountRef | 'platform'
  clientId: string | null
  description: SealedText | null
  source: string
  position: string
} & TransferOrigin

const PREFIXES: Readonly<Record<TransferKind, string>> = {
  intent: 'oidcpay',
  'standing-order': 'oidcso',
  'credit-push': 'oidcpush',
  refund: 'oidcref',
  'top-up': 'oidctop',
  grant: 'oidcgrant',
}
const REF_CHARACTERS = 20

/** The name of a transfer outside Daybook: always the same for the same transfer. */
export const ledgerRefOf = (world: Pick<World, 'idFrom'>, kind: TransferKind, transferId: string): string =>
  `${PREFIXES[kind]}-${world.idFrom('', transferId).slice(1, REF_CHARACTERS + 1)}`

export const userRef = (sub: string): AccountRef => `user:${sub}`
export const appRef = (clientId: string): AccountRef => `app:${clientId}`

/** The kind of an account and the id of its stream. */
export const accountOf = (ref: AccountRef): { kind: 'user' | 'app'; id: string } => {
  const at = ref.indexOf(':')
  return { kind: ref.slice(0, at) as 'user' | 'app', id: ref.slice(at + 1) }
}
