import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { buying, type SaleView } from './buy.ts'
import { type Face, headingClass } from './face.ts'
import { storeFrame } from './frame.ts'
import { picture } from './goods.ts'
import { prose } from './home.ts'
import { type OfferForm, offerForm } from './offer.ts'

/**
 * A page that shows one product and nothing else, so that whoever comes by a link to it buys it, or says what they
 * would give for it.
 */

export type LanderPage = {
  readonly face: Face
  /** The arrangement of the page: the picture in the middle, beside the words, or above a longer text. */
  readonly tpl: 'spotlight' | 'split' | 'story'
  /** The seller's own words; the product's where there are none. */
  readonly headline: string
  readonly subline: string
  /** The path of a picture of ours. */
  readonly picture: string | undefined
  /** Clean HTML. */
  readonly body: string
  readonly sold: SaleView
  /** The path that the product is bought at. */
  readonly buyAt: string
  /** Undefined where no offers are taken. */
  readonly offer: OfferForm | undefined
  /** The address of this page, and of our own pictures. */
  readonly address: string
  readonly origin: string
}

/** The page of a lander. `status` is another one when its form was refused. */
export const landerPage = (lander: LanderPage, status = 200): Reply => {
  const { face, tpl, headline, subline, sold, address, origin } = lander
  const frame = {
    face,
    title: headline || sold.title,
    description: subline || sold.description,
    canonical: address,
    picture: lander.picture && `${origin}${lander.picture}`,
    searchable: true,
    typed: true,
    kind: `store-lander tpl-${tpl}`,
    main: html`
      <article class=${tpl === 'split' ? 'goods beside wide' : 'goods wide'}>
        ${tpl === 'spotlight' && words(lander)}
        <div class="shown">${picture({ picture: lander.picture, title: sold.title }, true)}</div>
        ${tpl === 'spotlight' ? html`<div>${deal(lander)}</div>` : html`<div>${words(lander)}${deal(lander)}</div>`}
      </article>
    `,
  }
  return storeFrame(frame, status)
}

const words = ({ headline, subline, sold }: LanderPage) => {
  const title = headline || sold.title
  const text = subline || sold.description
  return html`
    <header>
      <h1 class=${headingClass(title)} dir="auto">${title}</h1>
      ${headline && headline !== sold.title && html`<p class="named" dir="auto">${sold.title}</p>`}
      ${text && html`<p class="lead" dir="auto">${text}</p>`}
    </header>
  `
}

const deal = ({ tpl, body, sold, buyAt, offer, face: { locale } }: LanderPage) => {
  const more = body && prose(body)
  const sale = html`${buying({ ...sold, action: buyAt, locale })}${offer && offerForm(locale, offer)}`
  // A story is read first.
  return tpl === 'story' ? html`${more}${sale}` : html`${sale}${more}`
}
