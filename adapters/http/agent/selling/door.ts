import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { addressesNotHeld } from '../../../../domain/use-cases/account/address-claims.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import {
  CHALLENGE_MINUTES,
  type ChallengeOffer,
  type OpenedChallenge,
  openChallenge,
} from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import type { ResourceRow } from '../../../../projections/selling/resources.ts'
import { honestAccepts } from '../../../x402/envelope.ts'
import { PAYMENT_HEADERS } from '../../../x402/header.ts'
import { mayUse } from '../../core/actor.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { networkMark } from '../../core/network-of.ts'
import { Accept, isUnpaid, marked, waysOf } from '../common/accepts.ts'
import { fiatNumber } from '../common/amounts.ts'
import { createOpenSets } from '../common/open-sets.ts'
import { PaymentHeaders, Pending, payAtDoor, paymentIdentifier } from '../gasless/pay-at-door.ts'
import { manifest, PaymentRequired } from './manifest.ts'

/** The payment door: where a machine is told how it can pay, and where it pays with a signature. */

const Challenge = z.object({
  res_id: z.string(),
  amount: z.number(),
  currency: z.string(),
  accepts: z.array(Accept),
  test: z.literal(true).optional(),
})

const Paid = z.object({
  res_id: z.string(),
  settled: z.literal(true),
  amount: z.number(),
  currency: z.string(),
  test: z.literal(true).optional(),
})

/** A resource that was asked for, at one of its addresses, by somebody. */
type DoorRequest = {
  readonly flow: UseCaseContext
  readonly row: ResourceRow
  readonly url: string
  readonly ip: string
  readonly caller: string
  readonly shows: () => Promise<void>
  readonly headers: z.output<typeof PaymentHeaders>
}

/** What the two doors share: the sets that are open, remembered per resource and caller. */
const doors = () => {
  const openSets = createOpenSets<ChallengeOffer>((CHALLENGE_MINUTES * 60_000) / 2)

  /**
   * An anonymous GET meets the open set of the same caller until half its life, so that a flood of GETs costs nothing
   * (Q-22).
   */
  const paymentRequired = async (
    { flow, row, url, ip, caller, headers }: DoorRequest,
    error?: string,
  ): Promise<Reply> => {
    const terms = await termsOf(flow, row.accountId)
    const who = `${caller} ${paymentIdentifier(headers) ?? ''}`
    const asked = { resource: row.resId, ip, caller: who, terms, now: flow.world.now().getTime() }
    const open = () => openChallenge(flow, row.resId, { anonymous: true, network: networkMark(flow, ip) })
    const opened = await openSets.of(asked, open, isUnpaid(flow))
    const facts = { res_id: row.resId, ...price(row), test: row.test }
    return manifest(facts, await waysOf(flow, opened), soldAt(url, row.resId), error)
  }

  /** A payment that was sent is always taken, also for what was sold before: whoever sends one wants to pay. */
  const paid = async (asked: DoorRequest): Promise<Reply | undefined> => {
    const { flow, row, headers, shows } = asked
    const reply = await payAtDoor(flow, row.resId, headers, {
      body: paidBody(row),
      again: (error) => paymentRequired(asked, error),
    })
    // Whoever was told that it is paid finds it paid when asking again.
    if (reply?.status === 200 && !row.settled) await shows()
    return reply
  }

  const common = {
    method: 'get',
    auth: 'none',
    ignores: 'query',
    limits: { keyless: PAYMENT_HEADERS },
    waits: 'before',
    params: z.object({ id: z.string() }),
    headers: PaymentHeaders,
    returns: Paid,
    otherwise: {
      202: { description: 'The signed payment was taken and is on its way', schema: Pending },
      402: { description: 'Payment required', schema: PaymentRequired },
    },
    refusals: ['resource-not-found', 'busy', 'rate-limited', 'unavailable', 'no-free-amount'],
  } as const

  const door = endpoint({
    ...common,
    path: '/r/:id',
    summary:
      'The payment door of a resource: 402 with ways to pay, 200 once it is settled; takes a signed payment of x402 in a header',
    async answer({ params, ip, caller, headers, flow, queries, shows }) {
      const row = (await queries.resource(params.id)) ?? refuse('resource-not-found', 'No such resource.')
      const asked = { flow, shows, row, url: `${flow.origins.base}/r/${row.resId}`, ip, caller, headers }
      return (await paid(asked)) ?? (row.settled ? paidBody(row) : paymentRequired(asked))
    },
  })

  const checkout = endpoint({
    ...common,
    path: '/checkout/:id',
    summary: 'The buyer door of a resource; it always sells, and takes a signed payment of x402 in a header',
    query: z.object({ cloud: z.string().optional(), agent: z.string().optional() }),
    async answer({ params, query: { cloud }, ip, caller, headers, flow, queries, shows }) {
      const row = (await queries.resourceByCheckout(params.id)) ?? refuse('resource-not-found', 'No such checkout.')
      const store = cloud === undefined ? '' : `?${new URLSearchParams({ cloud })}`
      const url = `${flow.origins.pay}/checkout/${row.checkoutId}${store}`
      const asked = { flow, shows, row, url, ip, caller, headers }
      return (await paid(asked)) ?? paymentRequired(asked)
    },
  })

  return [door, checkout]
}

const mintChallenge = endpoint({
  method: 'post',
  path: '/v1/challenge',
  summary: 'Mint fresh challenges for a resource of yours',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.create', sandbox: 'publishable' },
  idempotent: true,
  body: z.object({ res_id: z.string() }),
  returns: Challenge,
  refusals: ['resource-not-found', 'unavailable', 'no-free-amount'],
  async answer({ body, actor, flow, queries, once }) {
    const setId = once.id('ch')
    const open = async (): Promise<OpenedChallenge> => {
      const row = await queries.resource(body.res_id)
      if (!row || !mayUse(actor, row)) return refuse('resource-not-found', 'No such resource.')
      return openChallenge(flow, row.resId, { anonymous: false, setId, ...once.mark })
    }
    const opened = await once.make(() => flow.ledger.challenge.read(setId), open)
    const sold = soldAt(`${flow.origins.base}/r/${body.res_id}`, body.res_id)
    const accepts = honestAccepts(await waysOf(flow, { ...opened, setId }), sold)
    return { res_id: body.res_id, ...price(opened), accepts, ...marked(opened) }
  },
})

const soldAt = (url: string, resId: string) => ({ url, description: `Resource ${resId}` })

const paidBody = (row: ResourceRow) => ({ res_id: row.resId, settled: true as const, ...price(row), ...marked(row) })

const price = ({ amount, currency }: { amount: string; currency: string }) => ({ amount: fiatNumber(amount), currency })

/** What a set of challenges was opened on, as text: once it changes, another set is opened. */
export const termsOf = async ({ ledger }: UseCaseContext, accountId: string): Promise<string> => {
  const { confirmations, payment } = await ledger.settings.recent(accountId)
  const wallets = await ledger.wallet.recent(accountId)
  const hasTokens = Object.values(wallets).some(({ coin }) => coin !== undefined)
  const tokens = hasTokens && (await ledger.customTokens.recent(accountId))
  const missing = await addressesNotHeld(ledger, accountId, wallets)
  return JSON.stringify([wallets, missing, tokens, confirmations, payment])
}

export const doorEndpoints = () => [...doors(), mintChallenge]
