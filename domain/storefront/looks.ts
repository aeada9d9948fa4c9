/**
 * What a storefront can look like: whatever a merchant sends is data, and our own components make pages of it
 * (S-SITE-01, N-49).
 */

/** Plain data as JSON has it. */
type Json = null | boolean | number | string | readonly Json[] | SiteJson
export type SiteJson = { readonly [name: string]: Json }

/** Colours and type of a storefront. */
export const THEMES = ['plain', 'paper', 'night', 'bold'] as const
export type ThemeName = (typeof THEMES)[number]

/** Orders of sections that are ready made; a template begins with the one of its name. */
export const LAYOUTS = ['classic', 'gallery', 'minimal'] as const
export type LayoutName = (typeof LAYOUTS)[number]

/** Kinds of section that a layout is made of. */
export const SECTIONS = ['hero', 'products', 'featured', 'text', 'image', 'links', 'about'] as const

/** The name of a ready-made layout, or a merchant's own layout: `{name?, sections}`. */
export type Layout = LayoutName | SiteJson

/** All that decides how a storefront looks, as the merchant sent it; it is cleaned when it is shown. */
export type Looks = {
  /** Texts, links and pictures. */
  readonly chrome: SiteJson
  readonly css: string
  readonly layout: Layout
  readonly theme: ThemeName
}
