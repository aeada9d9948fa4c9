import { shopHandle } from '../../../domain/storefront/shop.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Section } from '../../storefront/sections.ts'
import { type SiteView, siteOf } from '../../storefront/site-view.ts'
import { logoOf } from '../pages/buyer/branding.ts'
import type { Face } from '../pages/store/face.ts'
import { storeLocale } from '../pages/store/messages/store-locale.ts'

/**
 * The face of a store, from its seller's site and branding. A seller who says nothing has a plain one with a neutral
 * name.
 */
export const faceOf = async (
  flow: UseCaseContext,
  queries: Queries,
  { accountId, storeId }: { readonly accountId: string; readonly storeId: number },
  languages: string,
): Promise<{ face: Face; site: SiteView }> => {
  const [{ branding }, site, shop] = await Promise.all([
    flow.ledger.settings.recent(accountId),
    siteOf(flow, accountId),
    queries.shop(shopHandle(accountId, storeId)),
  ])
  const { title, tagline, announcement, footer, links, logo } = site.values
  const name = branding.brandName.trim()
  const face = {
    locale: storeLocale(languages),
    title: title.trim() || name || 'Shop',
    seller: name || title.trim(),
    tagline,
    announcement,
    footer,
    links,
    logo: logo ?? logoOf(branding.logoUrl),
    logoDark: logo === undefined ? logoOf(branding.logoUrlDark) : undefined,
    arrangement: arrangementOf(site.sections),
    theme: site.theme,
    style: site.style + site.css,
    home: shop && !shop.suspended ? `/shop/${shop.handle}` : undefined,
  }
  return { face, site }
}

/** The arrangement of the products: one column makes a narrow page, and four columns a wall of pictures. */
const arrangementOf = (sections: readonly Section[]): Face['arrangement'] => {
  const columns = sections.find((section) => section.type === 'products')?.columns
  if (columns === 1) return 'minimal'
  return columns === 4 ? 'gallery' : 'classic'
}
