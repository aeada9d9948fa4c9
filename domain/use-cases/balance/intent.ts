import { type Intent, intentStatusAt } from '../../balance/intent.ts'
import { appRef } from '../../balance/transfer-terms.ts'
import { addMinutes } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { onceOf } from '../once.ts'
import { mustPay } from '../suspended-user.ts'
import { type TransferResult, transferOnce } from './transfer.ts'

export type IntentWish = {
  sub: string
  clientId: string
  /** Millionths of a US dollar. */
  amount: bigint
  description: string
  redirectUri: string
  /** The app's own `state`. */
  appState: string
  idempotencyKey: string | undefined
}

/** How long an intent waits to be confirmed, and how long its code can be used. */
const PENDING_MINUTES = 30
const CODE_MINUTES = 10

/**
 * Creates a payment that an app asks for (A-INT-01, A-INT-02); the same idempotency key gives the same one. Refuses
 * `amount-not-positive`, `idempotency-conflict`.
 */
export const createIntent = async (
  flow: UseCaseContext,
  wish: IntentWish,
): Promise<{ intentId: string; intent: Intent }> => {
  const { ledger, world, vault } = flow
  const { amount, description, idempotencyKey: key, ...rest } = wish
  if (amount <= 0n) return refuse('amount-not-positive')
  const terms = { ...rest, amount: String(amount), currency: 'USD' as const }
  const body = { ...terms, description }
  const once = onceOf(
    flow,
    key === undefined ? undefined : { accountId: wish.clientId, operation: 'intent', key, body },
  )
  const intentId = once.id('pi')
  const intent = await once.make<Intent>(
    () => ledger.intent.read(intentId),
    async () => {
      const expiresAt = addMinutes(world.now().toISOString(), PENDING_MINUTES)
      const sealed = await vault.seal(wish.sub, description)
      return alive(
        (await ledger.intent.create(intentId, { ...terms, description: sealed, expiresAt, ...once.mark })).state,
      )
    },
  )
  return { intentId, intent }
}

/**
 * Confirms an intent for its user after fresh MFA (A-INT-03): from now on its code completes it. Refuses
 * `intent-not-found`, `intent-expired`, `intent-declined`, `state-forbids`.
 */
export const confirmIntent = async (
  flow: UseCaseContext,
  intentId: string,
  { amr }: { amr: readonly string[] },
): Promise<{ code: string }> => {
  const { ledger, world } = flow
  const code = codeOf(flow, intentId)
  const codeExpiresAt = addMinutes(world.now().toISOString(), CODE_MINUTES)
  await ledger.intent.confirm(intentId, { codeHash: world.digest(code), codeExpiresAt, amr })
  return { code }
}

/**
 * The code that completes a confirmed intent: 256 bits that nobody can guess, and the same code when the user is sent
 * back to the app twice.
 */
export const codeOf = ({ vault }: Pick<UseCaseContext, 'vault'>, intentId: string): string =>
  vault.fingerprint('intent-code', intentId)

/** Refuses `intent-not-found`, `intent-expired`, `state-forbids` when it was confirmed. */
export const declineIntent = async ({ ledger }: UseCaseContext, intentId: string): Promise<void> => {
  await ledger.intent.decline(intentId, {})
}

/**
 * Takes the frozen amount from the user, once (A-INT-04 to A-INT-06, I-BAL-01). A completed intent always gives the
 * same answer again. Refuses `intent-not-found` (also of another app), `intent-not-confirmed`, `intent-declined`,
 * `intent-code-wrong`, `intent-expired`, `insufficient-balance`, `account-suspended`.
 */
export const completeIntent = async (
  flow: UseCaseContext,
  { clientId, intentId, code }: { clientId: string; intentId: string; code: string },
): Promise<TransferResult> => {
  const { ledger, world } = flow
  const intent = await intentOf(flow, clientId, intentId)
  if (intent.status === 'declined') return refuse('intent-declined')
  if (intent.codeHash === undefined)
    return refuse(isOver(intent, world.now()) ? 'intent-expired' : 'intent-not-confirmed')
  if (world.digest(code) !== intent.codeHash) return refuse('intent-code-wrong')
  const { sub, amount, description, codeExpiresAt = '' } = intent
  if (intent.ledgerRef !== undefined) return { ledgerRef: intent.ledgerRef, duplicate: true }
  const transferId = `intent:${intentId}`
  return transferOnce(
    flow,
    { transferId, kind: 'intent', terms: [amount] },
    {
      read: () => ledger.userBalance.read(sub),
      recent: () => ledger.userBalance.recent(sub),
      async send(named) {
        await mustPay({ ledger }, sub)
        return await ledger.userBalance.send(sub, {
          ...named,
          total: amount,
          legs: [{ to: appRef(clientId), amount }],
          clientId,
          description,
          intentId,
          until: codeExpiresAt,
        })
      },
    },
  )
}

/** An app's own intent. Refuses `intent-not-found`. */
export const intentOf = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  clientId: string,
  intentId: string,
): Promise<Intent> => {
  const intent = await ledger.intent.read(intentId)
  return intent.status === 'none' || intent.clientId !== clientId ? refuse('intent-not-found') : intent
}

const isOver = (intent: Intent, now: Date) => intentStatusAt(intent, now.toISOString()) === 'expired'

const alive = (intent: { status: 'none' } | Intent): Intent =>
  intent.status === 'none' ? refuse('intent-not-found') : intent
