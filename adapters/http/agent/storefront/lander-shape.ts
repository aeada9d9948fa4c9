import { z } from 'zod'
import { LANDER_TEMPLATES, type LanderFacts } from '../../../../domain/storefront/landers.ts'
import { OFFER_STATUSES } from '../../../../domain/storefront/offer.ts'
import type { LanderRow } from '../../../../projections/storefront/landers.ts'
import { CheckoutName, landerUrl, Picture } from '../common/checkout-shape.ts'

/** A landing page, and an offer made at it, as they are written and read (N-03, N-46). */

const HEADLINE_MAX = 120
const SUBLINE_MAX = 300
const BODY_MAX = 8_000

const Template = z.enum(LANDER_TEMPLATES)

/** The number or the slug of a saved payment link. */
const Checkout = z.union([z.int().min(0).transform(String), CheckoutName])

export const NewLander = z.strictObject({ checkout_id: Checkout, tpl: Template.default('spotlight') })

/** Fields that are not given stay as they are. */
export const LanderEdit = z.strictObject({
  tpl: Template.optional(),
  headline: z.string().max(HEADLINE_MAX).optional(),
  subline: z.string().max(SUBLINE_MAX).optional(),
  image: Picture.nullable().optional(),
  body: z.string().max(BODY_MAX).optional(),
  accepts_offers: z.boolean().optional(),
})

/** The fields that a request has, as the ledger keeps them. */
export const givenFacts = ({ accepts_offers, ...edit }: z.output<typeof LanderEdit>): Partial<LanderFacts> => ({
  ...(edit.tpl !== undefined && { tpl: edit.tpl }),
  ...(edit.headline !== undefined && { headline: edit.headline }),
  ...(edit.subline !== undefined && { subline: edit.subline }),
  ...(edit.image !== undefined && { image: edit.image }),
  ...(edit.body !== undefined && { body: edit.body }),
  ...(accepts_offers !== undefined && { acceptsOffers: accepts_offers }),
})

export const LanderRecord = z
  .object({
    id: z.int(),
    checkout_id: z.int(),
    slug: z.string(),
    title: z.string(),
    tpl: Template,
    headline: z.string(),
    subline: z.string(),
    image: z.string().nullable(),
    accepts_offers: z.boolean(),
    store_id: z.int(),
    active: z.boolean(),
    url: z.url(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Lander',
    description:
      'A landing page for a saved payment link; not `active` when that was deleted, and nobody sees it then.',
  })

/** A lander with the text of its page, which a list leaves out. */
export const WholeLander = LanderRecord.extend({ body: z.string() }).meta({ id: 'WholeLander' })

export const landerRecord = (pay: string, row: LanderRow): z.input<typeof LanderRecord> => ({
  id: row.landerId,
  checkout_id: Number(row.checkoutId),
  slug: row.slug,
  title: row.title,
  tpl: row.tpl,
  headline: row.headline,
  subline: row.subline,
  image: row.image,
  accepts_offers: row.acceptsOffers,
  store_id: row.storeId,
  active: row.active,
  url: landerUrl(pay, row.slug),
  created_at: row.createdAt,
  updated_at: row.changedAt,
})

export const OfferStatus = z.enum(OFFER_STATUSES)

export const OfferRecord = z
  .object({
    id: z.int(),
    lander_id: z.int(),
    checkout_id: z.int(),
    amount: z.number(),
    currency: z.string(),
    email: z.string(),
    message: z.string(),
    status: OfferStatus,
    created_at: z.string(),
  })
  .meta({ id: 'Offer', description: 'What a visitor of a landing page offers for what is sold there.' })
