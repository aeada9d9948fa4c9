import { z } from 'zod'
import { DEFAULT_STORE } from '../../../../domain/kernel/in-store.ts'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { addressesNotHeld } from '../../../../domain/use-cases/account/address-claims.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { namedSale } from '../../../../domain/use-cases/gasless/named-sale.ts'
import {
  CHALLENGE_MINUTES,
  type ChallengeOffer,
  type OpenedChallenge,
  openChallenge,
} from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { mustBeInStock } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { ResourceRow } from '../../../../projections/selling/resources.ts'
import { honestAccepts } from '../../../x402/envelope.ts'
import { PAYMENT_HEADERS } from '../../../x402/header.ts'
import { mayUse } from '../../core/actor.ts'
import { NamedId } from '../../core/bounds/named-id.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { networkMark } from '../../core/network-of.ts'
import { paidBefore } from '../../pages/plain-words.ts'
import { Accept, isUnpaid, marked, waysOf } from '../common/accepts.ts'
import { fiatNumber } from '../common/amounts.ts'
import { createOpenSets } from '../common/open-sets.ts'
import { PaymentHeaders, Pending, payAtDoor, paymentIdentifier, pending } from '../gasless/pay-at-door.ts'
import { AcceptsWish, manifest, PaymentRequired } from './manifest.ts'

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
  /** Whether the caller gave a name to the sale, by which a repeat is known; `caller` has it. */
  readonly isNamed: boolean
  /** Whether the true words are wanted in the standard fields. */
  readonly plain: boolean
  readonly shows: () => Promise<void>
  readonly headers: z.output<typeof PaymentHeaders>
}

type OpenSets = ReturnType<typeof createOpenSets<ChallengeOffer>>

/**
 * An anonymous GET meets the open set of the same caller until half its life, so that a flood of GETs costs nothing
 * . `next` is the id of the set that is opened for a named sale.
 */
const offerIn = async (
  openSets: OpenSets,
  { flow, row, ip, caller, headers }: DoorRequest,
  next?: string,
): Promise<ChallengeOffer> => {
  const terms = await termsOf(flow, row.accountId)
  const who = `${caller} ${paymentIdentifier(headers) ?? ''}`
  const asked = { resource: row.resId, ip, caller: who, terms, now: flow.world.now().getTime() }
  const named = next === undefined ? {} : { setId: next }
  // Whoever only looks is lent no piece: a sale that its caller has named is lent one.
  const lendsNone = next === undefined
  if (lendsNone && row.stock !== null) await mustBeInStock(flow, { productId: row.resId, quantity: 1 })
  const open = () =>
    openChallenge(flow, row.resId, { anonymous: true, network: networkMark(flow, ip), lendsNone, ...named }).catch(
      async (error: unknown) => {
        // Another process has just opened it for the same sale.
        const set = next !== undefined && isRefusal(error, 'id-taken') && (await flow.ledger.challenge.read(next))
        if (!set || set.status === 'none') throw error
        return { ...set, setId: next as string }
      },
    )
  return openSets.of(asked, open, isUnpaid(flow))
}

/** The 402 of an offer; at the door that always sells, it says when that was sold before. */
const paymentRequired = async (asked: DoorRequest, offer: ChallengeOffer, said?: string): Promise<Reply> => {
  const { flow, row, url, plain } = asked
  const before = row.settledAt === null ? {} : { paid_at: row.settledAt }
  const facts = { res_id: row.resId, ...price(row), test: row.test, ...before }
  const error = said ?? (row.settledAt === null ? undefined : `Payment required: ${paidBefore(row.settledAt)}`)
  return manifest(facts, await waysOf(flow, offer), soldAt(url, row), { error, plain })
}

/** What the two doors share: the sets that are open, remembered per resource and caller. */
const doors = () => {
  const openSets = createOpenSets<ChallengeOffer>((CHALLENGE_MINUTES * 60_000) / 2)

  const offerFor = (asked: DoorRequest, next?: string) => offerIn(openSets, asked, next)

  /** A payment that was sent is always taken, also for what was sold before: whoever sends one wants to pay. */
  const paid = async (asked: DoorRequest, next?: string): Promise<Reply | undefined> => {
    const { flow, row, headers, shows, isNamed, caller } = asked
    const reply = await payAtDoor(flow, row.resId, headers, {
      body: paidBody(row),
      again: async (error) => paymentRequired(asked, await offerFor(asked, next), error),
      ...(isNamed && { caller }),
    })
    // Whoever was told that it is paid finds it paid when asking again.
    if (reply?.status === 200 && !row.settled) await shows()
    return reply
  }

  /** A sale that its caller gave a name to is paid once: whoever asks again is told what became of it. */
  const named = async (asked: DoorRequest): Promise<Reply> => {
    const { flow, row, caller } = asked
    const sale = await namedSale(flow, row.resId, caller)
    if (sale.status === 'sold') return new Reply(200, paidBody(row), REPLAYED)
    if (sale.status === 'seen') return pending()
    const next = sale.status === 'open' ? sale.next : undefined
    const reply = await paid(asked, next)
    if (reply) return reply
    if (sale.status === 'signed') return pending()
    return paymentRequired(asked, sale.status === 'partly' ? sale.offer : await offerFor(asked, next))
  }

  const common = {
    method: 'get',
    auth: 'none',
    ignores: 'query',
    callers: { crossOrigin: true },
    limits: { keyless: PAYMENT_HEADERS },
    waits: 'before',
    params: z.object({ id: z.string() }),
    headers: PaymentHeaders,
    returns: Paid,
    otherwise: {
      202: { description: 'The signed payment was taken and is on its way', schema: Pending },
      402: { description: 'Payment required', schema: PaymentRequired },
    },
    refusals: ['resource-not-found', 'busy', 'rate-limited', 'unavailable', 'no-free-amount', 'out-of-stock'],
  } as const

  const door = endpoint({
    ...common,
    path: '/r/:id',
    summary:
      'The payment door of a resource: 402 with ways to pay, 200 once it is settled; takes a signed payment of x402 in a header',
    query: z.object({ accepts: AcceptsWish }),
    async answer({ params, query, ip, caller, headers, flow, queries, shows }) {
      const row = (await queries.resource(params.id)) ?? refuse('resource-not-found', NO_RESOURCE)
      const url = `${flow.origins.base}/r/${row.resId}`
      const plain = query.accepts !== undefined
      const asked = { flow, shows, row, url, ip, caller, headers, plain, isNamed: false }
      return (await paid(asked)) ?? (row.settled ? paidBody(row) : paymentRequired(asked, await offerFor(asked)))
    },
  })

  const checkout = endpoint({
    ...common,
    path: '/checkout/:id',
    summary:
      'The buyer door of a resource; it always sells, and takes a signed payment of x402 in a header. Under one `Idempotency-Key` it sells once, to callers of one network and one program',
    query: z.object({ cloud: z.string().optional(), agent: z.string().optional(), accepts: AcceptsWish }),
    headers: PaymentHeaders.extend({ 'idempotency-key': SaleName.optional() }),
    refusals: [...common.refusals, 'idempotency-conflict'],
    async answer({ params, query: { cloud, accepts }, ip, caller, headers, flow, queries, shows }) {
      const row = (await queries.resourceByCheckout(params.id)) ?? refuse('resource-not-found', NO_CHECKOUT)
      const store = cloud === undefined ? '' : `?${new URLSearchParams({ cloud })}`
      const url = `${flow.origins.pay}/checkout/${row.checkoutId}${store}`
      const isNamed = headers['idempotency-key'] !== undefined
      const asked = { flow, shows, row, url, ip, caller, headers, plain: accepts !== undefined, isNamed }
      if (isNamed) return named(asked)
      return (await paid(asked)) ?? paymentRequired(asked, await offerFor(asked))
    },
  })

  return [door, checkout]
}

/**
 * The Idempotency-Key of a sale. Whoever guesses it, in the same network and with the same program, is told that it was
 * paid: so it has to be as long as a `payment-identifier`.
 */
const SaleName = z
  .string()
  .regex(
    /^[\x20-\x7e]{16,255}$/,
    'has to be a key of 16 to 255 printable ASCII characters, which nobody else can guess',
  )

const REPLAYED = { 'Idempotency-Replayed': 'true', 'Cache-Control': 'no-store' } as const

const NO_RESOURCE = 'There is no such resource, or it is not sold any more: look at its address again.'
const NO_CHECKOUT = 'There is no such checkout, or it is not sold any more: look at its address again.'

const mintChallenge = endpoint({
  method: 'post',
  path: '/v1/challenge',
  summary: 'Mint fresh challenges for a resource of yours',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.create', sandbox: 'publishable', crossOrigin: true },
  idempotent: true,
  waits: 'when-behind',
  body: z.object({ res_id: NamedId }),
  returns: Challenge,
  refusals: ['resource-not-found', 'unavailable', 'no-free-amount', 'out-of-stock'],
  async answer({ body: { res_id: resId }, actor, flow, once }) {
    const setId = once.id('ch')
    const open = async (): Promise<OpenedChallenge> => {
      const resource = await flow.ledger.resource.recent(resId)
      if (resource.status !== 'active' || !mayUse(actor, { storeId: DEFAULT_STORE, ...resource }))
        return refuse('resource-not-found', NO_RESOURCE)
      return openChallenge(flow, resId, { anonymous: false, setId, ...once.mark })
    }
    const opened = await once.make(() => flow.ledger.challenge.read(setId), open)
    const { title } = { title: '', ...(await flow.ledger.resource.recent(resId)) }
    const sold = soldAt(`${flow.origins.base}/r/${resId}`, { resId, title })
    const accepts = honestAccepts(await waysOf(flow, { ...opened, setId }), sold)
    return { res_id: resId, ...price(opened), accepts, ...marked(opened) }
  },
})

const soldAt = (url: string, { resId, title }: Pick<ResourceRow, 'resId' | 'title'>) => ({
  url,
  description: title || `Resource ${resId}`,
})

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
