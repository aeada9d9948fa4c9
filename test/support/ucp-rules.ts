import { isDeepStrictEqual } from 'node:util'

/**
 * What has to be right about an answer of the commerce protocol whose form is right: each answers all that is wrong.
 */

// biome-ignore lint/suspicious/noExplicitAny: bodies come as JSON, and a schema has passed them before
type Body = any
export type Rule = (body: Body) => string[]

export const session: Rule = (body) => [
  ...totals(body.totals, 'totals'),
  ...body.line_items.flatMap((line: Body, index: number) => lineOfSession(line, isRounded(body.messages, index))),
  ...unique(body.line_items, 'line_items'),
  ...sumOfLines(body),
  ...discounts(body),
  ...unless((body.status === 'completed') === Boolean(body.order), 'an order belongs to what is completed'),
  ...handlers(body),
]

/** Whoever completes learns how to pay, or what is in the way. */
export const completing: Rule = ({ status, payment_handlers = [], messages = [] }) =>
  unless(
    status !== 'ready_for_complete' || payment_handlers.length > 0 || messages.some(isError),
    'it is ready, but nothing says how it is paid',
  )

export const order: Rule = (body) => {
  const ids = new Set(body.line_items.map(({ id }: Body) => id))
  const { expectations = [], events = [] } = body.fulfillment
  const moved = [...expectations, ...events, ...(body.adjustments ?? [])]
  return [
    ...totals(body.totals, 'totals'),
    ...body.line_items.flatMap(lineOfOrder),
    ...[body.line_items, expectations, events, body.adjustments ?? []].flatMap((list) => unique(list, 'order')),
    ...moved.flatMap(({ id, line_items = [] }: Body) =>
      line_items.flatMap((line: Body) => unless(ids.has(line.id), `${id} is about no line of it: ${line.id}`)),
    ),
    ...(body.adjustments ?? []).flatMap(({ id, totals: list = [] }: Body) => entries(list, id)),
  ]
}

export const search: Rule = (body) => {
  const { cursor, has_next_page, total_count, total, limit, offset } = body.pagination
  return [
    ...products(body),
    ...unless((cursor !== undefined) === has_next_page, 'there is a cursor if there is a next page, and only then'),
    ...unless(total_count === total, 'total and total_count differ'),
    ...unless(body.products.length <= limit, 'more products than the limit'),
    ...unless(body.products.length === 0 || offset + body.products.length <= total, 'more products than there are'),
  ]
}

export const products: Rule = (body) => [
  ...unique(body.products, 'products'),
  ...body.products.flatMap(({ id, price_range: { min, max }, variants }: Body) => [
    ...unique(variants, id),
    ...variants.flatMap(({ price }: Body) =>
      unless(
        price.currency === min.currency && price.currency === max.currency,
        `${id} is priced in another currency than it says`,
      ),
    ),
    ...unless(min.amount === Math.min(...variants.map(amountOf)), `${id}: nothing has its lowest price`),
    ...unless(max.amount === Math.max(...variants.map(amountOf)), `${id}: nothing has its highest price`),
  ]),
]

export const error: Rule = (body) => [
  ...unless(body.error === body.code && body.error === body.error_code, 'its codes differ'),
  ...unless(body.message === body.content, 'its texts differ'),
]

export const profile: Rule = ({ ucp, signing_keys, keys }) => [
  ...unless(isDeepStrictEqual(signing_keys, keys), 'keys and signing_keys differ'),
  ...Object.values<Body[]>(ucp.capabilities).flatMap((entries) =>
    entries.flatMap((entry) =>
      unless(
        entry.extends === undefined || Object.hasOwn(ucp.capabilities, entry.extends),
        `nothing is extended: ${entry.extends}`,
      ),
    ),
  ),
]

/** Entries that add up to their one total. */
const totals = (list: Body[], where: string): string[] => {
  const of = (type: string) => list.filter((entry) => entry.type === type)
  const [total] = of('total')
  const rest = list.filter(({ type }) => type !== 'total')
  return [
    ...unless(of('subtotal').length === 1 && of('total').length === 1, `${where}: not one subtotal and one total`),
    ...unless(sum(rest.map(({ amount }) => amount)) === total?.amount, `${where} do not add up`),
    ...unless(total?.amount >= 0, `${where}: less than nothing`),
    ...entries(list, where),
  ]
}

const entries = (list: Body[], where: string): string[] =>
  list.flatMap(({ type, amount, display_text, lines }) => [
    ...unless(!LESS.includes(type) || amount < 0, `${where}: ${type} has to be negative`),
    ...unless(!MORE.includes(type) || amount >= 0, `${where}: ${type} is negative`),
    ...unless([...LESS, ...MORE, 'total'].includes(type) || display_text, `${where}: ${type} has no display_text`),
    ...unless(!lines || sum(lines.map(amountOfPart)) === amount, `${where}: the lines of ${type} do not add up`),
  ])

const LESS = ['discount', 'items_discount']
const MORE = ['subtotal', 'fulfillment', 'tax', 'fee']

/**
 * Where a message says that a price was rounded or converted, the line was rounded as a whole: it is then less than
 * half a smallest unit apart from so many of the price.
 */
const lineOfSession = ({ id, item, quantity, totals: list }: Body, isRounded: boolean): string[] => {
  const apart = Math.abs(amountOfType(list, 'subtotal') - item.price * quantity)
  return [
    ...totals(list, id),
    ...unless(isRounded ? apart < quantity : apart === 0, `${id}: price times quantity is not its subtotal`),
  ]
}

const ROUNDED = ['price_rounded', 'currency_converted']
const isRounded = (messages: Body[] = [], index: number): boolean =>
  messages.some(({ code, path }) => ROUNDED.includes(code) && path === `$.line_items[${index}]`)

const lineOfOrder = ({ id, quantity, status, totals: list }: Body): string[] => {
  const { original, total, fulfilled } = quantity
  const due = total === 0 ? 'removed' : fulfilled === total ? 'fulfilled' : fulfilled > 0 ? 'partial' : 'processing'
  return [
    ...totals(list, id),
    ...unless(fulfilled <= total && total <= original, `${id}: more than was ordered`),
    ...unless(status === due, `${id} is ${status}, but ought to be ${due}`),
  ]
}

/** Every sum of the whole is that of its lines. */
const sumOfLines = ({ totals: whole, line_items }: Body): string[] =>
  whole.flatMap(({ type, amount }: Body) =>
    unless(
      sum(line_items.map(({ totals: list }: Body) => amountOfType(list, type))) === amount,
      `${type} is not the sum of the lines`,
    ),
  )

const discounts = ({ totals: whole, discounts: { applied = [] } = {} as Body, line_items }: Body): string[] => [
  ...unless(
    sum(applied.map(amountOfPart)) === -sum(LESS.map((type) => amountOfType(whole, type))),
    'the discounts applied are not what was taken off',
  ),
  ...applied.flatMap(({ title, amount, allocations }: Body) => [
    ...unless(!allocations || sum(allocations.map(amountOfPart)) === amount, `${title}: its allocations do not add up`),
    ...(allocations ?? []).flatMap(({ path }: Body) =>
      unless(Number(/\d+/.exec(path)?.[0]) < line_items.length, `${title}: there is no ${path}`),
    ),
  ]),
]

/** What the documents call a handler is one of those of UCP. */
const handlers = ({ ucp, payment_handlers = [] }: Body): string[] =>
  payment_handlers.flatMap(({ handler }: Body) =>
    unless(handler === undefined || Object.hasOwn(ucp.payment_handlers, handler), `no such handler: ${handler}`),
  )

const unique = (list: readonly Body[], where: string): string[] =>
  unless(new Set(list.map(({ id }) => id)).size === list.length, `${where}: an id stands twice`)

const unless = (holds: unknown, wrong: string): string[] => (holds ? [] : [wrong])

const isError = ({ type }: Body) => type === 'error'
const amountOf = ({ price }: Body): number => price.amount
const amountOfPart = ({ amount }: Body): number => amount
const amountOfType = (list: readonly Body[], type: string): number =>
  sum(list.filter((entry) => entry.type === type).map(amountOfPart))

const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0)
