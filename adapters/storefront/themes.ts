import type { Settings } from '../../domain/account/settings.ts'
import type { ThemeName } from '../../domain/storefront/looks.ts'
import { type Colour, colourOf, inkOn, isReadable } from './contrast.ts'

/**
 * The colours and fonts of the public pages of a store (S-SITE-01). Each theme is a set of custom properties of
 * store.css, for day and for night.
 */

type Palette = {
  readonly paper: Colour
  readonly card: Colour
  readonly ink: Colour
  readonly soft: Colour
  readonly line: Colour
  readonly field: Colour
  readonly accent: Colour
  /** The background of the first thing on the page, and of the place where a picture is missing. */
  readonly tint: Colour
  readonly bad: Colour
}

type Theme = {
  readonly says: string
  readonly light: Palette
  readonly dark: Palette
  /** Faces, corners and rules: the same by day and by night. */
  readonly shape: Readonly<Record<`--store-${string}`, string>>
}

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif'
const SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, "DejaVu Serif", serif'

const quiet = {
  '--store-font': SANS,
  '--store-head-font': SANS,
  '--store-head-weight': '650',
  '--store-head-spacing': '-0.015em',
  '--store-radius': '1rem',
  '--store-pill': '99rem',
  '--store-rule': '1px',
  '--store-tile-rule': '0px',
  '--store-lift': '0 14px 30px -14px rgb(0 0 0 / 0.3)',
}
const night: Palette = {
  paper: '#0f1218',
  card: '#191e27',
  ink: '#eef1f6',
  soft: '#a7b0be',
  line: '#2b3240',
  field: '#768296',
  accent: '#9db8ff',
  tint: '#171c26',
  bad: '#ff9aa8',
}

export const themes: Readonly<Record<ThemeName, Theme>> = {
  plain: {
    says: 'White and quiet',
    light: {
      paper: '#ffffff',
      card: '#ffffff',
      ink: '#17191c',
      soft: '#5a6068',
      line: '#e4e4e0',
      field: '#84888e',
      accent: '#1d1f23',
      tint: '#f4f3ef',
      bad: '#a3182c',
    },
    dark: {
      paper: '#131416',
      card: '#1c1e21',
      ink: '#f0f0ed',
      soft: '#aeb2b8',
      line: '#303338',
      field: '#80868e',
      accent: '#f0efe9',
      tint: '#1d1f22',
      bad: '#ff9aa8',
    },
    shape: quiet,
  },
  paper: {
    says: 'Warm paper and a serif',
    light: {
      paper: '#fbf7ee',
      card: '#fffdf8',
      ink: '#2b241c',
      soft: '#6a5d4c',
      line: '#e2d8c4',
      field: '#8f8370',
      accent: '#7c3320',
      tint: '#f3eadb',
      bad: '#9c1c1c',
    },
    dark: {
      paper: '#1c1814',
      card: '#26211b',
      ink: '#f3ebdd',
      soft: '#bdb09b',
      line: '#3d352b',
      field: '#8d8170',
      accent: '#e9a789',
      tint: '#262019',
      bad: '#ffa39a',
    },
    shape: {
      ...quiet,
      '--store-font': SERIF,
      '--store-head-font': SERIF,
      '--store-head-weight': '600',
      '--store-head-spacing': '-0.005em',
      '--store-radius': '0.25rem',
      '--store-pill': '0.25rem',
      '--store-lift': '0 10px 22px -12px rgb(60 40 10 / 0.4)',
    },
  },
  night: {
    says: 'Dark, by day too',
    light: night,
    dark: night,
    shape: { ...quiet, '--store-lift': '0 14px 34px -12px rgb(0 0 0 / 0.8)' },
  },
  bold: {
    says: 'Strong colours, thick lines and sharp corners',
    light: {
      paper: '#ffffff',
      card: '#ffffff',
      ink: '#0d0d0d',
      soft: '#4c4c4c',
      line: '#0d0d0d',
      field: '#0d0d0d',
      accent: '#2323d9',
      tint: '#ffe45c',
      bad: '#b00020',
    },
    dark: {
      paper: '#0d0d0d',
      card: '#171717',
      ink: '#ffffff',
      soft: '#c4c4c4',
      line: '#f0f0f0',
      field: '#f0f0f0',
      accent: '#ffe45c',
      tint: '#232345',
      bad: '#ff9aa8',
    },
    shape: {
      ...quiet,
      '--store-head-weight': '800',
      '--store-head-spacing': '-0.03em',
      '--store-radius': '0',
      '--store-pill': '0',
      '--store-rule': '2px',
      '--store-tile-rule': '2px',
      '--store-lift': '6px 6px 0 var(--store-ink)',
    },
  },
}

/** Custom properties of a storefront, by name. A merchant's stylesheet may use them and cannot set them. */
type StyleVars = Readonly<Record<`--store-${string}`, string>>

/** The theme as it is by day, with the seller's colours in it. */
export const styleVars = (name: ThemeName, branding: Settings['branding']): StyleVars => ({
  ...themes[name].shape,
  ...coloured(themes[name].light, coloursOf(branding)),
})

/**
 * The custom properties of a theme, with the seller's colours in it: the first colour that is readable everywhere
 * becomes the accent, so that a second, lighter colour serves the night; the band above gets the first colour, whatever
 * it is, with black or white on it. `scheme`: only `light` where the seller wrote rules of its own, which know no other
 * scheme.
 */
export const themeRules = (
  name: ThemeName,
  branding: Settings['branding'] | undefined,
  scheme: 'both' | 'light',
): string => {
  const { light, dark, shape } = themes[name]
  const colours = branding ? coloursOf(branding) : []
  const root = (palette: Palette, more: string) => `:root{${written(coloured(palette, colours))};${more}}`
  if (name === 'night') return root(dark, `color-scheme:dark;${TRUST_DARK};${written(shape)}`)
  const day = root(light, `color-scheme:${scheme === 'light' ? 'light' : 'light dark'};${written(shape)}`)
  return scheme === 'light' ? day : `${day}@media (prefers-color-scheme:dark){${root(dark, TRUST_DARK)}}`
}

const TRUST_DARK = '--trust-paper:#101215;--trust-ink:#b4bac3;--trust-line:#2c3036'

const coloursOf = ({ color1, color2, color3 }: Settings['branding']): readonly Colour[] =>
  [color1, color2, color3].map(colourOf).filter((each) => each !== undefined)

const coloured = (palette: Palette, colours: readonly Colour[]): StyleVars => {
  const { paper, card, tint } = palette
  const accent = colours.find((each) => [paper, card, tint].every((below) => isReadable(each, below))) ?? palette.accent
  const band = colours[0] ?? accent
  const properties = { ...palette, accent, 'on-accent': inkOn(accent), band, 'on-band': inkOn(band) }
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [`--store-${key}`, value]))
}

const written = (properties: Readonly<Record<string, string>>): string =>
  Object.entries(properties)
    .map(([key, value]) => `${key}:${value}`)
    .join(';')
