/** Finds the price in what a price source answers (N-32). Digits stay text: a float would change them. */

import { type Node, parseTree } from 'jsonc-parser'
import { RATE_DECIMALS } from '../../domain/money.ts'

/** The fields that may hold a price, the first one that does wins. */
const PRICE_FIELDS = ['price', 'rate', 'usd', 'value']
/** Digits before the point; beyond them it is no price. */
const WHOLE_DIGITS_MAX = 15

/**
 * US dollars as a decimal with at most 12 places, from a number or a decimal string in one of the fields of the object, else of an object
 * right inside it. Undefined when there is none above zero.
 */
export const priceIn = (text: string): string | undefined => {
  const root = objectIn(text)
  if (!root) return undefined
  const nested = members(root).map(([, value]) => value)
  for (const object of [root, ...nested.filter(({ type }) => type === 'object')]) {
    const price = priceOf(object, text)
    if (price !== undefined) return price
  }
  return undefined
}

/** The text as a whole must be JSON: one that was cut off has no price. */
const objectIn = (text: string): Node | undefined => {
  try {
    JSON.parse(text)
    const root = parseTree(text)
    return root?.type === 'object' ? root : undefined
  } catch {
    return undefined
  }
}

const priceOf = (object: Node, text: string): string | undefined => {
  const fields = new Map(members(object))
  for (const name of PRICE_FIELDS) {
    const value = fields.get(name)
    const written =
      value?.type === 'number' ? text.slice(value.offset, value.offset + value.length) : String(value?.value)
    const price = value && positiveDecimal(written)
    if (price !== undefined) return price
  }
  return undefined
}

const members = (object: Node): [string, Node][] =>
  (object.children ?? []).flatMap(({ children = [] }) => {
    const [key, value] = children
    return key && value ? [[String(key.value), value] as [string, Node]] : []
  })

/** "1.2e-7" is "0.00000012". What is below the twelfth place is cut off, which asks a payer for more and never for less. */
const positiveDecimal = (written: string): string | undefined => {
  const match = /^(\d{1,40})(?:\.(\d{1,80}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(written)
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const point = whole.length + Number(exponent)
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`
  const at = Math.max(0, point)
  const before = digits.slice(0, at).padEnd(at, '0').replace(/^0+/, '')
  const after = digits.slice(at, at + RATE_DECIMALS).replace(/0+$/, '')
  if (before.length > WHOLE_DIGITS_MAX || (before === '' && after === '')) return undefined
  return `${before || '0'}${after && `.${after}`}`
}
