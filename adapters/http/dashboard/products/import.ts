import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { IMPORT_BOUNDS } from '../../../storefront/import-bounds.ts'
import { CurrencyCode } from '../../agent/common/amounts.ts'
import { FILE_LIMIT_MS, FILE_MAX_BYTES } from '../../agent/selling/import.ts'
import { importProducts } from '../../agent/selling/product-import.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { type ImportView, importPage } from '../../pages/dashboard/products/import.ts'
import { IMPORT } from '../../pages/dashboard/products/paths.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { contextOf } from './acts.ts'

/** Products from a file of Shopify's, as `POST /v1/products/import` takes it: shown first, then imported. */

const common = { ...ofMembers, path: IMPORT, reach: 'store', callers: { capability: 'checkouts.edit' } } as const
const BYTES_PER_MEGABYTE = 1_024 * 1_024
const typed = z.string().max(100).default('')

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The form in which a file of products is sent',
  async answer({ flow, actor }) {
    const { currency } = await flow.ledger.settings.read(actor.accountId)
    return shown({ actor }, { currency, all: false })
  },
})

const send = endpoint({
  ...common,
  method: 'post',
  summary: 'Tells what a file of products would make and change, or makes and changes it',
  takes: { upload: { maxBytes: FILE_MAX_BYTES, limitMs: FILE_LIMIT_MS } },
  body: z.object({
    csrf,
    act: z.enum(['check', 'apply']),
    csv: z.string().max(FILE_MAX_BYTES).optional(),
    currency: typed,
    all: z.literal('1').optional(),
  }),
  refusals: ['form-stale', 'body-too-large', 'body-too-slow', 'busy', 'rate-limited'],
  async answer({ body: { act, csv, currency, all }, upload, ...request }) {
    const values = { currency: currency.trim().toUpperCase(), all: all === '1' }
    const isDry = act === 'check'
    try {
      const file = csv === undefined ? await upload() : Buffer.from(csv)
      if (file.length === 0) refuse('invalid-request', 'file: has to be chosen, and not to be empty')
      const wish = { currency: validInput(Wish, values).currency, storeId: undefined, isDry, needsAll: values.all }
      const result = await importProducts(contextOf(request), file, wish)
      return shown(request, values, { view: { ...result, isDry, csv: isDry ? file.toString() : '' } })
    } catch (error) {
      return shown(request, values, { faults: faultsOf(error, ['file', 'currency'], 'file') })
    }
  },
})

const Wish = z.object({ currency: CurrencyCode, all: z.boolean() })

export const importScreenEndpoints = [look, send]

const shown = (
  { actor }: Pick<MemberRequest, 'actor'>,
  values: { readonly currency: string; readonly all: boolean },
  said: { readonly view?: ImportView; readonly faults?: FormFaults } = {},
): Reply => {
  const bounds = { products: IMPORT_BOUNDS.products, megabytes: FILE_MAX_BYTES / BYTES_PER_MEGABYTE }
  return importPage({ ...said, member: actor, bounds, values })
}
