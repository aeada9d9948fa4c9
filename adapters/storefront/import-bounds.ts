/** Products of one file, variants of one product, and pieces of one variant. */
export const IMPORT_BOUNDS = { products: 500, variants: 100, stock: 1_000_000_000 } as const
