import { z } from 'zod'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { EXPIRY_DEFAULT } from '../../../../domain/use-cases/selling/challenges/ask-payment.ts'
import { EXPIRIES } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import { type Listed, listRequests, NewRequest, openOwnRequest } from '../../agent/selling/payment-requests.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { type LinkForm, newLinkPage } from '../../pages/dashboard/products/forms.ts'
import { type LinkLine, linksPage } from '../../pages/dashboard/products/list.ts'
import { KINDS, linkAt } from '../../pages/dashboard/products/paths.ts'
import { seeOther } from '../../pages/people-page.ts'
import { symbolOf } from '../../pages/plain-words.ts'
import { numberIn } from '../first-steps.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { storesOf } from '../payments/list.ts'
import { contextOf } from './acts.ts'
import { linkFile } from './file.ts'
import { FILE_ROWS, listing, RequestQuery, ROWS, understood } from './narrowing.ts'
import { coinOptions } from './product-form.ts'
import { unitsOf } from './product-list.ts'

/** The payment requests of an account: their list, and the making of one. */

const { path } = KINDS.requests
const common = { ...ofMembers, path, reach: 'store' } as const
const FIELDS = [
  'title',
  'amount',
  'currency',
  'asset',
  'note',
  'expiry',
  'redirect',
  'external_reference',
  'store_id',
] as const
const typed = z.string().max(2_100).default('')

const list = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'payment-links.view' },
  summary: 'The payment requests of the account, newest first, narrowed by the filters in the address',
  query: RequestQuery.extend({ before: listing.before, done: listing.done }),
  async answer({ query: { before, done, ...given }, ...request }) {
    const { wish, errors } = understood(given)
    const rows = wish
      ? await listRequests(contextOf(request), { ...wish, before: before || undefined, limit: ROWS + 1 })
      : []
    return linksPage({
      member: request.actor,
      kind: 'requests',
      filters: given,
      errors,
      rows: rows.slice(0, ROWS).map(requestLine),
      isFirst: !before,
      older: rows.length > ROWS ? rows[ROWS - 1]?.encrypted_id : undefined,
      stores: await storesOf(request),
      done,
    })
  },
})

const COLUMNS = [
  'encrypted_id',
  'transaction_id',
  'title',
  'amount',
  'currency',
  'asset_amount',
  'cryptocurrency',
  'status',
  'note',
  'external_reference',
  'url',
  'created_at',
  'expires_at',
] as const

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${path}.csv`,
    method: 'get',
    reach: 'store',
    callers: { capability: 'payment-links.view' },
    summary: 'The payment requests that the list shows, as CSV',
    ignores: 'query',
    query: RequestQuery,
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    answer: ({ query, ...request }) =>
      linkFile(downloads, request.actor.accountId, 'payment-requests', COLUMNS, async (before) => {
        const { wish } = understood(query)
        return wish ? await listRequests(contextOf(request), { ...wish, before, limit: FILE_ROWS }) : []
      }),
  })

const make = endpoint({
  ...common,
  method: 'get',
  when: { new: '1' },
  callers: { capability: 'payment-links.create' },
  summary: 'The form in which a payment is asked for',
  query: z.object({ new: listing.new }),
  answer: async (request) => newLinkPage({ member: request.actor, kind: 'requests', form: await formOf(request) }),
})

const create = endpoint({
  ...common,
  method: 'post',
  when: { act: 'create' },
  callers: { capability: 'payment-links.create' },
  summary: 'Asks for one payment by a link',
  body: z.object({
    csrf,
    ...(Object.fromEntries(FIELDS.map((name) => [name, typed])) as Record<(typeof FIELDS)[number], typeof typed>),
  }),
  answer: ({ body: { csrf: _, ...values }, once, ...request }) => made(request, once, values),
})

export const requestListEndpoints = (downloads: Downloads) => [list, csv(downloads), make, create]

type Typed = Readonly<Record<(typeof FIELDS)[number], string>>

const made = async (request: MemberRequest, once: Once, values: Typed): Promise<Reply> => {
  try {
    const { amount, currency, asset, expiry, store_id, ...texts } = values
    const body = validInput(NewRequest, {
      ...texts,
      ...(amount.trim() !== '' && { amount: numberIn(amount) }),
      ...(currency.trim() !== '' && { currency: currency.trim().toUpperCase() }),
      ...(asset !== '' && { asset }),
      ...(expiry !== '' && { expiry }),
      ...(store_id !== '' && { store_id: numberIn(store_id) }),
    })
    const { encrypted_id } = await openOwnRequest({ ...contextOf(request), body, once })
    return seeOther(`${linkAt('requests', encrypted_id)}?done=made`)
  } catch (error) {
    const form = await formOf(request, values, faultsOf(error, FIELDS, 'amount'))
    return newLinkPage({ member: request.actor, kind: 'requests', form })
  }
}

const formOf = async (
  request: MemberRequest,
  values?: LinkForm['values'],
  faults?: LinkForm['faults'],
): Promise<LinkForm> => {
  const { flow, actor } = request
  const stores = await storesOf(request)
  const { currency } = await flow.ledger.settings.read(actor.accountId)
  return {
    fields: FIELDS,
    values: values ?? { currency, expiry: EXPIRY_DEFAULT },
    faults,
    choices: {
      asset: await coinOptions(request),
      expiry: Object.keys(EXPIRIES).map((each) => [each, each] as const),
      store_id: stores.length > 1 ? stores : [],
    },
  }
}

/** A payment request as a line of the list. */
export const requestLine = (record: z.input<typeof Listed>): LinkLine => ({
  id: record.encrypted_id,
  title: record.title,
  price: record.amount === null ? undefined : unitsOf(record.amount, record.currency),
  coinPrice: record.asset_amount === null ? undefined : `${record.asset_amount} ${symbolOf(record.cryptocurrency)}`,
  state: record.status,
  createdAt: record.created_at,
})
