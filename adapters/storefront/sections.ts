import { type Layout, type LayoutName, SECTIONS, type SiteJson } from '../../domain/storefront/looks.ts'
import type { OwnImage } from './own-images.ts'

/**
 * What stands on a storefront, from top to bottom: the layout that a seller chose or made, with what our components
 * need of each section.
 */

export type Section =
  | { readonly type: 'hero' | 'links' | 'about' }
  | { readonly type: 'products'; readonly columns: number; readonly limit: number }
  /** One checkout larger than the others; the newest one where none is named. */
  | { readonly type: 'featured'; readonly checkoutId: number | null }
  /** `html` is clean. */
  | { readonly type: 'text'; readonly heading: string; readonly html: string }
  /** `src` is a path of ours. */
  | { readonly type: 'image'; readonly src: string; readonly alt: string }

export const SECTIONS_MAX = 20
const COLUMNS = 3
const LIMIT = 24

type SectionContext = {
  readonly ready: Readonly<Record<LayoutName, { readonly sections: readonly Section[] }>>
  readonly ownImage: OwnImage
  html(text: string): string
}

/**
 * The sections of a stored layout. A section that was stored by an older rule, and is no section any more, is left out.
 */
export const sectionsOf = (layout: Layout, reading: SectionContext): readonly Section[] => {
  if (typeof layout === 'string') return (reading.ready[layout] ?? reading.ready.classic).sections
  const { sections } = layout
  if (!Array.isArray(sections)) return []
  return sections.slice(0, SECTIONS_MAX).flatMap((each) => sectionOf(each, reading) ?? [])
}

const sectionOf = (stored: unknown, { ownImage, html }: SectionContext): Section | undefined => {
  const given: SiteJson = typeof stored === 'object' && stored !== null ? (stored as SiteJson) : { type: `${stored}` }
  const type = SECTIONS.find((each) => each === given.type)
  switch (type) {
    case 'products':
      return { type, columns: whole(given.columns, COLUMNS), limit: whole(given.limit, LIMIT) }
    case 'featured':
      return { type, checkoutId: typeof given.checkout_id === 'number' ? given.checkout_id : null }
    case 'text':
      return { type, heading: text(given.heading), html: html(text(given.html)) }
    case 'image': {
      const src = ownImage(text(given.src))
      return src === undefined ? undefined : { type, src, alt: text(given.alt) }
    }
    default:
      return type && { type }
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const whole = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)
