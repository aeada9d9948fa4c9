import { html } from 'htm/preact'
import { type Checkout, optionWords } from '../../../../../domain/selling/checkout.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { PageMember } from '../frame.ts'
import type { Locale } from '../messages/locale.ts'
import { money } from '../parts/figures.ts'
import { table } from '../parts/table.ts'
import { linkAt, newAt } from './paths.ts'

/** What the page of a product has beside that of other links: its pictures, and the other forms of it. */

export type ProductParts = {
  readonly member: PageMember
  readonly slug: string
  readonly pictures: readonly string[]
  /** All forms of the product, this one among them; none where it has one alone. */
  readonly variants: readonly (Pick<Checkout, 'slug' | 'title' | 'currency' | 'variant'> & { readonly price: string })[]
  readonly isTest: boolean
  readonly mayUpload: boolean
}

export const productParts = (locale: Locale, parts: ProductParts) => html`
  ${picturesCard(locale, parts)} ${variantsCard(locale, parts)}
`

const picturesCard = (locale: Locale, { member, slug, pictures, mayUpload }: ProductParts) => {
  const { links: words } = locale.words
  const path = linkAt('products', slug)
  const mayEdit = member.actor.can('checkouts.edit')
  const act = (name: string, picture: string, label: string) => html`
    <form method="post" action=${path}>
      ${hiddenFields({ csrf: member.csrf, act: name, picture })}
      <button type="submit" class="plain">${label}</button>
    </form>
  `
  return html`
    <section class="card" aria-labelledby="pictures">
      <h2 id="pictures">${words.pictures}</h2>
      <p>${words.picturesText}</p>
      ${
        pictures.length === 0
          ? html`<p class="hint">${words.noPictures}</p>`
          : html`<ul class="plain pictures">
              ${pictures.map(
                (picture, n) => html`
                  <li>
                    <img src=${picture} alt=${words.pictureOf(n + 1)} loading="lazy" decoding="async" />
                    ${mayEdit && n > 0 && act('picture-first', picture, words.firstPicture(n + 1))}
                    ${mayEdit && act('picture-remove', picture, words.removePicture(n + 1))}
                  </li>
                `,
              )}
            </ul>`
      }
      ${
        mayEdit &&
        mayUpload &&
        html`
          <form method="post" action=${`${path}?act=picture`} enctype="multipart/form-data" class="narrow">
            ${hiddenFields({ csrf: member.csrf })}
            <div class="row">
              <label for="row-file">${words.file}</label>
              <input id="row-file" name="file" type="file" accept="image/png,image/jpeg,image/webp" required />
            </div>
            <button type="submit">${words.addPicture}</button>
          </form>
        `
      }
    </section>
  `
}

const variantsCard = (locale: Locale, { member, slug, variants, isTest }: ProductParts) => {
  const { links: words } = locale.words
  return html`
    <section class="card" aria-labelledby="variants">
      <h2 id="variants">${words.variants}</h2>
      <p>${words.variantsText}</p>
      ${
        variants.length > 1 &&
        table(
          words.variants,
          [
            {
              title: words.name,
              cell: (each: ProductParts['variants'][number]) => html`
                <a
                  class="row-link"
                  href=${linkAt('products', each.slug)}
                  aria-current=${each.slug === slug ? 'page' : undefined}
                  >${optionWords(each.variant?.options ?? []) || each.title}</a
                >
              `,
            },
            { title: words.price, number: true, cell: ({ price, currency }) => money(locale, BigInt(price), currency) },
          ],
          variants,
        )
      }
      ${
        member.actor.can('checkouts.edit') &&
        !isTest &&
        html`<p><a class="touch" href=${`${newAt('products')}&like=${encodeURIComponent(slug)}`}>${words.addVariant}</a></p>`
      }
    </section>
  `
}
