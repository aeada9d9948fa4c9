import type { Settings } from '../../domain/account/settings.ts'
import type { LayoutName, ThemeName } from '../../domain/storefront/looks.ts'
import { type Colour, colourOf, inkOn, isReadable } from '../http/pages/contrast.ts'
import type { Section } from './sections.ts'

/** The themes and layouts that a seller can choose from, and the custom properties that a theme and the branding come to (S-SITE-01). */

export type Theme = {
  readonly says: string
  readonly scheme: 'light' | 'dark'
  readonly paper: Colour
  readonly card: Colour
  readonly ink: Colour
  readonly soft: Colour
  readonly line: Colour
  readonly accent: Colour
  readonly font: string
  readonly radius: string
}

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
const SERIF = 'Charter, "Iowan Old Style", Georgia, serif'

export const themes: Readonly<Record<ThemeName, Theme>> = {
  plain: {
    ...{ says: 'White and quiet', scheme: 'light', font: SANS, radius: '8px' },
    ...{ paper: '#ffffff', card: '#f7f8fa', ink: '#1c2430', soft: '#55606f', line: '#d9dde3', accent: '#0b5c4a' },
  },
  paper: {
    ...{ says: 'Warm paper and a serif', scheme: 'light', font: SERIF, radius: '2px' },
    ...{ paper: '#faf6ee', card: '#fffdf8', ink: '#2b2418', soft: '#665b48', line: '#ddd3bf', accent: '#8a3b12' },
  },
  night: {
    ...{ says: 'Dark, with a bright accent', scheme: 'dark', font: SANS, radius: '10px' },
    ...{ paper: '#14181f', card: '#1d232d', ink: '#e7ebf2', soft: '#a9b4c4', line: '#333c4a', accent: '#6fd3b8' },
  },
  bold: {
    ...{ says: 'Strong colour and large corners', scheme: 'light', font: SANS, radius: '18px' },
    ...{ paper: '#fff4d6', card: '#ffffff', ink: '#17130a', soft: '#5a4a1f', line: '#e0b84a', accent: '#5b21b6' },
  },
}

export const layouts: Readonly<Record<LayoutName, { readonly says: string; readonly sections: readonly Section[] }>> = {
  classic: {
    says: 'A greeting, products in three columns, and who you are',
    sections: [{ type: 'hero' }, { type: 'products', columns: 3, limit: 24 }, { type: 'about' }, { type: 'links' }],
  },
  gallery: {
    says: 'Products first, in four columns',
    sections: [{ type: 'products', columns: 4, limit: 60 }, { type: 'hero' }, { type: 'about' }, { type: 'links' }],
  },
  minimal: {
    says: 'A greeting and a list of products',
    sections: [{ type: 'hero' }, { type: 'products', columns: 1, limit: 24 }, { type: 'links' }],
  },
}

/** Custom properties of a storefront, by name. A merchant's stylesheet may use them and cannot set them. */
export type StyleVars = Readonly<Record<`--store-${string}`, string>>

/** The theme, with the first of the seller's colours that can be read on its paper and its cards in the place of the accent. */
export const styleVars = (name: ThemeName, branding: Settings['branding']): StyleVars => {
  const { paper, card, ink, soft, line, accent, font, radius } = themes[name]
  const given = [branding.color1, branding.color2, branding.color3].map(colourOf).filter((each) => each !== undefined)
  const chosen = given.find((each) => [paper, card].every((under) => isReadable(each, under))) ?? accent
  return {
    ...{ '--store-paper': paper, '--store-card': card, '--store-ink': ink, '--store-soft': soft },
    ...{ '--store-line': line, '--store-accent': chosen, '--store-on-accent': inkOn(chosen) },
    ...{ '--store-font': font, '--store-radius': radius },
  }
}
