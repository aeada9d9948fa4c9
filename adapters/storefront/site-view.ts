import type { SiteJson, ThemeName } from '../../domain/storefront/looks.ts'
import type { Site } from '../../domain/storefront/site.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { httpsUrl } from './https.ts'
import { layouts } from './layouts.ts'
import { type OwnImage, ownImageOf } from './own-images.ts'
import { type Section, sectionsOf } from './sections.ts'
import { themeRules } from './themes.ts'

/**
 * A seller's site as the pages show it (S-SITE-01). Nothing in it is taken on trust: texts are plain text but for those
 * called `html` or said to be clean, pictures are paths of ours, links are https, and the stylesheet reaches nothing
 * but what stands inside the element with the class `store`. That element has to be the only child of a frame that
 * nothing of the merchant's can reach and that clips what it holds (`position: relative; isolation: isolate; contain:
 * layout paint`); our own words of trust stand outside that frame.
 */
export type SiteView = {
  readonly values: SiteValues
  /** The sections of the page, from top to bottom. */
  readonly sections: readonly Section[]
  /**
   * The merchant's own rules, clean and scoped under `.store`, for a style element after ours; empty when there are
   * none.
   */
  readonly css: string
  readonly theme: ThemeName
  /**
   * The custom properties of theme and branding, for a style element before the merchant's rules; those may use them,
   * and cannot set them.
   */
  readonly style: string
  /** Makes a merchant's HTML harmless; what comes out may stand in a page as it is. */
  html(text: string): string
}

/** Texts that the merchant did not give are empty; what is of another kind is not there. */
type SiteValues = {
  readonly title: string
  readonly tagline: string
  readonly announcement: string
  /** Clean HTML. */
  readonly about: string
  readonly footer: string
  readonly hero: { readonly heading: string; readonly text: string; readonly image: string | undefined }
  readonly links: readonly { readonly label: string; readonly url: string }[]
  readonly logo: string | undefined
}

/**
 * The site as far as this process knows it: a page may show what was saved a moment ago only when it is next looked at.
 */
export const siteOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, accountId: string): Promise<SiteView> => {
  const [site, settings] = await Promise.all([ledger.site.recent(accountId), ledger.settings.recent(accountId)])
  const clean = await cleaned(site)
  // A merchant's own rules are written for the light scheme only.
  const style = themeRules(site.theme, settings.branding, clean.css === '' ? 'both' : 'light')
  return { ...clean, theme: site.theme, style }
}

/** The title alone, for pages that show no site. */
export const siteTitleOf = ({ chrome }: Pick<Site, 'chrome'>): string => textOf(chrome.title)

type CleanSite = Pick<SiteView, 'values' | 'sections' | 'css' | 'html'>

/** Cleans a site once for each state that is kept in memory: a large stylesheet takes a tenth of a second. */
const cleaned = async (site: Site): Promise<CleanSite> => {
  const known = kept.get(site)
  if (known) return known
  // The cleaners are loaded here, because they are large and most processes never show a storefront.
  const [{ cleanHtml }, { cleanCss }] = await Promise.all([import('./clean-html.ts'), import('./clean-css.ts')])
  const ownImage = ownImageOf(site.images)
  const html = (text: string) => cleanHtml(text, ownImage)
  const made = {
    values: valuesOf(site.chrome, ownImage, html),
    sections: sectionsOf(site.layout, { ready: layouts, ownImage, html }),
    css: cleanCss(site.css, ownImage),
    html,
  }
  kept.set(site, made)
  return made
}
const kept = new WeakMap<Site, CleanSite>()

const valuesOf = (chrome: SiteJson, ownImage: OwnImage, html: (text: string) => string): SiteValues => {
  const hero = objectOf(chrome.hero)
  return {
    title: textOf(chrome.title),
    tagline: textOf(chrome.tagline),
    announcement: textOf(chrome.announcement),
    about: html(textOf(chrome.about)),
    footer: textOf(chrome.footer),
    hero: { heading: textOf(hero.heading), text: textOf(hero.text), image: ownImage(textOf(hero.image)) },
    links: (Array.isArray(chrome.links) ? chrome.links : []).flatMap((each) => {
      const { label, url } = objectOf(each)
      const href = httpsUrl(textOf(url))
      return href && textOf(label) ? [{ label: textOf(label), url: href }] : []
    }),
    logo: ownImage(textOf(chrome.logo)),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const objectOf = (value: unknown): SiteJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SiteJson) : {}
