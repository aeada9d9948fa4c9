import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { StoreNumber } from '../../core/stores.ts'
import { CurrencyCode } from '../common/amounts.ts'
import { UNPAYABLE } from '../common/checkout-shape.ts'
import { type ImportResult, importProducts } from './product-import.ts'

/** Products from a file of Shopify's (N-106). */

/** The largest file, in bytes, and the milliseconds in which it has to have come. */
export const FILE_MAX_BYTES = 2 * 1_024 * 1_024
export const FILE_LIMIT_MS = 15_000
/** Remarks of one kind that one answer tells; there may be one for each cell. */
const REMARKS_MAX = 500

const Remark = z.object({ row: z.int(), column: z.string(), code: z.string(), message: z.string() }).meta({
  id: 'CellRemark',
  description: 'What is wrong with a cell of a file, or worth knowing; row 1 is its heading.',
})

const Imported = z
  .object({
    dry_run: z.boolean(),
    applied: z.boolean().meta({ description: 'Whether what is told of the products was written, too.' }),
    currency: z.string(),
    made: z.int(),
    changed: z.int(),
    left: z.int(),
    faulty: z.int(),
    products: z.array(
      z.object({
        handle: z.string(),
        title: z.string(),
        row: z.int(),
        outcome: z.enum(['made', 'changed', 'left']),
        variants: z.object({ made: z.int(), changed: z.int(), left: z.int() }),
      }),
    ),
    left_out: z.array(z.string()).meta({ description: 'The handles of products in which something is wrong.' }),
    faults: z.array(Remark),
    faults_total: z.int(),
    notes: z.array(Remark),
    notes_total: z.int(),
  })
  .meta({
    id: 'ProductImport',
    description: 'What a file of products makes, changes and leaves, and what is wrong with it.',
  })

const flag = z.enum(['0', '1']).default('0')

const importFile = endpoint({
  method: 'post',
  path: '/v1/products/import',
  summary:
    'Make and change products by a product CSV of Shopify, as text/csv or in a form; the same file again makes nothing twice. With dry_run=1 nothing is written, with all=1 nothing unless all is right',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  query: z.object({
    dry_run: flag,
    all: flag,
    currency: CurrencyCode.optional(),
    store_id: StoreNumber.optional(),
  }),
  takes: { upload: { maxBytes: FILE_MAX_BYTES, limitMs: FILE_LIMIT_MS, plain: 'text/csv' } },
  returns: Imported,
  refusals: [...UNPAYABLE, 'store-not-found', 'too-many-checkouts', 'body-too-large', 'body-too-slow', 'busy'],
  async answer({ query, upload, ...request }) {
    const isDry = query.dry_run === '1'
    const wish = { isDry, needsAll: query.all === '1', currency: query.currency, storeId: query.store_id }
    return { dry_run: isDry, ...importRecord(await importProducts(request, await upload(), wish)) }
  },
})

const importRecord = ({ products, faults, notes, faulty, applied, currency }: ImportResult) => {
  const count = (which: string) => products.filter(({ outcome }) => outcome === which).length
  return {
    applied,
    currency,
    made: count('made'),
    changed: count('changed'),
    left: count('left'),
    faulty: faulty.length,
    products: products.map(({ variants, ...product }) => ({ ...product, variants: { ...variants } })),
    left_out: [...faulty],
    faults: faults.slice(0, REMARKS_MAX).map((each) => ({ ...each })),
    faults_total: faults.length,
    notes: notes.slice(0, REMARKS_MAX).map((each) => ({ ...each })),
    notes_total: notes.length,
  }
}

export const importEndpoints = [importFile]
