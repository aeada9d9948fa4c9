import { type AccountRef, accountOf, ledgerRefOf, userRef } from '../../balance/transfer-terms.ts'
import { ownEntry } from '../../kernel/plain-data.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { intentOf } from './intent.ts'
import { type TransferResult, transferOnce } from './transfer.ts'

/** Credit that apps give to users from their prepaid credit, and that the operator gives to users and apps. */

/**
 * Credits a user from the app's prepaid credit, once per `ref` (A-CRP-01 to A-CRP-03, I-BAL-02). Refuses
 * `amount-not-positive`, `app-credit-insufficient`, `ref-conflict`.
 */
export const pushCredit = async (
  flow: UseCaseContext,
  wish: { clientId: string; sub: string; amount: bigint; description: string; ref: string },
): Promise<TransferResult> => {
  const { clientId, sub, amount, description, ref } = wish
  if (amount <= 0n) return refuse('amount-not-positive')
  const total = String(amount)
  return fromCredit(flow, {
    clientId,
    sub,
    total,
    kind: 'credit-push',
    transferId: `push:${clientId}:${ref}`,
    terms: [sub, total, description],
    description: await flow.vault.seal(sub, description),
  })
}

/**
 * Gives back a completed payment from the app's credit, in full or in part, once per `ref`; without an amount, all that
 * is left of it. Refuses `intent-not-found`, `intent-not-completed`, `refund-too-high`, `app-credit-insufficient`,
 * `ref-conflict`.
 */
export const refundIntent = async (
  flow: UseCaseContext,
  { clientId, intentId, amount, ref }: { clientId: string; intentId: string; amount?: bigint; ref: string },
): Promise<TransferResult & { amount: bigint }> => {
  const { ledger } = flow
  const { sub, status, description, refunds, amount: paid } = await intentOf(flow, clientId, intentId)
  if (status !== 'completed') return refuse('intent-not-completed')
  const left = Object.values(refunds).reduce((rest, each) => rest - BigInt(each), BigInt(paid))
  const same = ownEntry(refunds, ref)
  const asked = amount ?? (same === undefined ? left : BigInt(same))
  if (asked === 0n && amount === undefined) return refuse('refund-too-high', 'all of it was given back')
  // A refund is noted only when the app's credit covers it: once noted it counts, whatever becomes of it.
  if (same === undefined && asked <= left && (await ledger.appCredit.read(clientId)).balance < asked)
    return refuse('app-credit-insufficient')
  const total = String(asked)
  await ledger.intent.refund(intentId, { ref, amount: total })
  const made = await fromCredit(flow, {
    clientId,
    sub,
    total,
    kind: 'refund',
    transferId: `refund:${intentId}:${ref}`,
    intentId,
    terms: [total],
    description,
  })
  return { ...made, amount: asked }
}

/**
 * Gives credit from the operator to a user or an app, once per id. Refuses `amount-not-positive`, `not-found`,
 * `idempotency-conflict`.
 */
export const grantCredit = async (
  { ledger, world, vault }: Pick<UseCaseContext, 'ledger' | 'world' | 'vault'>,
  { to, amount, id, note }: { to: AccountRef; amount: bigint; id?: string; note: string },
): Promise<TransferResult> => {
  const account = accountOf(to)
  const { status } = await (account.kind === 'user' ? ledger.user : ledger.clientApp).read(account.id)
  if (status === 'none' || status === 'erased' || status === 'disabled')
    return refuse('not-found', `there is no ${account.kind} ${account.id}`)
  const grantId = id ?? world.id('grant')
  const transferId = `grant:${grantId}`
  const ledgerRef = ledgerRefOf(world, 'grant', transferId)
  const total = String(amount)
  const { events } = await ledger.creditGrant.send(grantId, {
    transferId,
    ledgerRef,
    kind: 'grant',
    total,
    legs: [{ to, amount: total }],
    clientId: null,
    request: vault.fingerprint('transfer', JSON.stringify([to, total, note])),
    description: await vault.seal(account.id, note),
  })
  return { ledgerRef, duplicate: events.length === 0 }
}

type CreditTransfer = {
  clientId: string
  sub: string
  total: string
  kind: 'credit-push' | 'refund'
  transferId: string
  terms: readonly string[]
  description: string
  intentId?: string
}

const fromCredit = (
  flow: UseCaseContext,
  { sub, total, transferId, kind, terms, ...rest }: CreditTransfer,
): Promise<TransferResult> => {
  const { appCredit } = flow.ledger
  const { clientId } = rest
  return transferOnce(
    flow,
    { transferId, kind, terms, conflict: 'ref-conflict' },
    {
      read: () => appCredit.read(clientId),
      recent: () => appCredit.recent(clientId),
      send: (named) =>
        appCredit.send(clientId, { ...named, ...rest, total, legs: [{ to: userRef(sub), amount: total }] }),
    },
  )
}
