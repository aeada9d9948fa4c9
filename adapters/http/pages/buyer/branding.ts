import { html } from 'htm/preact'
import type { Settings } from '../../../../domain/account/settings.ts'
import { type Colour, colourOf, inkOn, isReadable } from '../../../storefront/contrast.ts'

/** How a seller's name, logos and colours appear on the pages that buyers see (J-SET-01 `branding`). */

export type Brand = {
  /** The seller's name: that of the branding, else that of the site; empty when the seller gave none. */
  readonly given: string
  /** The name as pages show it; never empty. */
  readonly name: string
  readonly logo: string | undefined
  readonly logoDark: string | undefined
  /** Custom properties of the stylesheet; empty when our own colours stay. */
  readonly style: string
}

/** The backgrounds of pay.css that links and buttons stand on: the card and the page, in each scheme. */
const LIGHT: readonly Colour[] = ['#ffffff', '#fbfaf7']
const DARK: readonly Colour[] = ['#1d232d', '#14181f']

/**
 * Nothing of it is taken on trust: what is no https URL or no colour is left out, and so is a colour that nobody could
 * read.
 */
export const brandOf = (branding: Settings['branding'], siteTitle: string, nameless: string): Brand => {
  const given = branding.brandName.trim() || siteTitle.trim()
  return {
    given,
    name: given || nameless,
    logo: logoOf(branding.logoUrl),
    logoDark: logoOf(branding.logoUrlDark),
    style: styleOf([branding.color1, branding.color2, branding.color3].map(colourOf)),
  }
}

/**
 * Links and buttons get the first of the seller's colours that is readable in each scheme, so that a second, lighter
 * colour serves the dark scheme; the band behind the name gets the first colour, whatever it is, with black or white on
 * it.
 */
const styleOf = (colours: readonly (Colour | undefined)[]): string => {
  const given = colours.filter((each) => each !== undefined)
  const accentOn = (papers: readonly Colour[]) => given.find((each) => papers.every((paper) => isReadable(each, paper)))
  const [light, dark, band] = [accentOn(LIGHT), accentOn(DARK), given[0]]
  return [
    light && `:root{--accent-light:${light};--on-accent-light:${inkOn(light)}}`,
    dark && `:root{--accent-dark:${dark};--on-accent-dark:${inkOn(dark)}}`,
    band && `:root{--band:${band};--on-band:${inkOn(band)}}`,
  ]
    .filter((each) => each !== undefined)
    .join('')
}

/** The address from which a logo is shown: an https URL; undefined for anything else. */
export const logoOf = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : undefined
}

/** The head of a buyer's page: the seller's name, below the logo where there is one. */
export const brandHeader = ({ given, name, logo, logoDark }: Brand) => {
  const image = logo ?? logoDark
  if (!image) return html`<p class="brand"><bdi>${name}</bdi></p>`
  return html`
    <p class="brand">
      <picture>
        ${logoDark && html`<source srcset=${logoDark} media="(prefers-color-scheme: dark)" />`}
        <img src=${image} alt=${given ? '' : name} />
      </picture>
      ${given && html`<bdi>${given}</bdi>`}
    </p>
  `
}
