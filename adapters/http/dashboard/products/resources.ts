import { z } from 'zod'
import type { Once } from '../../../../domain/use-cases/once.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import { type Listed, NewResource, ResourceChange } from '../../agent/common/resource-shape.ts'
import {
  changeResource,
  disableResource,
  listResources,
  makeResource,
  oneResource,
} from '../../agent/selling/own-resources.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { type LinkDone, linkPage } from '../../pages/dashboard/products/detail.ts'
import { type LinkForm, newLinkPage } from '../../pages/dashboard/products/forms.ts'
import { type LinkLine, linksPage } from '../../pages/dashboard/products/list.ts'
import { KINDS, linkAt } from '../../pages/dashboard/products/paths.ts'
import type { PiecesView } from '../../pages/dashboard/products/pieces.ts'
import { seeOther } from '../../pages/people-page.ts'
import { numberIn } from '../first-steps.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { storesOf } from '../payments/list.ts'
import { openTestSale } from '../test-sale.ts'
import { acted, contextOf } from './acts.ts'
import { linkFile } from './file.ts'
import { FILE_ROWS, LinkQuery, listing, ROWS, understood } from './narrowing.ts'
import { countPieces, pieceFields, piecesView } from './pieces.ts'
import { coinOptions, piecesIn } from './product-form.ts'
import { piecesShown, unitsOf } from './product-list.ts'

/** The priced resources of an account: their list, and what is done with one. */

const { path } = KINDS.resources
const common = { ...ofMembers, path, reach: 'store' } as const
const FIELDS = ['title', 'amount', 'currency', 'stock', 'asset', 'listed', 'store_id'] as const
const CHANGEABLE = ['title', 'listed'] as const
const typed = z.string().max(2_100).default('')

const list = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'resources.view' },
  summary: 'The priced resources of the account, newest first, narrowed by the filters in the address',
  query: LinkQuery.extend({ before: listing.before, done: listing.done }),
  async answer({ query: { before, done, ...given }, ...request }) {
    const { wish, errors } = understood(given)
    const rows = wish
      ? await listResources(contextOf(request), { ...wish, before: before || undefined, limit: ROWS + 1 })
      : []
    return linksPage({
      member: request.actor,
      kind: 'resources',
      filters: given,
      errors,
      rows: rows.slice(0, ROWS).map(lineOf),
      isFirst: !before,
      older: rows.length > ROWS ? rows[ROWS - 1]?.res_id : undefined,
      stores: await storesOf(request),
      done,
    })
  },
})

const COLUMNS = [
  'res_id',
  'title',
  'amount',
  'currency',
  'accepted_assets',
  'max_per_caller',
  'listed',
  'stock',
  'in_stock',
  'settled',
  'checkout_url',
] as const

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${path}.csv`,
    method: 'get',
    reach: 'store',
    callers: { capability: 'resources.view' },
    summary: 'The priced resources that the list shows, as CSV',
    ignores: 'query',
    query: LinkQuery,
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    answer: ({ query, ...request }) =>
      linkFile(downloads, request.actor.accountId, 'resources', COLUMNS, async (before) => {
        const { wish } = understood(query)
        return wish ? await listResources(contextOf(request), { ...wish, before, limit: FILE_ROWS }) : []
      }),
  })

const make = endpoint({
  ...common,
  method: 'get',
  when: { new: '1' },
  callers: { capability: 'resources.edit' },
  summary: 'The form in which a resource is priced',
  query: z.object({ new: listing.new }),
  answer: async (request) => newLinkPage({ member: request.actor, kind: 'resources', form: await formOf(request) }),
})

const create = endpoint({
  ...common,
  method: 'post',
  when: { act: 'create' },
  callers: { capability: 'resources.edit' },
  summary: 'Prices a resource',
  body: z.object({
    csrf,
    ...(Object.fromEntries(FIELDS.map((name) => [name, typed])) as Record<(typeof FIELDS)[number], typeof typed>),
  }),
  answer: ({ body: { csrf: _, ...values }, once, ...request }) => made(request, once, values),
})

const one = {
  ...common,
  path: `${path}/:res_id`,
  params: z.object({ res_id: z.string().max(40) }),
  refusals: ['resource-not-found', 'form-stale', 'rate-limited', 'busy'],
} as const

const look = endpoint({
  ...one,
  method: 'get',
  callers: { capability: 'resources.view' },
  summary: 'One priced resource: its addresses, and what a member may do with it',
  query: z.object({ done: listing.done }),
  answer: ({ params, query, ...request }) => show(request, params.res_id, { done: query.done }),
})

const change = endpoint({
  ...one,
  method: 'post',
  when: { act: 'change' },
  callers: { capability: 'resources.edit' },
  summary: 'Changes the title of a resource, and whether it is in the public lists',
  body: z.object({ csrf, title: typed, listed: typed }),
  answer: ({ params: { res_id: id }, body: { title, listed }, ...request }) =>
    acted(
      async () => {
        const body = validInput(ResourceChange, { title, listed: listed === '1' })
        await changeResource(contextOf(request), id, body)
        return seeOther(`${linkAt('resources', id)}?done=changed`)
      },
      (fault) => show(request, id, { fault }),
    ),
})

const stock = endpoint({
  ...one,
  method: 'post',
  when: { act: 'stock' },
  callers: { capability: 'resources.edit' },
  summary: 'Says how many pieces of a resource there are, or how many came or are gone',
  body: z.object(pieceFields),
  answer: ({ params: { res_id: id }, body: { csrf: _, ...typed }, ...request }) =>
    countPieces(request, { kind: 'resources', id }, typed, (pieces) => show(request, id, { pieces })),
})

const test = endpoint({
  ...one,
  method: 'post',
  when: { act: 'test' },
  callers: { capability: 'resources.edit' },
  summary: 'Opens a test sale at the price of a resource; leads to its page',
  body: z.object({ csrf }),
  answer: ({ params: { res_id: id }, once, ...request }) =>
    acted(
      async () => {
        const { amount, currency, title } = await oneResource(contextOf(request), id)
        return await openTestSale({ ...request, once }, { amount, currency, title })
      },
      (fault) => show(request, id, { fault }),
    ),
})

const end = endpoint({
  ...one,
  method: 'post',
  when: { act: 'end' },
  callers: { capability: 'resources.edit' },
  summary: 'Disables a resource; what it sold stays',
  body: z.object({ csrf }),
  answer: ({ params: { res_id: id }, ...request }) =>
    acted(
      async () => {
        await disableResource(contextOf(request), id)
        return seeOther(`${path}?done=ended`)
      },
      (fault) => show(request, id, { fault }),
    ),
})

export const resourceScreenEndpoints = (downloads: Downloads) => [
  list,
  csv(downloads),
  make,
  create,
  look,
  change,
  stock,
  test,
  end,
]

type Typed = Readonly<Record<(typeof FIELDS)[number], string>>

const made = async (request: MemberRequest, once: Once, values: Typed): Promise<Reply> => {
  try {
    const { title, amount, currency, stock, asset, listed, store_id } = values
    const body = validInput(NewResource, {
      title,
      amount: numberIn(amount),
      ...(currency.trim() !== '' && { currency: currency.trim().toUpperCase() }),
      ...(asset !== '' && { accepted_assets: [asset] }),
      listed: listed === '1',
      ...piecesIn(stock),
      ...(store_id !== '' && { store_id: numberIn(store_id) }),
    })
    const { res_id } = await makeResource({ ...contextOf(request), body, once })
    return seeOther(`${linkAt('resources', res_id)}?done=made`)
  } catch (error) {
    const form = await formOf(request, values, faultsOf(error, FIELDS, 'amount'))
    return newLinkPage({ member: request.actor, kind: 'resources', form })
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
    values: values ?? { currency },
    faults,
    choices: { asset: await coinOptions(request, values?.asset), store_id: stores.length > 1 ? stores : [] },
  }
}

const lineOf = (record: z.input<typeof Listed>): LinkLine => ({
  id: record.res_id,
  title: record.title,
  price: unitsOf(record.amount, record.currency),
  state: record.listed ? 'listed' : 'unlisted',
  pieces: piecesShown(record),
})

type Said = {
  readonly done?: LinkDone | undefined
  readonly fault?: string
  readonly pieces?: Pick<PiecesView, 'values' | 'faults'>
}

const show = async (request: MemberRequest, id: string, { pieces, ...said }: Said): Promise<Reply> => {
  const record = await oneResource(contextOf(request), id)
  const { res_id, checkout_url: url, test, title, listed } = record
  return linkPage({
    ...said,
    member: request.actor,
    kind: 'resources',
    line: lineOf(record),
    isTest: test === true,
    url,
    door: `${request.flow.origins.base}/r/${res_id}`,
    form: { fields: CHANGEABLE, values: { title, listed: listed ? '1' : '' }, choices: {} },
    pieces: await piecesView(request, res_id, pieces),
    mayEnd: true,
  })
}
