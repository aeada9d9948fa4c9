import { z } from 'zod'
import { type Intent, intentStatusAt } from '../../../../domain/balance/intent.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refundIntent } from '../../../../domain/use-cases/balance/credit.ts'
import { completeIntent, createIntent, declineIntent, intentOf } from '../../../../domain/use-cases/balance/intent.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'
import {
  Amount,
  AppState,
  Description,
  Duplicate,
  duplicateOf,
  Id,
  OFTEN,
  onlyUsd,
  Reference,
  usdNumber,
  usdUnits,
} from './fields.ts'
import { mustHaveSecret } from './own-client.ts'
import { ownUri } from './way-back.ts'

/** Payments that an app wants from a user's balance (A-INT-01 to A-INT-06): `POST /oauth2?op=intent&act=…`. */

const common = { method: 'post', path: '/oauth2', takes: { json: true }, limits: OFTEN } as const
const byApp = { ...common, auth: 'client', waits: 'after' } as const
const One = z.object({ intent_id: Id })
const STATES = ['pending', 'confirmed', 'completed', 'declined', 'expired'] as const

const create = endpoint({
  ...common,
  when: { op: 'intent', act: 'create' },
  summary: 'Asks a user for a payment from the balance; the user confirms it at confirm_url',
  auth: 'bearer',
  callers: { scope: 'balance' },
  waits: 'after',
  body: z.object({
    client_id: z.string().max(100).optional(),
    client_secret: z.string().max(200),
    amount: Amount,
    currency: z.string().max(10),
    description: Description,
    idempotency_key: Reference.optional(),
    state: AppState.default(''),
    redirect_uri: z.string().max(2_048),
  }),
  returns: z.object({ intent_id: z.string(), state: z.enum(STATES), confirm_url: z.url() }),
  refusals: [
    ...(['client-unknown', 'amount-invalid', 'currency-unsupported', 'redirect-uri-refused'] as const),
    'idempotency-conflict',
  ],
  async answer({ body, actor, flow }) {
    await mustHaveSecret({ flow, actor }, body)
    onlyUsd(body.currency)
    const { intentId, intent } = await createIntent(flow, {
      sub: actor.sub,
      clientId: actor.clientId,
      amount: BigInt(usdUnits(body.amount)),
      description: body.description,
      appState: body.state,
      idempotencyKey: body.idempotency_key,
      redirectUri: ownUri(flow, body.redirect_uri, actor.app),
    })
    const state = intentStatusAt(intent, flow.world.now().toISOString())
    return { intent_id: intentId, state, confirm_url: `${flow.origins.auth}/confirm/${intentId}` }
  },
})

const complete = endpoint({
  ...byApp,
  when: { op: 'intent', act: 'complete' },
  summary: 'Takes the frozen amount, once; asked again it answers what came of it',
  body: One.extend({ code: z.string().max(200) }),
  returns: z.object({ status: z.literal('completed'), ledger_ref: z.string(), duplicate: Duplicate }),
  refusals: [
    ...(['intent-not-found', 'intent-code-wrong', 'intent-not-confirmed', 'intent-declined'] as const),
    ...(['intent-expired', 'insufficient-balance', 'account-suspended'] as const),
  ],
  async answer({ body: { intent_id: intentId, code }, actor: { clientId }, flow }) {
    const { ledgerRef, duplicate } = await completeIntent(flow, { clientId, intentId, code })
    return { status: 'completed' as const, ledger_ref: ledgerRef, ...duplicateOf(duplicate) }
  },
})

const Record = z.object({
  intent_id: z.string(),
  state: z.enum(STATES),
  amount: z.number(),
  currency: z.literal('USD'),
  description: z.string(),
  expires_at: z.string(),
  ledger_ref: z.string().nullable(),
  completed_at: z.string().nullable(),
  refunded: z.number(),
})

const status = endpoint({
  ...byApp,
  when: { op: 'intent', act: 'status' },
  summary: 'How an intent stands',
  body: One,
  returns: Record,
  refusals: ['intent-not-found'],
  async answer({ body: { intent_id: intentId }, actor: { clientId }, flow }) {
    return recordOf(flow, intentId, await intentOf(flow, clientId, intentId))
  },
})

const cancel = endpoint({
  ...byApp,
  when: { op: 'intent', act: 'cancel' },
  summary: 'Takes an intent back that nobody has confirmed',
  body: One,
  returns: Record,
  refusals: ['intent-not-found', 'intent-expired', 'state-forbids'],
  async answer({ body: { intent_id: intentId }, actor: { clientId }, flow }) {
    await intentOf(flow, clientId, intentId)
    await declineIntent(flow, intentId)
    return recordOf(flow, intentId, await intentOf(flow, clientId, intentId))
  },
})

const refund = endpoint({
  ...byApp,
  when: { op: 'intent', act: 'refund' },
  summary: 'Gives a completed payment back from the app’s credit, in full or in part, once per ref',
  body: One.extend({ ref: Reference, amount: Amount.optional() }),
  returns: z.object({ status: z.literal('refunded'), ref: z.string(), amount: z.number(), duplicate: Duplicate }),
  refusals: [
    ...(['intent-not-found', 'intent-not-completed', 'refund-too-high', 'amount-invalid'] as const),
    ...(['app-credit-insufficient', 'ref-conflict'] as const),
  ],
  async answer({ body, actor: { clientId }, flow }) {
    const amount = body.amount === undefined ? {} : { amount: BigInt(usdUnits(body.amount)) }
    const made = await refundIntent(flow, { clientId, intentId: body.intent_id, ref: body.ref, ...amount })
    const answer = { status: 'refunded' as const, ref: made.ledgerRef, amount: usdNumber(made.amount) }
    return { ...answer, ...duplicateOf(made.duplicate) }
  },
})

const recordOf = async ({ world, vault }: UseCaseContext, intentId: string, intent: Intent) => ({
  intent_id: intentId,
  state: intentStatusAt(intent, world.now().toISOString()),
  amount: usdNumber(intent.amount),
  currency: intent.currency,
  expires_at: intent.expiresAt,
  description: await openedText(vault, intent.description),
  ledger_ref: intent.ledgerRef ?? null,
  completed_at: intent.completedAt ?? null,
  refunded: usdNumber(Object.values(intent.refunds).reduce((sum, each) => sum + BigInt(each), 0n)),
})

export const intentEndpoints = [create, complete, status, cancel, refund]
