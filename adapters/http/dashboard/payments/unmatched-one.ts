import { z } from 'zod'
import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import { IGNORE_REASONS } from '../../../../domain/selling/transfers/transfer-events.ts'
import { matched, TRANSFER_MAX } from '../../agent/selling/settlements.ts'
import { ignoreMoney, noteReturned, reopenMoney } from '../../agent/selling/unmatched.ts'
import { candidatesOf, ownUnmatched } from '../../agent/selling/unmatched-money.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { paymentAt, UNMATCHED, unmatchedAt } from '../../pages/dashboard/payments/paths.ts'
import { unmatchedPage } from '../../pages/dashboard/payments/unmatched-one.ts'
import type { HandAct } from '../../pages/dashboard/payments/unmatched-page.ts'
import { seeOther } from '../../pages/people-page.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'

/** One payment that settles nothing, and what a member does with it: the use cases of the API. */

const ofMoney = {
  ...ofMembers,
  path: `${UNMATCHED}/:transfer`,
  params: z.object({ transfer: z.string().max(TRANSFER_MAX) }),
  refusals: ['transfer-not-found', 'rate-limited', 'busy', 'form-stale'],
} as const

const DONE = ['return', 'ignore', 'reopen'] as const

const look = endpoint({
  ...ofMoney,
  method: 'get',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  summary: 'One payment that settles nothing: what it may be meant for, why, and what a member may do with it',
  query: z.object({ done: z.string().max(20).optional() }),
  answer: ({ params: { transfer }, query, ...request }) =>
    show(request, transfer, { done: DONE.find((act) => act === query.done) }),
})

const TEXT_MAX = 200
const text = z.string().max(TEXT_MAX).optional()
/** Addresses belong to the account: what came there may be for any store. */
const act = { ...ofMoney, method: 'post', reach: 'account' } as const

const match = endpoint({
  ...act,
  when: { act: 'match' },
  callers: { capability: 'transactions.edit' },
  summary: 'Says which of the candidates it pays',
  body: z.object({ csrf, challenge: text }),
  answer: ({ params: { transfer }, body, ...request }) =>
    acted(request, transfer, 'match', body, async () => {
      const { challenge = '' } = body
      if (challenge === '') refuse('invalid-request', 'challenge: has to be one of the payments. Choose one')
      await matched({ ...calling(request), body: { transfer, challenge_id: challenge } })
      return `${UNMATCHED}?done=match`
    }),
})

const matchPayment = endpoint({
  ...act,
  when: { act: 'match-payment' },
  callers: { capability: 'transactions.edit' },
  summary: 'Says by its number which payment it pays',
  body: z.object({ csrf, payment: text }),
  answer: ({ params: { transfer }, body, ...request }) =>
    acted(request, transfer, 'match-payment', body, async () => {
      const payment = body.payment?.trim() ?? ''
      if (!/^\d{1,20}$/.test(payment)) refuse('invalid-request', 'payment: has to be the number of a payment')
      await matched({ ...calling(request), body: { transfer, transaction_id: payment } })
      return `${paymentAt(payment)}?done=match-transfer`
    }),
})

const giveBack = endpoint({
  ...act,
  when: { act: 'return' },
  callers: { capability: 'transactions.refund' },
  summary: 'Notes that it was sent back',
  body: z.object({ csrf, amount: text, hash: text }),
  answer: ({ params: { transfer }, body, ...request }) =>
    acted(request, transfer, 'return', body, async () => {
      const [amount, hash] = [body.amount?.trim(), body.hash?.trim()]
      await noteReturned(calling(request), { transfer, ...(amount && { amount }), ...(hash && { hash }) })
    }),
})

const ignore = endpoint({
  ...act,
  when: { act: 'ignore' },
  callers: { capability: 'transactions.edit' },
  summary: 'Leaves it as it is, so that it asks for no hand',
  body: z.object({ csrf, reason: text }),
  answer: ({ params: { transfer }, body, ...request }) =>
    acted(request, transfer, 'ignore', body, async () => {
      const reason = IGNORE_REASONS.find((each) => each === body.reason)
      if (reason === undefined) return refuse('invalid-request', 'reason: has to be one of the list. Choose one')
      await ignoreMoney(request.flow, request.actor.actor, transfer, reason)
    }),
})

const reopen = endpoint({
  ...act,
  when: { act: 'reopen' },
  callers: { capability: 'transactions.edit' },
  summary: 'Takes back that it was ignored or returned',
  body: z.object({ csrf }),
  answer: ({ params: { transfer }, body, ...request }) =>
    acted(request, transfer, 'reopen', body, async () => {
      await reopenMoney(request.flow, request.actor.actor, transfer)
    }),
})

export const unmatchedOneEndpoints = [look, match, matchPayment, giveBack, ignore, reopen]

const calling = ({ flow, queries, actor }: MemberRequest) => ({ flow, queries, actor: actor.actor })

type Outcome = Pick<Parameters<typeof unmatchedPage>[0], 'done' | 'failed' | 'typed'>

const show = async (request: MemberRequest, transfer: string, outcome: Outcome): Promise<Reply> => {
  const { queries, actor } = request
  const row = await ownUnmatched(queries, actor.actor, transfer)
  return unmatchedPage({ member: actor, row, candidates: await candidatesOf(queries, actor.actor, row), ...outcome })
}

/** Does it and leads to the path that `run` answers, or back; what it is refused for is said beside its form. */
const acted = async (
  request: MemberRequest,
  transfer: string,
  name: HandAct,
  typed: Readonly<Record<string, string | undefined>>,
  run: () => Promise<unknown>,
): Promise<Reply> => {
  try {
    const path = await run()
    return seeOther(typeof path === 'string' ? path : `${unmatchedAt(transfer)}?done=${name}`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return await show(request, transfer, { failed: { act: name, error: sentenceOf(error) }, typed })
  }
}
