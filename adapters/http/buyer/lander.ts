import { z } from 'zod'
import { isRefusal, refuse } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { stockOf } from '../../../domain/use-cases/selling/stock/change-stock.ts'
import { type LanderVisit, landerAt } from '../../../domain/use-cases/storefront/make-offer.ts'
import type { Queries } from '../../../projections/index.ts'
import { fiatNumber } from '../agent/common/amounts.ts'
import { buyUrl, CheckoutName } from '../agent/common/checkout-shape.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { landerPage } from '../pages/store/lander.ts'
import { storeLocale } from '../pages/store/messages/store-locale.ts'
import { missingPage } from '../pages/store/missing.ts'
import { type OfferTyped, thanksPage } from '../pages/store/offer.ts'
import { forSaleAt } from './buy.ts'
import { chosenAmount } from './choice.ts'
import { faceOf } from './face.ts'
import { offerFields, takeOffer } from './offers.ts'

/**
 * The public page of a lander: one product, in its seller's words, and a form for offers where the seller takes them
 * (S-LAN-02, S-LAN-06).
 */

const common = {
  path: '/l/:slug',
  ignores: 'query',
  method: 'get',
  auth: 'none',
  params: z.object({ slug: CheckoutName }),
  waits: 'before',
  refusals: ['lander-not-found'],
} as const

const page = { page: true, returns: z.string(), produces: 'text/html' } as const

const Shown = z
  .object({
    slug: z.string(),
    title: z.string(),
    headline: z.string(),
    subline: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    image: z.url().nullable(),
    buy: z.object({ method: z.literal('POST'), url: z.url() }),
    offers: z.object({ method: z.literal('POST'), url: z.url() }).nullable(),
    in_stock: z.boolean(),
  })
  .meta({
    id: 'LanderShown',
    description: 'What a landing page shows, where it is bought, and where another price is offered.',
  })

const look = endpoint({
  ...common,
  ...page,
  summary: 'The public page of a lander',
  async answer({ params: { slug }, flow, queries, languages }) {
    const visited = await landerAt(flow, slug)
    return visited ? shown({ flow, queries, languages }, visited) : missingPage(languages, 'product')
  },
})

const thank = endpoint({
  ...common,
  ...page,
  when: { said: 'offered' },
  summary: 'What somebody reads who has made an offer at a lander',
  query: z.object({ said: z.literal('offered') }),
  async answer({ params: { slug }, flow, queries, languages }) {
    const visited = await landerAt(flow, slug)
    if (visited === undefined) return missingPage(languages, 'product')
    const { face } = await faceOf(flow, queries, visited.checkout, languages)
    return thanksPage(face, visited.checkout.title, pathOf(visited))
  },
})

const tell = endpoint({
  ...common,
  summary: 'What a lander shows, for machines',
  query: z.object({ agent: z.string().max(8).optional() }),
  returns: Shown,
  async answer({ params: { slug }, flow }) {
    const visited =
      (await landerAt(flow, slug)) ?? refuse('lander-not-found', 'There is no lander here. Look at the link again.')
    const { checkout, lander } = visited
    const { base, pay } = flow.origins
    const method = 'POST' as const
    return {
      slug: checkout.slug,
      title: checkout.title,
      description: checkout.description,
      headline: lander.headline,
      subline: lander.subline,
      price: fiatNumber(checkout.price),
      currency: checkout.currency,
      image: lander.image && `${base}${lander.image}`,
      buy: { method, url: buyUrl(pay, checkout.slug) },
      in_stock: (await stockOf(flow, lander.checkoutId)).inStock,
      offers: lander.acceptsOffers ? { method, url: `${pay}${pathOf(visited)}/offers` } : null,
    }
  },
})

/**
 * The form as browsers send it. Its meaning is checked afterwards, so that a form that is refused comes back as it was
 * typed.
 */
const Typed = z.object({
  amount: z.string().max(40).default(''),
  email: z.string().max(400).default(''),
  message: z.string().max(4_000).default(''),
})

const Said = z.object(offerFields)

const WRONG = {
  email: 'Please check your email address: the seller answers there.',
  message: 'Please write a shorter message.',
}

const offer = endpoint({
  ...common,
  ...page,
  path: '/l/:slug/offers',
  method: 'post',
  limits: { keyless: true },
  summary: 'A person offers another price at a lander; leads to a page that says so',
  body: Typed,
  otherwise: {
    303: { description: 'The offer was made' },
    400: { description: 'The page of the lander, with what is wrong' },
  },
  refusals: [...common.refusals, 'too-many-entries', 'unavailable'],
  async answer({ params: { slug }, body: typed, flow, queries, languages }) {
    const visited =
      (await landerAt(flow, slug)) ?? refuse('lander-not-found', 'There is no lander here. Look at the link again.')
    const again = (wrong: string) => shown({ flow, queries, languages }, visited, { typed, wrong })
    const amount = chosenAmount(typed.amount)
    if (amount === undefined) return again('Please say what you would give, for example 25 or 12.50.')
    const fields = Said.safeParse({ email: typed.email.trim(), message: typed.message })
    if (!fields.success) return again(WRONG[fields.error.issues[0]?.path[0] === 'message' ? 'message' : 'email'])
    try {
      await takeOffer(flow, queries, slug, { ...fields.data, currency: undefined, amount })
    } catch (error) {
      if (!isRefusal(error, 'too-many-entries')) throw error
      return again('There are many offers already. Please come back later.')
    }
    return new Reply(303, '', { Location: `${pathOf(visited)}?said=offered`, 'Cache-Control': 'no-store' })
  },
})

/**
 * The page of a refused offer stands at this address; a browser that loads it anew has nothing to send, and starts
 * over.
 */
const back = endpoint({
  ...common,
  ...page,
  page: 'always',
  path: '/l/:slug/offers',
  summary: 'Leads back to the lander',
  otherwise: { 303: { description: 'The page of the lander' } },
  answer: async ({ params: { slug } }) =>
    new Reply(303, '', { Location: `/l/${encodeURIComponent(slug)}`, 'Cache-Control': 'no-store' }),
})

type RefusedOffer = { readonly typed: OfferTyped; readonly wrong: string }

const shown = async (
  { flow, queries, languages }: { flow: UseCaseContext; queries: Queries; languages: string },
  visited: LanderVisit,
  refused?: RefusedOffer,
): Promise<Reply> => {
  const { checkout, lander } = visited
  const [{ face, site }, sold] = await Promise.all([
    faceOf(flow, queries, checkout, languages),
    forSaleAt(flow, { ...checkout, number: lander.checkoutId }, storeLocale(languages)),
  ])
  const path = pathOf(visited)
  return landerPage(
    {
      face,
      sold,
      tpl: lander.tpl,
      headline: lander.headline,
      subline: lander.subline,
      picture: lander.image ?? undefined,
      body: site.html(lander.body),
      buyAt: `/buy/${checkout.slug}`,
      address: `${flow.origins.pay}${path}`,
      origin: flow.origins.base,
      offer: lander.acceptsOffers ? { action: `${path}/offers`, currency: checkout.currency, ...refused } : undefined,
    },
    refused ? 400 : 200,
  )
}

/** The path of a lander: the same whether it was named by its number or by its slug. */
const pathOf = ({ checkout }: LanderVisit): string => `/l/${checkout.slug}`

export const landerPageEndpoints = [look, thank, tell, offer, back]
