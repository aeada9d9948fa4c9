import { z } from 'zod'
import type { Flow } from '../../../domain/flows/flow.ts'
import { CHALLENGE_MINUTES, type OpenedChallenge, openChallenge } from '../../../domain/flows/open-challenge.ts'
import { refuse } from '../../../domain/refusal.ts'
import type { ResourceRow } from '../../../projections/resources.ts'
import { mayUse } from '../actor.ts'
import { endpoint, Reply } from '../endpoint.ts'
import { Accept, acceptsOf, isUnpaid, marked, type Opened } from './accepts.ts'
import { fiatNumber } from './amounts.ts'
import { createOpenSets } from './open-sets.ts'

/** The payment door: where a machine is told how it can pay. */

const Challenge = z.object({
  res_id: z.string(),
  amount: z.number(),
  currency: z.string(),
  accepts: z.array(Accept),
  test: z.literal(true).optional(),
})

export const PaymentRequired = Challenge.extend({
  x402Version: z.literal(1),
  error: z.string(),
  test: z.boolean(),
  paymentRequirements: z.array(z.object({})),
}).meta({ id: 'PaymentRequired' })

const Paid = z.object({
  res_id: z.string(),
  settled: z.literal(true),
  amount: z.number(),
  currency: z.string(),
  test: z.literal(true).optional(),
})

/** What the two doors share: the sets that are open, remembered per resource and caller. */
const doors = () => {
  const openSets = createOpenSets<Opened>((CHALLENGE_MINUTES * 60_000) / 2)

  /** An anonymous GET meets the open set of the same caller until half its life, so that a flood of GETs costs nothing. */
  const paymentRequired = async (
    flow: Flow,
    row: ResourceRow,
    from: { ip: string; caller: string },
  ): Promise<Reply> => {
    const terms = await termsOf(flow, row.accountId)
    const asked = { resource: row.resId, ...from, terms, now: flow.world.now().getTime() }
    const opened = await openSets.of(asked, () => openChallenge(flow, row.resId, { anonymous: true }), isUnpaid(flow))
    const offers = acceptsOf(opened)
    const error = offers.length > 0 ? 'Payment required' : 'No coin of this seller can be received right now'
    const head = { x402Version: 1, error, res_id: row.resId, ...price(row), test: row.test }
    return new Reply(402, { ...head, accepts: offers, paymentRequirements: [] }, { 'Cache-Control': 'no-store' })
  }

  const common = {
    method: 'get',
    auth: 'none',
    showsLater: true,
    params: z.object({ id: z.string() }),
    returns: Paid,
    otherwise: { 402: { description: 'Payment required', schema: PaymentRequired } },
    refusals: ['resource-not-found', 'busy'],
  } as const

  const door = endpoint({
    ...common,
    path: '/r/:id',
    summary: 'The payment door of a resource: 402 with ways to pay, 200 once it is settled',
    async answer({ params, ip, caller, flow, queries }) {
      const row = (await queries.resource(params.id)) ?? refuse('resource-not-found', 'No such resource.')
      if (row.settled) return { res_id: row.resId, settled: true as const, ...price(row), ...marked(row) }
      return paymentRequired(flow, row, { ip, caller })
    },
  })

  const checkout = endpoint({
    ...common,
    path: '/checkout/:id',
    summary: 'The buyer door of a resource; it always sells',
    query: z.object({ cloud: z.string().optional(), agent: z.string().optional() }),
    async answer({ params, ip, caller, flow, queries }) {
      const row = (await queries.resourceByCheckout(params.id)) ?? refuse('resource-not-found', 'No such checkout.')
      return paymentRequired(flow, row, { ip, caller })
    },
  })

  return [door, checkout]
}

const mintChallenge = endpoint({
  method: 'post',
  path: '/v1/challenge',
  summary: 'Mint fresh challenges for a resource of yours',
  auth: 'key',
  sandbox: 'publishable',
  idempotent: true,
  body: z.object({ res_id: z.string() }),
  returns: Challenge,
  refusals: ['resource-not-found'],
  async answer({ body, actor, flow, queries, once }) {
    const setId = once.id('ch')
    const open = async (): Promise<OpenedChallenge> => {
      const row = await queries.resource(body.res_id)
      if (!row || !mayUse(actor, row)) return refuse('resource-not-found', 'No such resource.')
      return openChallenge(flow, row.resId, { anonymous: false, setId, ...once.mark })
    }
    const opened = await once.make(() => flow.ledger.challenge.read(setId), open)
    return { res_id: body.res_id, ...price(opened), accepts: acceptsOf({ ...opened, setId }), ...marked(opened) }
  },
})

const price = ({ amount, currency }: { amount: string; currency: string }) => ({ amount: fiatNumber(amount), currency })

/** What a set of challenges was opened on, as text: once it changes, another set is opened. */
export const termsOf = async ({ ledger }: Flow, accountId: string): Promise<string> => {
  const { confirmations, payment } = await ledger.settings.recent(accountId)
  const wallets = await ledger.wallet.recent(accountId)
  const hasTokens = Object.values(wallets).some(({ coin }) => coin !== undefined)
  const tokens = hasTokens && (await ledger.customTokens.recent(accountId))
  return JSON.stringify([wallets, tokens, confirmations, payment])
}

export const doorEndpoints = () => [...doors(), mintChallenge]
