import { z } from 'zod'
import { type Listed, oneRequest } from '../../agent/selling/payment-requests.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { paymentAt } from '../../pages/dashboard/payments/paths.ts'
import { type LinkDone, linkPage } from '../../pages/dashboard/products/detail.ts'
import type { LinkForm } from '../../pages/dashboard/products/forms.ts'
import { KINDS, linkAt } from '../../pages/dashboard/products/paths.ts'
import { seeOther } from '../../pages/people-page.ts'
import { editOwn } from '../../pay/transaction-changes.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { openTestSale, TEST_TERMS } from '../test-sale.ts'
import { acted, contextOf } from './acts.ts'
import { listing } from './narrowing.ts'
import { requestLine } from './request-list.ts'

/** One payment request: how it is passed on, a test of it, and what may be changed. */

const { path } = KINDS.requests
const CHANGEABLE = ['title', 'amount', 'redirect'] as const
const typed = z.string().max(2_100).default('')

const one = {
  ...ofMembers,
  reach: 'store',
  path: `${path}/:id`,
  params: z.object({ id: z.string().max(64) }),
  refusals: ['request-not-found', 'form-stale', 'rate-limited', 'busy'],
} as const

const look = endpoint({
  ...one,
  method: 'get',
  callers: { capability: 'payment-links.view' },
  summary: 'One payment request: its link, and what a member may do with it',
  query: z.object({ done: listing.done }),
  answer: ({ params, query, ...request }) => show(request, params.id, { done: query.done }),
})

const change = endpoint({
  ...one,
  method: 'post',
  when: { act: 'change' },
  callers: { capability: 'transactions.edit' },
  summary: 'Changes what a payment request asks for, until something has come',
  body: z.object({ csrf, title: typed, amount: typed, redirect: typed }),
  answer: ({ params: { id }, body: { csrf: _, ...values }, ...request }) => changed(request, id, values),
})

const test = endpoint({
  ...one,
  method: 'post',
  when: { act: 'test' },
  callers: { capability: 'resources.edit' },
  summary: 'Opens a test sale at the price of a payment request; leads to its page',
  body: z.object({ csrf }),
  answer: ({ params: { id }, once, ...request }) =>
    acted(
      async () => {
        const { amount, currency, title, cryptocurrency: asset } = await oneRequest(contextOf(request), id)
        const price = amount === null ? TEST_TERMS : { amount, currency }
        return await openTestSale({ ...request, once }, { ...price, title: title.slice(0, TEST_TITLE_MAX), asset })
      },
      (fault) => show(request, id, { fault }),
    ),
})
/** Characters of the title of a resource. */
const TEST_TITLE_MAX = 200

const end = endpoint({
  ...one,
  method: 'post',
  when: { act: 'end' },
  callers: { capability: 'transactions.edit' },
  summary: 'Ends a payment request, whose payment is rejected by hand',
  body: z.object({ csrf }),
  answer: ({ params: { id }, ...request }) =>
    acted(
      async () => {
        await edited(request, id, { status: 'X' })
        return seeOther(`${linkAt('requests', id)}?done=ended`)
      },
      (fault) => show(request, id, { fault }),
    ),
})

export const requestEndpoints = [look, change, test, end]

/** Changes it through its payment, as the API's `function=update-transaction` does. */
const edited = async (request: MemberRequest, id: string, values: object): Promise<void> => {
  const { transaction_id } = await oneRequest(contextOf(request), id)
  await editOwn(request.flow, request.queries, request.actor.actor, transaction_id, values)
}

const changed = async (
  request: MemberRequest,
  id: string,
  values: Readonly<Record<(typeof CHANGEABLE)[number], string>>,
): Promise<Reply> => {
  try {
    const present = await oneRequest(contextOf(request), id)
    const { title, redirect } = values
    const amount = values.amount.trim().replace(',', '.')
    await edited(request, id, {
      ...(title !== present.title && { title }),
      ...(redirect !== present.redirect && { redirect }),
      ...(amount !== amountIn(present) && { amount_fiat: amount }),
    })
    return seeOther(`${linkAt('requests', id)}?done=changed`)
  } catch (error) {
    const faults = faultsOf(error, ['title', 'redirect', 'amount_fiat'], 'amount')
    const { amount_fiat, ...others } = faults
    const said = { ...others, ...(amount_fiat !== undefined && { amount: amount_fiat }) }
    return await show(request, id, { form: { fields: CHANGEABLE, values, faults: said, choices: {} } })
  }
}

const amountIn = ({ amount }: z.input<typeof Listed>): string => (amount === null ? '' : String(amount))

type Said = {
  readonly done?: LinkDone | undefined
  readonly fault?: string
  readonly form?: LinkForm
}

const show = async (request: MemberRequest, id: string, { form, ...said }: Said): Promise<Reply> => {
  const record = await oneRequest(contextOf(request), id)
  const isOpen = record.status === 'open'
  const { actor } = request
  const values = { title: record.title, amount: amountIn(record), redirect: record.redirect }
  const fields = record.asset_amount === null ? CHANGEABLE : CHANGEABLE.filter((name) => name !== 'amount')
  return linkPage({
    ...said,
    member: actor,
    kind: 'requests',
    line: requestLine(record),
    isTest: record.test === true,
    url: record.url,
    paymentAt: actor.actor.can('transactions.view') ? paymentAt(record.transaction_id) : undefined,
    form: isOpen ? (form ?? { fields, values, choices: {} }) : undefined,
    mayEnd: isOpen,
  })
}
