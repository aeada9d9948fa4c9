import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { type Face, headingClass, outwardLink } from './face.ts'
import { storeFrame } from './frame.ts'
import { cards, type Goods, spot } from './goods.ts'

/** The page of a store: what its layout says, in that order. */

/** A part of the page; one that has no content is left out. */
export type HomePart =
  | { readonly type: 'hero' | 'links' | 'about' }
  | { readonly type: 'products'; readonly columns: number }
  | { readonly type: 'featured'; readonly goods: Goods | undefined }
  /** `html` is clean. */
  | { readonly type: 'text'; readonly heading: string; readonly html: string }
  | { readonly type: 'image'; readonly src: string; readonly alt: string }

export type Home = {
  readonly face: Face
  readonly parts: readonly HomePart[]
  readonly hero: { readonly heading: string; readonly text: string; readonly image: string | undefined }
  /** Clean HTML. */
  readonly about: string
  /** One page of what is sold. */
  readonly goods: readonly Goods[]
  /** The number of the page, counted from one. */
  readonly page: number
  readonly hasMore: boolean
  /** The address of the store. */
  readonly address: string
  /** The origin of our own pictures. */
  readonly origin: string
}

export const homePage = (home: Home): Reply => {
  const { face, hero, parts, page, address, origin } = home
  // What stands on the first page is not read again on the others.
  const shown = page === 1 ? parts : parts.filter(({ type }) => type === 'products')
  const nameFirst = shown[0]?.type !== 'hero'
  return storeFrame({
    face,
    title: face.title,
    nameFirst,
    kind: 'store-home',
    ways: shown.some(({ type }) => type === 'links') ? [] : face.links,
    description: face.tagline || hero.text || face.locale.words.sells(face.title),
    searchable: true,
    canonical: page === 1 ? address : `${address}?page=${page}`,
    picture: hero.image && `${origin}${hero.image}`,
    main: html`${shown.map((part, index) => partOf(home, part, { id: `part-${index}`, isFirst: index === 0, nameFirst }))}`,
  })
}

type Place = { readonly id: string; readonly isFirst: boolean; readonly nameFirst: boolean }

const partOf = (home: Home, part: HomePart, place: Place) => {
  const { id } = place
  switch (part.type) {
    case 'hero':
      return heroPart(home, place)
    case 'products':
      return productsPart(home, part.columns, id)
    case 'featured':
      return part.goods && titled('featured', id, home.face.locale.words.featured, spot(part.goods))
    case 'text':
      return titled('text', id, part.heading, prose(part.html))
    case 'image':
      return html`<section class="part picture wide"><img src=${part.src} alt=${part.alt} loading="lazy" /></section>`
    case 'links':
      return home.face.links.length > 0 && titled('links', id, home.face.locale.words.links, linkList(home.face))
    case 'about':
      return home.about && titled('about', id, home.face.locale.words.about, prose(home.about))
  }
}

const heroPart = ({ face, hero, parts }: Home, { id, nameFirst }: Place) => {
  const heading = hero.heading || face.title
  const text = hero.text || face.tagline
  // The name of the store stands above already.
  if (nameFirst && !hero.heading && !text && !hero.image) return null
  const level = nameFirst ? 'h2' : 'h1'
  return html`
    <section class=${hero.image ? 'hero pictured' : 'hero'} aria-labelledby=${id}>
      <div class="wide">
        <div>
          <${level} id=${id} class=${headingClass(heading)} dir="auto">${heading}</${level}>
          ${text && html`<p class="lead" dir="auto">${text}</p>`}
          ${!nameFirst && parts.findIndex(({ type }) => type === 'products') > 1 && html`<p><a class="button" href="#products">${face.locale.words.seeAll}</a></p>`}
        </div>
        ${hero.image && html`<img src=${hero.image} alt="" />`}
      </div>
    </section>
  `
}

const productsPart = (home: Home, columns: number, id: string) => {
  const { goods, page, face } = home
  const { words } = face.locale
  const nothing = page === 1 ? words.nothingYet : words.nothingMore
  return html`
    <section class="part products wide" id="products" aria-labelledby=${id}>
      <h2 id=${id}>${words.products(page)}</h2>
      ${goods.length > 0 ? cards(goods, columns) : html`<p class="empty">${nothing}</p>`}
      ${pages(home)}
    </section>
  `
}

const titled = (kind: string, id: string, heading: string, inside: unknown) => html`
  <section class=${`part ${kind} wide`} aria-labelledby=${heading ? id : undefined}>
    ${heading && html`<h2 id=${id} dir="auto">${heading}</h2>`}
    ${inside}
  </section>
`

/** `clean` has been made harmless before. */
export const prose = (clean: string) =>
  html`<div class="prose" dir="auto" dangerouslySetInnerHTML=${{ __html: clean }}></div>`

const linkList = ({ links }: Face) => html`
  <ul>
    ${links.map((way) => html`<li>${outwardLink(way)}</li>`)}
  </ul>
`

const pages = ({
  page,
  hasMore,
  face: {
    locale: { words },
  },
}: Home) =>
  (page > 1 || hasMore) &&
  html`<nav class="pages" aria-label=${words.pages}>
    ${page > 1 && html`<a href=${page === 2 ? '?' : `?page=${page - 1}`} rel="prev">${words.back}</a>`}
    <span>${words.page(page)}</span>
    ${hasMore && html`<a href=${`?page=${page + 1}`} rel="next">${words.more}</a>`}
  </nav>`
