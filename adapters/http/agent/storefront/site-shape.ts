import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { LAYOUTS, type Layout, type SiteJson, THEMES } from '../../../../domain/storefront/looks.ts'
import type { SiteTemplate } from '../../../../domain/storefront/site.ts'
import { httpsUrl } from '../../../storefront/https.ts'
import type { OwnImage } from '../../../storefront/own-images.ts'
import { SECTIONS_MAX } from '../../../storefront/sections.ts'

/**
 * A site and its templates on the wire (S-SITE-01 to S-SITE-08, N-49). A field of a write that nobody knows is refused
 * (N-07).
 */

/** Characters of the values and of a layout as JSON, and of a stylesheet. */
const JSON_CHARS_MAX = 32 * 1_024
const CSS_CHARS_MAX = 32 * 1_024
/** Levels of objects and lists within each other. */
const DEPTH_MAX = 8
const LINKS_MAX = 12
const URL_MAX = 2_048
const NAME_MAX = 80
const CHECKOUT_MAX = 2 ** 53 - 1

const text = (max: number) => z.string().max(max)
const Html = text(8_000)
const Image = text(URL_MAX)
const Link = z.looseObject({
  label: z.string().min(1).max(60),
  url: text(URL_MAX).refine((url) => httpsUrl(url) !== undefined, 'has to be an https URL'),
})

/**
 * The values of a site. Members that our components show are checked; others are kept and given back, and never shown.
 */
const Chrome = z
  .looseObject({
    title: text(120).optional(),
    tagline: text(300).optional(),
    announcement: text(300).optional(),
    about: Html.optional(),
    footer: text(500).optional(),
    hero: z
      .looseObject({ heading: text(120).optional(), text: text(600).optional(), image: Image.optional() })
      .optional(),
    links: z.array(Link).max(LINKS_MAX).optional(),
    logo: Image.optional(),
  })
  .refine(isSmall, `has to have at most ${JSON_CHARS_MAX} characters as JSON, ${DEPTH_MAX} levels deep`)
  .meta({ id: 'SiteValues', description: 'Texts, links and pictures of a storefront; `about` may hold simple HTML.' })

const SectionOf = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['hero', 'links', 'about']) }),
  z.strictObject({
    type: z.literal('products'),
    columns: z.int().min(1).max(4).optional(),
    limit: z.int().min(1).max(60).optional(),
  }),
  z.strictObject({ type: z.literal('featured'), checkout_id: z.int().min(0).max(CHECKOUT_MAX).optional() }),
  z.strictObject({ type: z.literal('text'), heading: text(120).optional(), html: Html }),
  z.strictObject({ type: z.literal('image'), src: Image, alt: text(300).optional() }),
])
const BARE = ['hero', 'products', 'featured', 'links', 'about'] as const

const LayoutGiven = z
  .union([
    z.enum(LAYOUTS),
    z.strictObject({
      name: z.string().max(NAME_MAX).optional(),
      sections: z.array(z.union([z.enum(BARE), SectionOf])).max(SECTIONS_MAX),
    }),
  ])
  .refine(isSmall, `has to have at most ${JSON_CHARS_MAX} characters as JSON`)
  .meta({ id: 'SiteLayout', description: 'The name of a layout, or sections from top to bottom.' })

const Css = text(CSS_CHARS_MAX)

export const NewTemplate = z.strictObject({
  name: z.string().trim().min(1).max(NAME_MAX),
  base_template: z.enum(LAYOUTS).default('classic'),
  base_theme: z.enum(THEMES).default('plain'),
  chrome: Chrome,
  css: Css.default(''),
  layout: LayoutGiven.optional(),
})

export const TemplateChange = z.strictObject({ chrome: Chrome, css: Css.optional(), layout: LayoutGiven.optional() })

export const SiteChange = z.strictObject({ chrome: Chrome.optional(), layout: LayoutGiven.optional() })

const Values = z.record(z.string(), z.unknown())
const LayoutShown = z.union([z.string(), Values])

export const Template = z
  .object({
    id: z.int(),
    name: z.string(),
    base_template: z.enum(LAYOUTS),
    base_theme: z.enum(THEMES),
    chrome: Values,
    css: z.string(),
    layout: LayoutShown,
    version: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'SiteTemplate',
    description: 'Looks to apply to the site. A change of it shows once it is applied again.',
  })

const choice = (names: readonly [string, ...string[]]) => z.array(z.object({ name: z.enum(names), says: z.string() }))

export const SiteShown = z
  .object({
    values: Values,
    template: z.int().nullable(),
    themes: choice(THEMES),
    layouts: choice(LAYOUTS),
    layout: LayoutShown,
    style_vars: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Site', description: 'The storefront of the account, and what it can be made of.' })

export const templateShown = (template: SiteTemplate): z.input<typeof Template> => ({
  id: template.id,
  name: template.name,
  base_template: template.baseTemplate,
  base_theme: template.baseTheme,
  chrome: template.chrome,
  css: template.css,
  layout: template.layout,
  version: template.version,
  created_at: template.createdAt,
  updated_at: template.changedAt,
})

type LooksInput = {
  readonly chrome?: z.output<typeof Chrome> | undefined
  readonly layout?: z.output<typeof LayoutGiven> | undefined
}

/** What was checked is what is kept; pictures have to be the account's own, as the ledger knows them now. */
export const looksGiven = ({ chrome, layout }: LooksInput, ownImage: OwnImage) => {
  const sections = typeof layout === 'object' ? layout.sections : []
  const pictures = [
    ['chrome.logo', chrome?.logo],
    ['chrome.hero.image', chrome?.hero?.image],
    ...sections.map((each, at) => [
      `layout.sections.${at}.src`,
      typeof each === 'object' && each.type === 'image' ? each.src : undefined,
    ]),
  ] as const
  for (const [member, url] of pictures)
    if (url && ownImage(url) === undefined)
      refuse(
        'invalid-request',
        `${member}: has to be one of your pictures; upload one with POST /v1/site?resource=assets`,
      )
  return {
    chrome: chrome as SiteJson | undefined,
    layout: layout as Layout | undefined,
  }
}

function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length <= JSON_CHARS_MAX && depthOf(value) <= DEPTH_MAX
}

/** The levels of objects and lists in a value. No body is nested deeply, so this ends. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
