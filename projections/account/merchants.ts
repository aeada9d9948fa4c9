import { idOf } from '../../domain/kernel/decider.ts'
import { foldedText } from '../../domain/kernel/search-words.ts'
import { type Projection, type Table, upsert } from '../engine/projection.ts'

/** Sellers as public lists name them (J-CAT-01, J-CAT-02). */

const merchants = {
  name: 'merchants',
  columns: {
    account_id: 'text',
    brand_name: 'text',
    /** The brand name as it is searched. */
    search_name: 'text',
    /** Whether its owner has proved an email address and was not erased, and did not close the account. */
    listed: 'boolean',
    /** Whether an operator stopped the account; it is in no list meanwhile. */
    suspended: 'boolean',
  },
  key: ['account_id'],
} as const satisfies Table

export const merchantsProjection: Projection = {
  name: 'merchants',
  version: 3,
  tables: [merchants],
  on: {
    AccountActivated: ({ stream }) => upsert(merchants, fresh(stream), () => ({ listed: true })),
    AccountClosed: ({ stream }) => upsert(merchants, fresh(stream), () => ({ listed: false })),
    AccountErased: ({ stream }) => upsert(merchants, fresh(stream), () => ({ listed: false })),
    AccountSuspended: ({ stream }) => upsert(merchants, fresh(stream), () => ({ suspended: true })),
    AccountReinstated: ({ stream }) => upsert(merchants, fresh(stream), () => ({ suspended: false })),
    BrandingSet: ({ stream, data: { brandName } }) =>
      upsert(merchants, fresh(stream), () => ({ brand_name: brandName, search_name: foldedText(brandName) })),
  },
}

const fresh = (stream: string) => ({
  account_id: idOf(stream),
  brand_name: '',
  search_name: '',
  listed: false,
  suspended: false,
})
