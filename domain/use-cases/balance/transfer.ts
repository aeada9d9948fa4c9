import type { Purse } from '../../balance/purse.ts'
import { ledgerRefOf, type TransferKind } from '../../balance/transfer-terms.ts'
import type { Units } from '../../kernel/money.ts'
import { isRefusal, type PlainRefusalCode, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

export type TransferResult = {
  ledgerRef: string
  /** The transfer was made before, and this is its result. */
  duplicate: boolean
  /** What is left of a standing order's lifetime cap after it, in millionths of a US dollar. */
  remainingCap?: Units
}

type Wish = {
  transferId: string
  kind: TransferKind
  /** What the app asked for. The same transfer asked for with other terms is refused with `conflict`. */
  terms: readonly string[]
  conflict?: PlainRefusalCode
}

/** The stream of the payer. */
type Payer = {
  read(): Promise<Purse>
  /** The payer as this process knows it, perhaps some time old: that is enough, and mostly read from memory. */
  recent(): Promise<Purse>
  send(sending: TransferIdentity & { known: number }): Promise<{ state: Purse; events: readonly unknown[] }>
}
type TransferIdentity = { transferId: string; ledgerRef: string; kind: TransferKind; request: string }

/** Times that a transfer is looked for, when the payer's stream has forgotten some transfers meanwhile. */
const ATTEMPTS_MAX = 5

/**
 * Makes a transfer once (X-IDEM-02). The payer's stream remembers a transfer until its ledger entry stands. The entry
 * is read after the payer's count of sent transfers: so one of the two knows an earlier transfer, or the payer has
 * forgotten some since, and then both are read again.
 */
export const transferOnce = async (
  { ledger, world, vault }: UseCaseContext,
  { transferId, kind, terms, conflict = 'idempotency-conflict' }: Wish,
  payer: Payer,
): Promise<TransferResult> => {
  const ledgerRef = ledgerRefOf(world, kind, transferId)
  const request = vault.fingerprint('transfer', JSON.stringify(terms))
  for (let attempt = 1; ; attempt++) {
    const purse = await (attempt === 1 ? payer.recent() : payer.read())
    const before = purse.unbooked[transferId] ?? (await entry({ ledger }, ledgerRef))
    if (before) return before.request === request ? answer(ledgerRef, true, before) : refuse(conflict, CONFLICT)
    try {
      const { state, events } = await payer.send({ transferId, ledgerRef, kind, request, known: purse.sent })
      return answer(ledgerRef, events.length === 0, state.unbooked[transferId])
    } catch (error) {
      if (isRefusal(error, 'idempotency-conflict')) return refuse(conflict, CONFLICT)
      if (!isRefusal(error, 'busy') || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

const CONFLICT = 'this was asked for before, with other terms'

const entry = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, ledgerRef: string) => {
  const found = await ledger.ledgerEntry.read(ledgerRef)
  return found.status === 'none' ? undefined : found
}

const answer = (ledgerRef: string, duplicate: boolean, made: { remainingCap?: Units } | undefined): TransferResult => ({
  ledgerRef,
  duplicate,
  ...(made?.remainingCap !== undefined && { remainingCap: made.remainingCap }),
})
