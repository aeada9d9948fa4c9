import { z } from 'zod'
import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import { matched, TRANSFER_MAX } from '../../agent/selling/settlements.ts'
import { refundTransaction, resendOwn, submitOwn } from '../../agent/selling/transaction-actions.ts'
import { ownRow } from '../../agent/selling/transaction-lists.ts'
import type { AuditReads } from '../../core/audit-reads.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { paymentAt } from '../../pages/dashboard/payments/paths.ts'
import { EDITABLE, type PaymentAct } from '../../pages/dashboard/payments/payment.ts'
import { seeOther } from '../../pages/people-page.ts'
import { editOwn } from '../../pay/transaction-changes.ts'
import { csrf, type MemberRequest } from '../of-dashboard.ts'
import { ofPayment, showPayment } from './detail.ts'

/** What a member does with a payment: the use cases of the API, with the capabilities of its calls. */

const common = {
  ...ofPayment,
  method: 'post',
  reach: 'store',
  refusals: ['transaction-not-found', 'rate-limited', 'busy', 'form-stale'],
} as const

const TEXT_MAX = 4_000
const text = z.string().max(TEXT_MAX).optional()

const resend = endpoint({
  ...common,
  when: { act: 'resend' },
  callers: { capability: 'transactions.edit' },
  summary: 'Sends the webhook of a payment once more',
  body: z.object({ csrf }),
  answer: ({ params: { transaction_id: id }, ...request }) =>
    acted(request, id, 'resend', {}, () => resendOwn(request.flow, request.actor.actor, id)),
})

const refund = endpoint({
  ...common,
  when: { act: 'refund' },
  callers: { capability: 'transactions.refund' },
  summary: 'Gives back a payment by card, or records what was given back in a coin',
  body: z.object({ csrf, amount: text, hash: text, refunded: text }),
  answer: ({ params: { transaction_id: id }, body, ...request }) =>
    acted(request, id, 'refund', body, async () => {
      const { flow, queries, actor } = request
      const { amount = '', hash = '', refunded = '' } = body
      // A form that is sent twice gives back once.
      if (((await ownRow(queries, actor.actor, id)).refundedPart ?? '') !== refunded) refuse('state-forbids', MEANWHILE)
      if (amount !== '' && !/^\d{1,30}(\.\d{1,30})?$/.test(amount))
        refuse('invalid-request', 'amount: has to be a plain decimal number')
      const hashOf = hash.trim()
      await refundTransaction(flow, actor.actor, id, { ...(amount && { amount }), ...(hashOf && { hash: hashOf }) })
    }),
})

const MEANWHILE = 'A refund was recorded since this page was opened. Look at what it says now, and try again.'

const edit = endpoint({
  ...common,
  when: { act: 'edit' },
  callers: { capability: 'transactions.edit' },
  summary: 'Writes on a payment by hand; no money moves by it',
  body: z.object({
    csrf,
    ...(Object.fromEntries(
      EDITABLE.flatMap((key) => [
        [key, text],
        [`was_${key}`, text],
      ]),
    ) as Record<string, typeof text>),
  }),
  answer: ({ params: { transaction_id: id }, body, ...request }) =>
    acted(request, id, 'edit', body, async () => {
      const given = body as Readonly<Record<string, string | undefined>>
      // Only what was changed in the form is written: the rest may have changed meanwhile.
      const changed = EDITABLE.filter((key) => given[key] !== undefined && given[key] !== (given[`was_${key}`] ?? ''))
      if (changed.length === 0)
        refuse('invalid-request', 'Nothing was changed in this form. Change a field, then send it.')
      const values = Object.fromEntries(changed.map((key) => [key, given[key]]))
      await editOwn(request.flow, request.queries, request.actor.actor, id, values)
    }),
})

const match = endpoint({
  ...common,
  when: { act: 'match' },
  callers: { capability: 'transactions.edit' },
  summary: 'Says which hash pays a pending or underpaid payment',
  body: z.object({ csrf, hash: text }),
  answer: ({ params: { transaction_id: id }, body, ...request }) =>
    acted(request, id, 'match', body, async () => {
      const { hash = '' } = body
      if (hash.trim() === '' || hash.length > HASH_MAX)
        refuse('invalid-request', 'hash: has to be the hash of a payment')
      await submitOwn(request.flow, request.queries, request.actor.actor, id, hash)
    }),
})

const matchTransfer = endpoint({
  ...common,
  // Addresses belong to the account: what came there may be for any store.
  reach: 'account',
  when: { act: 'match-transfer' },
  callers: { capability: 'transactions.edit' },
  summary: 'Says which of the payments that came and settle nothing pays a payment',
  body: z.object({ csrf, transfer: text }),
  answer: ({ params: { transaction_id: id }, body, ...request }) =>
    acted(request, id, 'match-transfer', body, async () => {
      const { flow, queries, actor } = request
      const { transfer = '' } = body
      if (transfer === '' || transfer.length > TRANSFER_MAX)
        refuse('invalid-request', 'transfer: has to be one of the payments that came. Choose one')
      await matched({ flow, queries, actor: actor.actor, body: { transfer, transaction_id: id } })
    }),
})

const HASH_MAX = 200

export const paymentActEndpoints = [resend, refund, edit, match, matchTransfer]

/** Does it and leads back to the payment; what it is refused for is said beside its form. */
const acted = async (
  request: MemberRequest & { readonly audit: AuditReads },
  id: string,
  act: PaymentAct,
  typed: Readonly<Record<string, string | undefined>>,
  run: () => Promise<unknown>,
): Promise<Reply> => {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'transaction-not-found') throw error
    return await showPayment(request, id, { failed: { act, error: sentenceOf(error) }, typed })
  }
  return seeOther(`${paymentAt(id)}?done=${act}`)
}
