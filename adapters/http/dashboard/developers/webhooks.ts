import { z } from 'zod'
import { DEFAULT_STORE } from '../../../../domain/kernel/in-store.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { testConnection } from '../../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import { RESENT_MAX, resendDeliveries } from '../../agent/common/deliveries.ts'
import { changeWebhook, WebhookChange, webhookShown } from '../../agent/common/webhooks.ts'
import type { AuditReads } from '../../core/audit-reads.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { limit } from '../../core/limits.ts'
import { type SentFields, sentOf } from '../../core/sent-webhooks.ts'
import { validInput } from '../../core/valid.ts'
import { WEBHOOKS } from '../../pages/dashboard/developers/paths.ts'
import { webhooksPage } from '../../pages/dashboard/developers/webhooks.ts'
import { seeOther } from '../../pages/people-page.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'

/** The webhook of the account, with the rules of `/v1/webhook` and `/v1/webhook/deliveries`. */

/** Deliveries on a page: as many as may be sent again at once. */
const ROWS = RESENT_MAX

const common = { ...ofMembers, path: WEBHOOKS, method: 'post' } as const
const changes = { ...common, callers: { capability: 'settings.edit', fresh: true } } as const

const look = endpoint({
  ...ofMembers,
  path: WEBHOOKS,
  method: 'get',
  callers: { capability: 'settings.view' },
  summary: 'The webhook of the account, and what was sent with the bodies as they were sent and answered',
  query: z.object({ before: z.string().max(64).optional(), done: z.literal('1').optional().catch(undefined) }),
  answer: ({ query, ...request }) => show(request, { isDone: query.done === '1', before: query.before }),
})

const setUrl = endpoint({
  ...changes,
  when: { act: 'url' },
  summary: 'Sets or clears the webhook; a secret that this made is shown once',
  body: z.object({ csrf, url: z.string().max(4_096).default('') }),
  answer: ({ body: { url }, ...request }) => changed(request, { url: url.trim() }),
})

const rotateSecret = endpoint({
  ...changes,
  when: { act: 'secret' },
  summary: 'Makes another webhook secret, shown once',
  body: z.object({ csrf }),
  answer: ({ body: _, ...request }) => changed(request, { rotate_secret: true }),
})

const tryOut = endpoint({
  ...common,
  callers: { capability: 'settings.edit' },
  when: { act: 'test' },
  summary: 'Sends a signed test webhook, then one with a wrong signature',
  body: z.object({ csrf }),
  async answer({ body: _, ...request }) {
    const { flow, actor } = request
    await limit(request, 'webhook-test', actor.accountId)
    try {
      const { outcome, signatureVerified } = await testConnection(flow, actor.accountId, DEFAULT_STORE)
      await request.shows()
      const tested = {
        status: outcome?.status ?? null,
        isKnown: outcome !== undefined,
        isVerified: signatureVerified,
      }
      return await show(request, { tested })
    } catch (error) {
      return await show(request, { faults: faultsOf(error, [], 'form') })
    }
  },
})

const resend = endpoint({
  ...common,
  callers: { capability: 'transactions.edit' },
  when: { act: 'resend' },
  summary: 'Sends the chosen webhooks once more',
  ignores: 'both',
  body: z.looseObject({ csrf }),
  async answer({ body, ...request }) {
    const chosen = Object.keys(body).flatMap((name) => (/^e_[0-9a-f]{8,64}$/.test(name) ? [name.slice(2)] : []))
    try {
      if (chosen.length === 0 || chosen.length > RESENT_MAX)
        refuse('invalid-request', `Choose 1 to ${RESENT_MAX} of the webhooks that were sent, then send the form.`)
      const all = await resendDeliveries(request, request.actor.accountId, chosen)
      await request.shows()
      const refused = all.flatMap((each) => (each.refused === null ? [] : [`${each.transaction_id}: ${each.refused}`]))
      return await show(request, { resent: { count: all.length - refused.length, refused } })
    } catch (error) {
      return await show(request, { faults: faultsOf(error, [], 'form') })
    }
  },
})

export const webhookScreen = [look, setUrl, rotateSecret, tryOut, resend]

type Request = MemberRequest & { readonly audit: AuditReads }

const changed = async (request: Request, change: z.input<typeof WebhookChange>): Promise<Reply> => {
  const { flow, actor } = request
  try {
    const fresh = await changeWebhook(flow, actor.accountId, validInput(WebhookChange, change))
    return fresh === undefined ? seeOther(`${WEBHOOKS}?done=1`) : await show(request, { fresh })
  } catch (error) {
    return await show(request, { faults: faultsOf(error, ['url'], 'url'), ...(change.url && { url: change.url }) })
  }
}

type Shown = Parameters<typeof webhooksPage>[0]
type Outcome = Partial<Pick<Shown, 'fresh' | 'faults' | 'tested' | 'resent' | 'isDone' | 'url'>> & {
  readonly before?: string | undefined
}

const show = async ({ flow, queries, audit, actor }: Request, { before, ...outcome }: Outcome): Promise<Reply> => {
  const { accountId } = actor
  const { url, secret_last4: secretEnd } = await webhookShown(flow, accountId)
  const maySee = actor.actor.can('transactions.view')
  const rows = maySee ? await queries.sentDeliveries(accountId, { before }, ROWS + 1) : []
  const deliveries = rows.slice(0, ROWS)
  const sent = new Map<string, SentFields>()
  for (const { transactionId, eventId } of deliveries)
    for (const [id, fields] of await sentOf(audit, transactionId, [{ eventId }])) sent.set(id, fields)
  return webhooksPage({
    url,
    ...outcome,
    member: actor,
    secretEnd,
    deliveries,
    sent,
    older: rows.length > ROWS ? deliveries.at(-1)?.eventId : undefined,
    isFirst: before === undefined,
  })
}
