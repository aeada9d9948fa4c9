import { decider } from '../kernel/decider.ts'
import { FIAT_DECIMALS, mulDivRound, toUnits } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import { stepFor } from '../money/vat/amounts.ts'

/**
 * The discount codes of one seller (S-DSC-01 to S-DSC-04). A code is written as the seller likes, and found however a
 * buyer writes it; it multiplies a price, so that 0.8 is a fifth off (I-DSC-01, N-47).
 */

/** Codes that one account may have at once; the list shows them all. */
export const DISCOUNT_CODES_MAX = 200
/** Characters of a code. */
export const DISCOUNT_CODE_MAX = 40

export type DiscountCode = {
  readonly code: string
  /**
   * The factor of the price: above 0 and at most 1, as a decimal with at most 6 places and without zeros at its end.
   */
  readonly multiplier: string
}

export type DiscountEvents = {
  /** A code is taken from now on, or taken for another multiplier than before. */
  DiscountCodeAdded: DiscountCode
  /** These codes alone are taken from now on. */
  DiscountCodesReplaced: { codes: readonly DiscountCode[] }
  DiscountCodeRemoved: { code: string }
}

export type DiscountCommands = {
  add: DiscountCode
  replace: { codes: readonly DiscountCode[] }
  /** Does nothing for a code that is not there. */
  remove: { code: string }
}

/** Keyed by the code in lower case. */
type Codes = { readonly [key: string]: DiscountCode }
export type Discounts = { readonly codes: Codes }

export const discounts = decider<DiscountEvents, DiscountCommands, Discounts>({
  category: 'discounts',
  stateVersion: 1,
  initial: { codes: {} },
  decide: {
    add: (state, data) => {
      mustBeGood(data)
      const present = discountOf(state, data.code)
      if (present && isSame(present, data)) return []
      if (present && present.code !== data.code) return otherSpelling(present.code)
      if (!present && Object.keys(state.codes).length >= DISCOUNT_CODES_MAX) return tooMany()
      return [{ type: 'DiscountCodeAdded', data }]
    },
    replace: (state, { codes }) => {
      for (const each of codes) mustBeGood(each)
      if (codes.length > DISCOUNT_CODES_MAX) return tooMany()
      const twice = codes.find(
        ({ code }, index) => codes.findIndex((other) => keyOf(other.code) === keyOf(code)) < index,
      )
      if (twice) return refuse('invalid-request', `code: ${JSON.stringify(twice.code)} stands twice; send it once`)
      const wanted = byKey(codes)
      const isThere = Object.entries(state.codes).every(([key, each]) => wanted[key] && isSame(each, wanted[key]))
      if (isThere && codes.length === Object.keys(state.codes).length) return []
      return [{ type: 'DiscountCodesReplaced', data: { codes } }]
    },
    remove: (state, { code }) => {
      const present = discountOf(state, code)
      return present ? [{ type: 'DiscountCodeRemoved', data: { code: present.code } }] : []
    },
  },
  evolve: {
    DiscountCodeAdded: ({ codes }, data) => ({ codes: { ...codes, [keyOf(data.code)]: data } }),
    DiscountCodesReplaced: (_, { codes }) => ({ codes: byKey(codes) }),
    DiscountCodeRemoved: ({ codes }, { code }) => ({
      codes: Object.fromEntries(Object.entries(codes).filter(([key]) => key !== keyOf(code))),
    }),
  },
})

/** The discount that a code stands for, however a buyer has written it; undefined when it is none. */
export const discountOf = ({ codes }: Discounts, typed: string): DiscountCode | undefined =>
  Object.hasOwn(codes, keyOf(typed)) ? codes[keyOf(typed)] : undefined

/** The codes in alphabetical order, whichever came first. */
export const listedCodes = ({ codes }: Discounts): DiscountCode[] =>
  Object.entries(codes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each)

/**
 * The price for a buyer who has the code, in millionths: rounded half up to the smallest unit of the currency, and
 * never to zero. A price that is finer than that unit stays as fine (N-47).
 */
export const discountedPrice = (price: bigint, multiplier: string, currency: string): bigint => {
  const step = stepFor(currency, price)
  const steps = mulDivRound(price / step, toUnits(multiplier, FIAT_DECIMALS), 10n ** BigInt(FIAT_DECIMALS))
  return (steps > 0n ? steps : 1n) * step
}

const keyOf = (code: string): string => code.normalize('NFC').trim().toLowerCase()

const byKey = (codes: readonly DiscountCode[]): Codes =>
  Object.fromEntries(codes.map((each) => [keyOf(each.code), each]))

const isSame = (a: DiscountCode, b: DiscountCode): boolean => a.code === b.code && a.multiplier === b.multiplier

const mustBeGood = ({ code, multiplier }: DiscountCode): void => {
  // A name that every JavaScript object has could be mistaken for a code that is there.
  if (code.length > DISCOUNT_CODE_MAX || !PRINTABLE.test(code) || keyOf(code) in {})
    refuse(
      'invalid-request',
      `code: has to have 1 to ${DISCOUNT_CODE_MAX} printable characters, and no space at its ends`,
    )
  if (!MULTIPLIER.test(multiplier)) refuse('invalid-request', 'multiplier: has to be above 0 and at most 1')
}

const PRINTABLE = /^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u
const MULTIPLIER = /^(1|0\.\d{0,5}[1-9])$/

/** Who means a new code would otherwise reprice one that is there. */
const otherSpelling = (code: string) =>
  refuse(
    'invalid-request',
    `code: ${JSON.stringify(code)} is there, and a buyer may write it in small letters or capitals. Send it as it is to change it.`,
  )

const tooMany = () =>
  refuse('too-many-entries', `An account has at most ${DISCOUNT_CODES_MAX} discount codes. Delete one first.`)
