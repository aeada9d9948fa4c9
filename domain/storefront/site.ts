import { decider } from '../kernel/decider.ts'
import { isSameData } from '../kernel/plain-data.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Layout, LayoutName, Looks, SiteJson, ThemeName } from './looks.ts'

/**
 * The storefront of a seller: what it shows, and templates to choose from (S-SITE-01 to S-SITE-09). Applying a template
 * copies it to the site, so that a template can be worked on without anybody seeing it; the changes show once it is
 * applied again.
 */

/** Templates that one account may have at once. */
const TEMPLATES_MAX = 20
/** Characters of the site and its templates together, as JSON: the whole of them is kept in memory. */
const SITE_CHARS_MAX = 512 * 1_024
/** Pictures of one account, and their bytes; none is ever removed, because a page may show it. */
const IMAGES_MAX = 200
const IMAGE_BYTES_MAX = 64 * 1_024 * 1_024

export type ImageFormat = 'png' | 'jpg' | 'webp'

export type SiteEvents = {
  /** The site's chrome and layout from now on; the template that was applied last stays named as their origin. */
  SiteValuesChanged: { chrome: SiteJson; layout: Layout }
  /** Its version is 1. Numbers are never used again. */
  SiteTemplateCreated: {
    id: number
    name: string
    baseTemplate: LayoutName
    baseTheme: ThemeName
    chrome: SiteJson
    css: string
    layout: Layout
    createdAt: string
  }
  /** The whole template as it is from now on; the site stays as it is until the template is applied again. */
  SiteTemplateChanged: {
    id: number
    chrome: SiteJson
    css: string
    layout: Layout
    version: number
    changedAt: string
  }
  /** The site looks like this version of the template from now on. */
  SiteTemplateApplied: { id: number; version: number }
  /** The template is gone; a site that looks like it stays as it is. */
  SiteTemplateDeleted: { id: number }
  /** A picture that the site may show. Its bytes lie beside the log, under this name. */
  SiteImageUploaded: { image: string; format: ImageFormat; bytes: number; width: number; height: number }
}

type NewTemplate = Omit<SiteEvents['SiteTemplateCreated'], 'id' | 'createdAt'>

export type SiteCommands = {
  /** Values that are not given stay; given ones are replaced as a whole. */
  change: { chrome?: SiteJson | undefined; layout?: Layout | undefined }
  createTemplate: NewTemplate
  /** `css` and `layout` that are not given stay. */
  changeTemplate: { id: number; chrome: SiteJson; css?: string | undefined; layout?: Layout | undefined }
  applyTemplate: { id: number }
  deleteTemplate: { id: number }
  addImage: SiteEvents['SiteImageUploaded']
}

export type SiteTemplate = SiteEvents['SiteTemplateCreated'] & { readonly version: number; readonly changedAt: string }

/** The pictures that an account's pages may show, by name. */
export type SiteImages = { readonly [image: string]: { readonly format: ImageFormat; readonly bytes: number } }

export type Site = Looks & {
  /** The template that was applied last; null before any was, and once it is deleted. */
  readonly template: number | null
  /** The highest number that a template was given. */
  readonly last: number
  readonly templates: { readonly [id: number]: SiteTemplate }
  readonly images: SiteImages
}

export const site = decider<SiteEvents, SiteCommands, Site>({
  category: 'site',
  stateVersion: 1,
  initial: {
    chrome: {},
    css: '',
    layout: 'classic',
    theme: 'plain',
    template: null,
    last: 0,
    templates: {},
    images: {},
  },
  decide: {
    change: (state, given) => {
      const { chrome, layout } = state
      const data = { chrome: given.chrome ?? chrome, layout: given.layout ?? layout }
      if (isSameData(data, { chrome, layout })) return []
      fits({ ...state, ...data })
      return [{ type: 'SiteValuesChanged', data }]
    },
    createTemplate: (state, data, now) => {
      if (Object.keys(state.templates).length >= TEMPLATES_MAX)
        return refuse('invalid-request', `An account has at most ${TEMPLATES_MAX} templates: delete one first.`)
      const created = { id: state.last + 1, ...data, createdAt: now }
      fits(withTemplate(state, { ...created, version: 1, changedAt: now }))
      return [{ type: 'SiteTemplateCreated', data: created }]
    },
    changeTemplate: (state, { id, ...given }, now) => {
      const present = templateOf(state, id)
      const { chrome, css = present.css, layout = present.layout } = given
      const after = { chrome, css, layout }
      if (isSameData(after, { chrome: present.chrome, css: present.css, layout: present.layout })) return []
      fits(withTemplate(state, { ...present, ...after }))
      return [{ type: 'SiteTemplateChanged', data: { id, ...after, version: present.version + 1, changedAt: now } }]
    },
    applyTemplate: (state, { id }) => {
      const template = templateOf(state, id)
      if (state.template === id && isSameData(looksOf(template), looksShown(state))) return []
      fits({ ...state, ...looksOf(template) })
      return [{ type: 'SiteTemplateApplied', data: { id, version: template.version } }]
    },
    deleteTemplate: (state, { id }) => {
      templateOf(state, id)
      return [{ type: 'SiteTemplateDeleted', data: { id } }]
    },
    addImage: ({ images }, data) => {
      if (Object.hasOwn(images, data.image)) return []
      const bytes = Object.values(images).reduce((sum, each) => sum + each.bytes, data.bytes)
      if (Object.keys(images).length >= IMAGES_MAX || bytes > IMAGE_BYTES_MAX)
        return refuse(
          'invalid-request',
          `An account has at most ${IMAGES_MAX} pictures, and ${IMAGE_BYTES_MAX} bytes of them: use one of GET /v1/site, or a smaller one.`,
        )
      return [{ type: 'SiteImageUploaded', data }]
    },
  },
  evolve: {
    SiteValuesChanged: (state, data) => ({ ...state, ...data }),
    SiteTemplateCreated: (state, data) => ({
      ...withTemplate(state, { ...data, version: 1, changedAt: data.createdAt }),
      last: data.id,
    }),
    SiteTemplateChanged: (state, data) => {
      const present = state.templates[data.id]
      return present ? withTemplate(state, { ...present, ...data }) : state
    },
    SiteTemplateApplied: (state, { id }) => {
      const template = state.templates[id]
      return template ? { ...state, ...looksOf(template), template: id } : state
    },
    SiteTemplateDeleted: (state, { id }) => {
      const { [id]: _, ...templates } = state.templates
      return { ...state, templates, template: state.template === id ? null : state.template }
    },
    SiteImageUploaded: (state, { image, format, bytes }) => ({
      ...state,
      images: { ...state.images, [image]: { format, bytes } },
    }),
  },
})

/** Refuses `not-found`. The numbers are those of one account. */
export const templateOf = ({ templates }: Pick<Site, 'templates'>, id: number): SiteTemplate =>
  templates[id] ?? refuse('not-found', 'There is no template of this id. Look for it in GET /v1/site.')

const withTemplate = (state: Site, template: SiteTemplate): Site => ({
  ...state,
  templates: { ...state.templates, [template.id]: template },
})

const looksOf = ({ chrome, css, layout, baseTheme }: SiteTemplate): Looks => ({ chrome, css, layout, theme: baseTheme })

const looksShown = ({ chrome, css, layout, theme }: Site): Looks => ({ chrome, css, layout, theme })

const fits = ({ images: _, ...state }: Site): void => {
  const length = JSON.stringify(state).length
  if (length > SITE_CHARS_MAX)
    refuse(
      'invalid-request',
      `The site and its templates come to ${length} characters, of ${SITE_CHARS_MAX} at most: delete a template, or write less.`,
    )
}
