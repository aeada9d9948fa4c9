import { setImmediate as turn } from 'node:timers/promises'
import { CHECKOUT_BOUNDS, PRODUCT_HANDLE, variantTitle } from '../../domain/selling/checkout.ts'
import { STARTS_FORMULA } from '../csv/cell.ts'
import { CsvFault, type CsvRow } from '../input/csv.ts'
import { IMPORT_BOUNDS } from './import-bounds.ts'
import { plainText } from './plain-text.ts'
import { type Columns, columnsIn, type Field } from './shopify-columns.ts'

/**
 * Makes products of a product CSV of Shopify. Rows with one handle are one product: the first says what all of it has
 * in common, each with options or a price is a variant, and the others have only further pictures.
 */

/** What is wrong with a cell, or worth knowing of it. */
export type CellRemark = {
  readonly row: number
  /** The heading of its column, as the file has it. */
  readonly column: string
  readonly code: RemarkCode
  /** What it is, and what to do. */
  readonly message: string
}

type RemarkCode =
  | 'archived'
  | 'cell_count'
  | 'formula'
  | 'missing'
  | 'not_a_count'
  | 'not_a_handle'
  | 'not_a_price'
  | 'picture_elsewhere'
  | 'stock_kept'
  | 'text_cut'
  | 'too_long'
  | 'too_many'
  | 'twice'
  | 'unknown_value'

export type ImportedVariant = {
  readonly row: number
  readonly title: string
  readonly options: readonly { readonly name: string; readonly value: string }[]
  readonly price: number
  readonly sku: string
  /** Pieces that there are; null where they are not counted. */
  readonly stock: number | null
  /** The address of a picture of this variant alone. */
  readonly picture: string
}

export type ImportedProduct = {
  readonly handle: string
  readonly title: string
  readonly row: number
  readonly description: string
  readonly vendor: string
  readonly tags: readonly string[]
  readonly listed: boolean
  readonly variants: readonly ImportedVariant[]
  /** The addresses of its pictures, each with its row. */
  readonly pictures: readonly { readonly row: number; readonly url: string }[]
}

export type ImportFile = {
  /** Those in which nothing is wrong. */
  readonly products: readonly ImportedProduct[]
  /** Those that are left out, because something is wrong, by their handles. */
  readonly faulty: readonly string[]
  readonly faults: readonly CellRemark[]
  readonly notes: readonly CellRemark[]
  readonly columns: Columns
}

type Remarks = { readonly faults: CellRemark[]; readonly notes: CellRemark[] }
type Line = {
  readonly row: number
  of(field: Field): string
  /** Whether the file has such a column at all. */
  has(field: Field): boolean
  fault(field: Field, code: RemarkCode, message: string): void
}

/** Throws a `CsvFault` for a table that is no such file, or too large. Others have their turn between two products. */
export const shopifyProducts = async ([heading, ...rows]: readonly CsvRow[]): Promise<ImportFile> => {
  const columns = columnsIn(heading?.cells ?? [])
  const said: Remarks = { faults: [], notes: [] }
  const groups = new Map<string, Line[]>()
  const faulty = new Set<string>()
  for (const { row, cells } of rows) {
    const line = lineOf(columns, row, cells, said.faults)
    const handle = line.of('handle')
    if (cells.length !== heading?.cells.length) {
      line.fault(
        'handle',
        'cell_count',
        `has ${cells.length} cells, and the heading ${heading?.cells.length}. Export the file again.`,
      )
      faulty.add(handle)
    }
    if (handle === '') line.fault('handle', 'missing', 'has to have the handle of its product. Write it into each row.')
    else if (!groups.get(handle)?.push(line)) groups.set(handle, [line])
    if (groups.size > IMPORT_BOUNDS.products)
      throw new CsvFault(`The file has more than ${IMPORT_BOUNDS.products} products. Divide it into several files.`)
  }
  const products: ImportedProduct[] = []
  for (const [handle, lines] of groups) {
    const before = said.faults.length
    const product = productOf(handle, lines, said, columns)
    if (said.faults.length > before) faulty.add(handle)
    if (product && !faulty.has(handle)) products.push(product)
    await turn()
  }
  return { ...said, products, faulty: [...faulty].filter((handle) => handle !== ''), columns }
}

const lineOf = (columns: Columns, row: number, cells: readonly string[], faults: CellRemark[]): Line => ({
  row,
  of: (field) => cells[columns.at(field)]?.trim() ?? '',
  has: (field) => columns.at(field) >= 0,
  fault: (field, code, message) => faults.push({ row, column: columns.titleOf(field), code, message }),
})

const productOf = (handle: string, lines: readonly Line[], { faults, notes }: Remarks, columns: Columns) => {
  const [first] = lines
  if (first === undefined) return undefined
  const note = (line: Line, field: Field, code: RemarkCode, message: string) =>
    notes.push({ row: line.row, column: columns.titleOf(field), code, message })
  if (first.of('status').toLowerCase() === 'archived') {
    note(first, 'status', 'archived', 'is archived, and left out. Make it active to import it.')
    return undefined
  }
  if (handle.length > CHECKOUT_BOUNDS.handle || !PRODUCT_HANDLE.test(handle))
    first.fault('handle', 'not_a_handle', 'has to be letters, digits and hyphens, such as green-tea.')
  const title = textIn(first, 'title', CHECKOUT_BOUNDS.title)
  if (title === '') first.fault('title', 'missing', 'has to say what the product is called.')
  const written = first.of('description')
  const whole = plainText(written.slice(0, HTML_MAX))
  const description = whole.length > CHECKOUT_BOUNDS.description ? `${whole.slice(0, CUT)}…` : whole
  if (description !== whole || written.length > HTML_MAX)
    note(first, 'description', 'text_cut', `is longer than ${CHECKOUT_BOUNDS.description} characters, and cut.`)
  const before = faults.length
  const variants = variantsOf(title, lines)
  if (faults.length === before && variants.length === 0)
    first.fault('price', 'missing', 'has to be a price above zero, such as 12.50.')
  return {
    handle,
    title,
    row: first.row,
    description,
    vendor: textIn(first, 'vendor', CHECKOUT_BOUNDS.vendor),
    tags: tagsOf(first),
    listed: isListed(first),
    variants,
    pictures: lines.map((line) => ({ row: line.row, url: line.of('picture') })).filter(({ url }) => url !== ''),
  }
}

/** Characters of a description that are looked at, with their elements. */
const HTML_MAX = 32_768
const CUT = CHECKOUT_BOUNDS.description - 1

const variantsOf = (title: string, lines: readonly Line[]): ImportedVariant[] => {
  const [first] = lines
  const names = OPTIONS.map(({ name }) => (first ? textIn(first, name, CHECKOUT_BOUNDS.optionName) : ''))
  const rows = lines.filter((line) => line.of('option1Value') !== '' || line.of('price') !== '')
  if (rows.length > IMPORT_BOUNDS.variants)
    first?.fault('option1Value', 'too_many', `has more than ${IMPORT_BOUNDS.variants} variants. Divide the product.`)
  const seen = new Set<string>()
  return rows.slice(0, IMPORT_BOUNDS.variants).map((line) => {
    const options = optionsOf(names, line)
    const key = JSON.stringify(options)
    if (seen.has(key)) line.fault('option1Value', 'twice', 'is a variant that stands before already. Take one away.')
    seen.add(key)
    const called = variantTitle(title, options)
    if (called.length > CHECKOUT_BOUNDS.title)
      line.fault(
        'option1Value',
        'too_long',
        `makes a title of more than ${CHECKOUT_BOUNDS.title} characters. Shorten it.`,
      )
    const sku = textIn(line, 'sku', CHECKOUT_BOUNDS.sku)
    const picture = line.of('variantPicture')
    return { row: line.row, title: called, options, price: priceOf(line), sku, stock: stockOf(line), picture }
  })
}

const OPTIONS = [
  { name: 'option1Name', value: 'option1Value' },
  { name: 'option2Name', value: 'option2Value' },
  { name: 'option3Name', value: 'option3Value' },
] as const

/** A product in one form alone has the option `Title` with the value `Default Title`. */
const optionsOf = (names: readonly string[], line: Line) =>
  OPTIONS.flatMap(({ name: nameField, value: valueField }, n) => {
    const value = textIn(line, valueField, CHECKOUT_BOUNDS.optionValue)
    const name = names[n] ?? ''
    if (value === '' || (name === 'Title' && value === 'Default Title')) return []
    if (name === '') line.fault(nameField, 'missing', 'has to name the option in the first row of the product.')
    return [{ name, value }]
  })

/** A text of one line. What a spreadsheet would run is none. */
const textIn = (line: Line, field: Field, max: number): string => {
  const text = line.of(field).replace(/\s+/gu, ' ')
  if (text.length > max) line.fault(field, 'too_long', `has more than ${max} characters. Shorten it.`)
  if (STARTS_FORMULA.test(text))
    line.fault(field, 'formula', 'begins like a formula of a spreadsheet. Begin it with a letter or a digit.')
  return text
}

const tagsOf = (line: Line): readonly string[] => {
  const tags = [
    ...new Set(
      line
        .of('tags')
        .split(',')
        .map((tag) => tag.trim().replace(/\s+/gu, ' ')),
    ),
  ].filter(Boolean)
  if (tags.length > CHECKOUT_BOUNDS.tags)
    line.fault('tags', 'too_many', `has more than ${CHECKOUT_BOUNDS.tags} tags. Leave some out.`)
  if (tags.some((tag) => tag.length > CHECKOUT_BOUNDS.tag))
    line.fault('tags', 'too_long', `has a tag with more than ${CHECKOUT_BOUNDS.tag} characters. Shorten it.`)
  if (tags.some((tag) => STARTS_FORMULA.test(tag)))
    line.fault('tags', 'formula', 'has a tag that begins like a formula. Begin it with a letter or a digit.')
  return tags
}

const priceOf = (line: Line): number => {
  const text = line.of('price')
  const price = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (price <= 0) line.fault('price', 'not_a_price', 'has to be a price above zero, such as 12.50.')
  return price
}

/**
 * The pieces that there are: none are counted where nobody keeps track of them, or it is sold without any, too. What
 * was sold beyond them is below zero at Shopify.
 */
const stockOf = (line: Line): number | null => {
  const text = line.of('stock')
  const isUntracked = line.has('tracker') && line.of('tracker') === ''
  if (text === '' || isUntracked || OVERSOLD.has(line.of('oversell').toLowerCase())) return null
  if (/^-\d{1,9}$/.test(text)) return 0
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(count <= IMPORT_BOUNDS.stock))
    line.fault('stock', 'not_a_count', 'has to be a whole number of pieces, or empty.')
  return count
}

const OVERSOLD: ReadonlySet<string> = new Set(['continue', 'true', 'yes'])

/** Whether it stands in the public lists: it is published, and active. */
const isListed = (line: Line): boolean => {
  const [published, status] = [line.of('published').toLowerCase(), line.of('status').toLowerCase()]
  if (!['', 'true', 'false', 'yes', 'no', '1', '0'].includes(published))
    line.fault('published', 'unknown_value', 'has to be true or false.')
  if (!['', 'active', 'draft', 'unlisted'].includes(status))
    line.fault('status', 'unknown_value', 'has to be active, draft, unlisted or archived.')
  return !['false', 'no', '0'].includes(published) && ['', 'active'].includes(status)
}
