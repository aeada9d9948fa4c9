import { receivedWebhooks } from '../agent/selling/webhook-receiver.ts'
import { endpoint } from '../core/endpoint.ts'
import { WEBHOOK_RECEIVER } from '../pages/dashboard/payments/paths.ts'
import { receiverPage } from '../pages/dashboard/payments/webhook-receiver.ts'
import { ofMembers } from './of-dashboard.ts'

/** What the built-in receiver got for test sales: the same as `GET /v1/webhook/receiver`. */

const look = endpoint({
  ...ofMembers,
  path: WEBHOOK_RECEIVER,
  method: 'get',
  callers: { capability: 'transactions.view' },
  summary: 'What the built-in receiver got for test sales, with each body, signature and verdict',
  async answer({ actor, flow, queries, audit }) {
    const [{ receiver }, received] = await Promise.all([
      flow.ledger.webhook.read(actor.accountId),
      receivedWebhooks({ flow, queries, audit }, actor.accountId),
    ])
    return receiverPage({ member: actor, isChosen: receiver === 'built-in', received })
  },
})

export const webhookReceiverScreen = [look]
