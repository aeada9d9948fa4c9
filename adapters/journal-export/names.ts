import { createHash } from 'node:crypto'
import { assetOf } from '../../domain/kernel/assets.ts'
import { decimalsOf, isCurrency } from '../../domain/reading/journal.ts'

/**
 * The names of accounts and assets in the files of other programs: each stands for one name here, and none can be read
 * as anything else.
 */

export type AccountType = 'asset' | 'liability' | 'equity' | 'income' | 'expense'

/**
 * The books are those of the account holders together: what they have is an asset, what they owe a liability; buyers
 * and gifts are their income, fees and seats their expenses, and what they put in from outside is equity. So no sign
 * has to be turned.
 */
export const typeOf = (account: string): AccountType => {
  const [first = ''] = account.split(':', 1)
  if (Object.hasOwn(viewTypes, first)) return viewTypes[first] as AccountType
  if (/^seller:.*:(owed|refunds)$/.test(account)) return 'liability'
  if (/^(seller|user|app):|^in-transit$/.test(account)) return 'asset'
  return otherTypes[account] ?? 'equity'
}

/** The accounts of somebody's own books say by their names what they are. */
const viewTypes: Readonly<Record<string, AccountType>> = {
  assets: 'asset',
  liabilities: 'liability',
  equity: 'equity',
  income: 'income',
  expenses: 'expense',
}

const otherTypes: Readonly<Record<string, AccountType>> = {
  buyers: 'income',
  'platform:grants': 'income',
  'platform:fees': 'expense',
  'platform:sales': 'expense',
}

/** Names that are kept ready for the next posting; a journal may have any number of them. */
const NAMES_MAX = 4_096

/** The same few accounts and assets stand in line after line. */
const remembering = <T>(nameOf: (text: string) => T) => {
  const known = new Map<string, T>()
  return (text: string): T => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= NAMES_MAX) known.clear()
    const name = nameOf(text)
    known.set(text, name)
    return name
  }
}

/** The name of an account as it is, unless it could be misread, or taken for a name that was made here. */
export const plainAccount = remembering((account) =>
  /^(?!other:)[a-z][\w-]{0,99}(:[\w-]{1,100}){0,4}$/.test(account) ? account : `other:${shortName(account)}`,
)

/** The same for assets. */
export const plainAsset = remembering((asset) =>
  /^(?!X[\dA-Z]{23}$)[\w.:-]{1,100}$/.test(asset) ? asset : shortName(asset),
)

const ROOTS: Readonly<Record<AccountType, string>> = {
  asset: 'Assets',
  liability: 'Liabilities',
  equity: 'Equity',
  income: 'Income',
  expense: 'Expenses',
}

/**
 * `seller:acc_x:credit` is `Assets:Seller:Acc-x:Credit`: components of letters, digits and dashes that start in upper
 * case.
 */
export const beancountAccount = remembering((account) => {
  const root = ROOTS[typeOf(account)]
  const [, holder, kind, id, leaf] = /^(seller|user|app):(acc|usr|app)_([a-z0-9]+):([a-z]+)$/.exec(account) ?? []
  if (holder && kind && leaf) return `${root}:${capital(holder)}:${capital(kind)}-${id}:${capital(leaf)}`
  const own = /^(?:assets|liabilities|equity|income|expenses)((?::[\w-]+)+)$/.exec(account)?.[1]
  if (own) return [root, ...own.slice(1).split(':').map(plainPart)].join(':')
  const parts = /^(in-transit|buyers|platform:[a-z][a-z-]*)$/.test(account)
    ? account.split(':').map(capital)
    : ['Other', shortName(account)]
  return [root, ...parts].join(':')
})

/** A component starts with a letter or a digit, in upper case, and has no underline. */
const plainPart = (part: string): string =>
  /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/.test(part) ? capital(part.replaceAll('_', '-')) : shortName(part)

/** At most 24 characters of A–Z, digits and '._-, which most tokens' names do not fit into. */
export const beancountCurrency = remembering((asset) =>
  isCurrency(asset) || assetOf(asset) ? asset.toUpperCase() : shortName(asset),
)

/** 24 letters and digits that stand for any text: 118 bits of its hash. */
const shortName = (text: string): string =>
  `X${BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)
    .toString(36)
    .toUpperCase()
    .padStart(50, '0')
    .slice(-23)}`

/**
 * Text as a value that ends no line, string or tag, and says nothing to the reader's program.
 * @param isInert whether it is known to be so as it stands, such as by `isInertRow`
 */
export const inertText = (text: string, isInert = false): string => (isInert || INERT.test(text) ? text : escaped(text))

const INERT = /^[\w.:@/ -]*$/

/**
 * Whether each of the cells between tabs is such a value as it stands: one look at a row costs less than one at each.
 */
export const isInertRow = (row: string): boolean => INERT_ROW.test(row)

const INERT_ROW = /^[\w.:@/\t -]*$/

const escaped = (text: string): string =>
  text.replace(/[^\w.:@/ -]/gu, (character) =>
    Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
  )

/** A time as such a value; the sign before its distance from UTC says nothing to any program. */
export const inertTime = (time: string): string => (INERT.test(time) ? time : escaped(time).replaceAll('%2B', '+'))

/** The digits after the point of an asset, as the journal counts it. */
export const knownDecimals = remembering(decimalsOf)

/** The same amount without zeros at its end. */
export const shortDecimal = (units: string, decimals: number): string => {
  const full = fullDecimal(units, decimals)
  if (decimals === 0) return full
  let end = full.length
  while (full.charCodeAt(end - 1) === ZERO) end--
  return full.slice(0, full.charCodeAt(end - 1) === POINT ? end - 1 : end)
}

const [ZERO, POINT] = ['0'.charCodeAt(0), '.'.charCodeAt(0)]

/**
 * All decimals, so that a program that guesses how exact an asset is guesses right. `units` is a whole number of the
 * smallest unit.
 */
export const fullDecimal = (units: string, decimals: number): string => {
  if (decimals === 0) return units
  const sign = units.startsWith('-') ? '-' : ''
  const digits = units.slice(sign.length).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
