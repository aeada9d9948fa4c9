import { decider, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A saved payment link: a product that whoever has the link may buy, as often as they like (S-CHK-02, M-CHK-01). The
 * stream is named by its number. Each change names the version that it was made on, so that two people do not undo each
 * other's work unseen (X-VERS-01).
 */

/** How long the texts of a link may be, in characters, and how many of each thing it may have. */
export const CHECKOUT_BOUNDS = {
  title: 200,
  description: 2_000,
  pictures: 10,
  handle: 200,
  position: 1_000,
  options: 3,
  optionName: 60,
  optionValue: 120,
  vendor: 200,
  tags: 50,
  tag: 100,
  sku: 100,
} as const

/** The name that the variants of one product have in common. */
export const PRODUCT_HANDLE = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*$/u

export type CheckoutFacts = {
  title: string
  /** Fiat price in millionths. */
  price: Units
  currency: string
  /** The only coin it may be paid in; null for all that the seller takes. */
  asset: string | null
  description: string
  storeId: number
  /** Whether it is in the public lists; absent: it is. */
  listed?: boolean
  /** Paths of pictures of the seller's own, the first one first; absent: none. */
  pictures?: readonly string[]
  /** Absent or null for a product that is sold in one form alone. */
  variant?: ProductVariant | null
  /** Who makes it; absent where its seller does not say. */
  vendor?: string
  /** Words that it is found by; absent: none. */
  tags?: readonly string[]
  /** The seller's own number of it; absent where it has none. */
  sku?: string
}

/**
 * One form of a product that is sold in several, such as a size: each form is a payment link of its own, with its own
 * price. The one at position 1 stands for the product in lists, so that a product is there once that one is.
 */
export type ProductVariant = {
  /** The name that the links of one product have in common, such as `green-tea`. */
  readonly product: string
  /** Counted from 1. */
  readonly position: number
  readonly options: readonly VariantOption[]
}

/** What a variant is of one choice, such as Size: 50 g. */
export type VariantOption = { readonly name: string; readonly value: string }

export type CheckoutEvents = {
  /** Its version is 1. */
  CheckoutCreated: CheckoutFacts & {
    accountId: string
    /** Readable part of the link; it stays when the title changes, so that a link once shared goes on working. */
    slug: string
    /** What its number was made from. */
    origin: string
    createdAt: string
    /** Set for a test: nobody pays it with money, and no public list has it. */
    test?: true
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  /** The whole checkout as it is from now on. */
  CheckoutChanged: CheckoutFacts & { accountId: string; version: number; changedAt: string }
  /** The checkout is gone from every list and from its link; what it sold stays (X-SOFT-01). */
  CheckoutDeleted: { accountId: string }
}

/**
 * `stores` limits a key to some stores; it finds no checkouts of others (J-AUTH-04). `testOnly`: a sandbox key, which
 * finds no live ones (X-SBX-01).
 */
type CheckoutOwner = { accountId: string; stores?: readonly number[]; testOnly?: boolean }

export type CheckoutCommands = {
  create: Omit<CheckoutEvents['CheckoutCreated'], 'createdAt'>
  /** Facts that are not given stay as they are. Without a version, the newest one is changed. */
  change: CheckoutOwner & { version?: number; facts: Partial<CheckoutFacts> }
  delete: CheckoutOwner
}

export type Checkout = CheckoutEvents['CheckoutCreated'] & {
  status: 'saved' | 'deleted'
  version: number
  changedAt: string
  /** The facts at creation, to compare with when the same request is sent again. */
  first: CheckoutFacts
}
type State = { status: 'none' } | Checkout

export const checkout = decider<CheckoutEvents, CheckoutCommands, State>({
  category: 'checkout',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data, now) => {
      if (state.status !== 'none')
        return refuse(
          'id-taken',
          'There is a checkout of this number already. Send the same request again to be told of it.',
        )
      if (BigInt(data.price) <= 0n) return refuse('amount-not-positive', PRICE_ABOVE_ZERO)
      return [{ type: 'CheckoutCreated', data: { ...data, createdAt: now } }]
    },
    change: (state, { version, facts, ...whose }, now) => {
      const { accountId, version: present, ...saved } = owned(state, whose)
      if (version !== undefined && version !== present)
        return refuse(
          'version-conflict',
          `This checkout is at version ${present} by now: read it again, and change that one.`,
        )
      const before = factsOf(saved)
      const after = factsOf({ ...before, ...facts })
      if (BigInt(after.price) <= 0n) return refuse('amount-not-positive', PRICE_ABOVE_ZERO)
      if (sameFacts(before, after)) return []
      return [{ type: 'CheckoutChanged', data: { ...after, accountId, version: present + 1, changedAt: now } }]
    },
    delete: (state, whose) => {
      if (state.status === 'deleted' && isTheirs(state, whose)) return []
      const { accountId } = owned(state, whose)
      return [{ type: 'CheckoutDeleted', data: { accountId } }]
    },
  },
  evolve: {
    CheckoutCreated: (_, data) => ({
      ...data,
      status: 'saved',
      version: 1,
      changedAt: data.createdAt,
      first: factsOf(data),
    }),
    CheckoutChanged: whenExists((state, data) => ({ ...state, ...NOTHING_SAID, ...data })),
    CheckoutDeleted: whenExists((state) => ({ ...state, status: 'deleted' })),
  },
})

/**
 * The part of a link that people read: its title, and the number, so that no two are the same and no list of them is
 * needed.
 */
export const slugOf = (title: string, number: number): string => {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, WORDS_MAX)
    .replace(/^-+|-+$/g, '')
  return `${words || 'item'}-${number.toString(RADIX)}`
}

/** The number in a number or a slug, as text; undefined when the text can be neither. The checkout need not exist. */
export const numberNamed = (named: string): string | undefined => {
  if (/^\d{1,16}$/.test(named)) return String(Number(named))
  const [, number] = /^[a-z0-9-]{1,60}-([0-9a-z]{1,11})$/.exec(named) ?? []
  return number && String(Number.parseInt(number, RADIX))
}

/** Whether a checkout is the one that was asked for: by its number, or by the whole of its slug. */
export const isNamed = ({ slug }: Pick<Checkout, 'slug'>, named: string): boolean =>
  /^\d+$/.test(named) || named === slug

/** What a variant is called: the product's title, and what it is of each choice. */
export const variantTitle = (title: string, options: readonly VariantOption[]): string =>
  options.length === 0 ? title : `${title}, ${optionWords(options)}`

/** The title of the product itself, where that of a variant ends in its options. */
export const productTitle = ({ title, variant }: Pick<CheckoutFacts, 'title' | 'variant'>): string => {
  const end = variantTitle('', variant?.options ?? [])
  return end !== '' && title.endsWith(end) && title !== end ? title.slice(0, -end.length) : title
}

/** What a variant is of each choice, such as `50 g / blue`. */
export const optionWords = (options: readonly VariantOption[]): string => options.map(({ value }) => value).join(' / ')

const PRICE_ABOVE_ZERO = 'The price of a checkout has to be above zero.'

const WORDS_MAX = 48
const RADIX = 36

/** Another tenant's checkout, one of another store, and one that is deleted are not found (X-TEN-01). */
const owned = (state: State, whose: CheckoutOwner): Checkout =>
  state.status === 'saved' && isTheirs(state, whose)
    ? state
    : refuse('checkout-not-found', 'There is no such checkout in this account: look for it in GET /v1/checkouts.')

const isTheirs = (state: Checkout, { accountId, stores, testOnly }: CheckoutOwner): boolean =>
  state.accountId === accountId &&
  (stores === undefined || stores.includes(state.storeId)) &&
  (state.test === true || !testOnly)

/** What an event means by the facts that it leaves out. */
export const NOTHING_SAID = { listed: true, pictures: [], variant: null, vendor: '', tags: [], sku: '' } as const

/** The facts alone, without those that say nothing. */
const factsOf = (facts: CheckoutFacts): CheckoutFacts => {
  const { title, price, currency, asset, description, storeId, listed = true } = facts
  const { pictures = [], variant, vendor = '', tags = [], sku = '' } = facts
  return {
    title,
    price,
    currency,
    asset,
    description,
    storeId,
    ...(!listed && { listed }),
    ...(pictures.length > 0 && { pictures }),
    ...(variant && { variant }),
    ...(vendor !== '' && { vendor }),
    ...(tags.length > 0 && { tags }),
    ...(sku !== '' && { sku }),
  }
}

/** Whether two have the same values; those of lists and variants are compared by what is in them, in its order. */
const sameFacts = (a: CheckoutFacts, b: CheckoutFacts): boolean =>
  (Object.keys({ ...a, ...b }) as (keyof CheckoutFacts)[]).every(
    (name) => a[name] === b[name] || JSON.stringify(a[name]) === JSON.stringify(b[name]),
  )
