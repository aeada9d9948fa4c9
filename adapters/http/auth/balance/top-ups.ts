import { z } from 'zod'
import { type TopUp, topUpStatusAt } from '../../../../domain/balance/top-up.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { startTopUp, topUpOf } from '../../../../domain/use-cases/balance/top-up.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'
import { Amount, AppState, Id, OFTEN, usdNumber, usdUnits } from './fields.ts'
import { ownUri } from './way-back.ts'

/** An app sends its user to fund the user's own balance (A-TOP-01, A-TOP-02): `POST /oauth2?op=topup&act=…`. */

const common = {
  method: 'post',
  path: '/oauth2',
  auth: 'client',
  takes: { json: true },
  limits: OFTEN,
} as const
/** Top-ups in one list; the newest come first. */
const LIST_MAX = 500
const OFFSET_MAX = 1_000_000
/** `confirming`: somebody has taken it up, and nothing has settled yet. */
const STATES = ['started', 'confirming', 'underpaid', 'completed', 'expired'] as const

const start = endpoint({
  ...common,
  when: { op: 'topup', act: 'start' },
  summary: 'Begins a top-up; the user goes on at topup_url and comes back with topup and state',
  waits: 'after',
  body: z.object({ amount: Amount, redirect_uri: z.string().max(2_048), state: AppState.default('') }),
  returns: z.object({ topup_url: z.url(), topup_id: z.string(), state: z.enum(STATES) }),
  refusals: ['amount-invalid', 'redirect-uri-refused'],
  async answer({ body, actor: { clientId, app }, flow }) {
    const amount = BigInt(usdUnits(body.amount))
    const redirectUri = ownUri(flow, body.redirect_uri, app)
    const { topUpId } = await startTopUp(flow, { clientId, amount, redirectUri, appState: body.state })
    return { topup_url: `${flow.origins.pay}/topup/${topUpId}`, topup_id: topUpId, state: 'started' as const }
  },
})

const Record = z.object({
  topup_id: z.string(),
  state: z.enum(STATES),
  amount: z.number(),
  completed_at: z.string().nullable(),
})

const status = endpoint({
  ...common,
  when: { op: 'topup', act: 'status' },
  summary: 'How a top-up stands: amount is what has settled, or what was asked for while nothing has',
  waits: 'after',
  body: z.object({ topup_id: Id }),
  returns: Record,
  refusals: ['top-up-not-found'],
  async answer({ body: { topup_id: topUpId }, actor: { clientId }, flow }) {
    const topUp = await topUpOf(flow, topUpId)
    return topUp.clientId === clientId ? recordOf(flow, { ...topUp, topUpId }) : refuse('top-up-not-found')
  },
})

const list = endpoint({
  ...common,
  when: { op: 'topup', act: 'list' },
  summary: 'The newest top-ups of the app',
  body: z.object({
    limit: z.coerce.number().int().min(1).max(LIST_MAX).default(50),
    offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0),
  }),
  returns: z.object({ topups: z.array(Record.extend({ created_at: z.string() })) }),
  async answer({ body: { limit, offset }, actor: { clientId }, flow, queries }) {
    const rows = await queries.topUpsOfApp(clientId, limit, offset)
    return { topups: rows.map((row) => ({ ...recordOf(flow, row), created_at: row.createdAt })) }
  },
})

type TopUpFacts = Pick<TopUp, 'status' | 'expiresAt' | 'amount'> & {
  readonly topUpId: string
  readonly settled: bigint | string
  readonly completedAt?: string | null
}

const recordOf = ({ world }: UseCaseContext, topUp: TopUpFacts) => {
  const state = topUpStatusAt(topUp, world.now().toISOString())
  const settled = BigInt(topUp.settled)
  return {
    topup_id: topUp.topUpId,
    state: state === 'accepted' ? ('confirming' as const) : state,
    amount: usdNumber(settled > 0n ? settled : topUp.amount),
    completed_at: topUp.completedAt ?? null,
  }
}

export const topUpEndpoints = [start, status, list]
