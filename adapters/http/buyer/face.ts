import type { Flow } from '../../../domain/flows/flow.ts'
import { shopHandle } from '../../../domain/sell/shop.ts'
import type { Queries } from '../../../projections/index.ts'
import { logoOf } from '../pages/branding.ts'
import { colourOf } from '../pages/contrast.ts'
import type { Face } from '../pages/store/face.ts'
import type { Home } from '../pages/store/home.ts'
import { themeCss } from '../pages/store/themes.ts'

/** What a store shows of itself, from its seller's site and branding. */

export type Shown = { readonly face: Face; readonly home: Pick<Home, 'parts' | 'hero' | 'about'> }

export const shownAs = async (flow: Flow, queries: Queries, accountId: string, storeId: number): Promise<Shown> => {
  const [{ branding }, shop] = await Promise.all([
    flow.ledger.settings.recent(accountId),
    queries.shop(shopHandle(accountId, storeId)),
  ])
  const colours = [branding.color1, branding.color2, branding.color3].map(colourOf).filter((each) => each !== undefined)
  const title = branding.brandName.trim() || 'Shop'
  return {
    face: {
      ...{ title, tagline: '', announcement: '', footer: '', seller: title },
      ...{ logo: logoOf(branding.logoUrl), logoDark: logoOf(branding.logoUrlDark) },
      ...{ links: [], arrangement: 'classic', theme: 'plain', style: themeCss('plain', colours, 'both') },
      home: shop && `/shop/${shop.handle}`,
    },
    home: {
      parts: [{ type: 'hero' }, { type: 'products', columns: 3 }, { type: 'about' }, { type: 'links' }],
      hero: { heading: '', text: '', image: undefined },
      about: '',
    },
  }
}
