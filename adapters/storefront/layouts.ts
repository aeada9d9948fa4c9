import type { LayoutName } from '../../domain/storefront/looks.ts'
import type { Section } from './sections.ts'

/** The layouts that a seller can choose from (S-SITE-01). */

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
