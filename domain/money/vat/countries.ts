/**
 * The countries whose VAT Daybook knows: the 27 of the European Union and Northern Ireland (XI), which follows its
 * rules for goods; Great Britain, Switzerland and Norway. ISO 3166, but for XI.
 */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** A country as its code is written here; on tax forms and in VAT numbers Greece is EL. */
export const countryIn = (code: string): string => {
  const upper = code.toUpperCase()
  return upper === 'EL' ? 'GR' : upper
}

/** Whether a sale from one to the other stays at home: Northern Ireland is a part of the United Kingdom. */
export const isDomestic = (seller: string, buyer: string): boolean => home(seller) === home(buyer)

const home = (country: string) => (country === 'XI' ? 'GB' : country)
