/** The setting VAT_REGISTRY: `format`, or `vies` and its address. */

/** The address of VIES; undefined when numbers are checked by their form alone. `own` says that a setting gave it. */
export type ViesSetting = { readonly base: string; readonly own: boolean } | undefined

/** Throws an Error that says what is wrong. */
export const parseVatRegistry = (registry: string, url: string | undefined): ViesSetting => {
  if (registry === 'vies') return { base: (url ?? VIES_URL).replace(/\/+$/, ''), own: url !== undefined }
  if (registry !== 'format') throw new Error(`VAT_REGISTRY is not one of format, vies: ${registry}`)
  return undefined
}

const VIES_URL = 'https://ec.europa.eu/taxation_customs/vies/rest-api'
