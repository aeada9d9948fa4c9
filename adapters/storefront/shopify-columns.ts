import { CsvFault } from '../input/csv.ts'

/** The columns of a product CSV of Shopify that are read, by their older and newer headings. */

const HEADINGS = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  description: ['Body (HTML)', 'Description', 'Body HTML'],
  vendor: ['Vendor'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  price: ['Variant Price', 'Price'],
  stock: ['Variant Inventory Qty', 'Inventory quantity'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  oversell: ['Variant Inventory Policy', 'Continue selling when out of stock'],
  picture: ['Image Src', 'Product image URL'],
  variantPicture: ['Variant Image', 'Variant image URL'],
} as const

export type Field = keyof typeof HEADINGS

const NEEDED: readonly Field[] = ['handle', 'title', 'price']

export type Columns = {
  /** Where a column stands; -1 where the file has none of them. */
  at(field: Field): number
  /** Its heading as the file has it. */
  titleOf(field: Field): string
}

/** Headings count whatever their case. Throws a `CsvFault` where one that is needed is missing, or stands twice. */
export const columnsIn = (heading: readonly string[]): Columns => {
  const folded = heading.map((title) => title.trim().toLowerCase())
  const places = new Map<Field, number>()
  for (const [field, titles] of Object.entries(HEADINGS) as [Field, readonly string[]][]) {
    const known = titles.map((title) => title.toLowerCase())
    const found = folded.flatMap((title, at) => (known.includes(title) ? [at] : []))
    if (found.length > 1)
      throw new CsvFault(`The heading has the column ${titles.join(' or ')} twice. Take one of them away.`)
    if (found[0] !== undefined) places.set(field, found[0])
    else if (NEEDED.includes(field))
      throw new CsvFault(
        `The heading has no column ${titles.join(' or ')}. Take the file that Shopify exports, with commas.`,
      )
  }
  return {
    at: (field) => places.get(field) ?? -1,
    titleOf: (field) => heading[places.get(field) ?? -1]?.trim() ?? HEADINGS[field][0],
  }
}
