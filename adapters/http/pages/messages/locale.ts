import { UTC } from '../../../../domain/kernel/calendar.ts'
import { FIAT_DECIMALS, toDecimal } from '../../../../domain/kernel/money.ts'

/** In which language a person is answered, and how numbers, money and times are written in it. */

export type Locale<Words> = {
  /** The language of the texts: the `lang` of a page. */
  readonly lang: string
  readonly words: Words
  number(value: number): string
  /** Millionths of a currency with its sign, with every digit that is there: "$1,234.50". */
  money(units: bigint, currency: string): string
  /** Millionths of a currency, with every digit that is there: "1,234.50 USD". */
  price(units: bigint | string, currency: string): string
  /** Smallest units of a coin, with every digit that is there: "1,234.50000001". */
  amount(units: bigint, decimals: number): string
  /** Smallest units of a coin with its symbol: "1,234.50000001 ETH". */
  coin(units: bigint, decimals: number, symbol: string): string
  /** A decimal from a text, with every digit that is there. */
  decimal(text: string): string
  /** The day of a time: "21 Nov 2026". */
  date(iso: string): string
  /** A time with its zone: "21 Nov 2026, 15:05 UTC". */
  moment(iso: string): string
}

/** A catalogue for each language; all have the shape of the English one. */
type Catalogues<Words> = { readonly en: Words; readonly [language: string]: Words }

/** The most digits behind the point that are written of a number. */
const DIGITS_MAX = 100
/** Characters of `Accept-Language` that are read; what stands behind them is hardly wished for. */
const LANGUAGES_MAX = 200
/** Locales that are kept made; above that, which nobody comes to without trying, they are made anew. */
const LOCALES_KEPT_MAX = 500

/**
 * Finds the best of our languages for what a browser says in `Accept-Language`; English for everybody else. Where a
 * person's own time zone is not known, times are those of UTC. A locale is made once.
 */
export const localesOf = <Words>(catalogues: Catalogues<Words>) => {
  const known = new Map<string, Locale<Words>>()
  return (languages: string, zone = UTC): Locale<Words> => {
    const tag = wishes(languages.slice(0, LANGUAGES_MAX)).find((each) => Object.hasOwn(catalogues, languageOf(each)))
    const spoken = formatOf(tag ?? 'en')
    const name = `${spoken} ${zone}`
    const found = known.get(name) ?? localeOf(spoken, zone, catalogues)
    if (known.size >= LOCALES_KEPT_MAX) known.clear()
    known.set(name, found)
    return found
  }
}

const localeOf = <Words>(tag: string, zone: string, catalogues: Catalogues<Words>): Locale<Words> => {
  const lang = languageOf(tag)
  const decimals = new Intl.NumberFormat(tag, { maximumFractionDigits: DIGITS_MAX })
  const days = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: zone })
  const moments = new Intl.DateTimeFormat(tag, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  })
  const decimal = (text: string): string => exactly(decimals, text)
  return {
    lang,
    words: catalogues[lang] ?? catalogues.en,
    number: (value) => decimals.format(value),
    money: (units, currency) =>
      exactly(
        new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: FIAT_DECIMALS }),
        toDecimal(units, FIAT_DECIMALS),
      ),
    price: (units, currency) => {
      const format = new Intl.NumberFormat(tag, {
        minimumFractionDigits: placesOf(currency),
        maximumFractionDigits: FIAT_DECIMALS,
      })
      return `${exactly(format, toDecimal(BigInt(units), FIAT_DECIMALS))} ${currency}`
    },
    amount: (units, digits) => decimal(toDecimal(units, digits)),
    coin: (units, digits, symbol) => `${decimal(toDecimal(units, digits))} ${symbol}`,
    decimal,
    date: (iso) => days.format(new Date(iso)),
    moment: (iso) => moments.format(new Date(iso)),
  }
}

/** A decimal is formatted from its text, so that no digit is lost to a float. */
const exactly = (format: Intl.NumberFormat, text: string): string => format.format(text as Intl.StringNumericLiteral)

const placesOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 2

/** The languages of a header, the most wanted first; what is no language is passed over. */
const wishes = (header: string): readonly string[] =>
  header
    .split(',')
    .flatMap((part) => {
      const [tag = '', ...parameters] = part.split(';').map((each) => each.trim())
      const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1')
      return /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag) && weight > 0 ? [{ tag, weight }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

const languageOf = (tag: string): string => (tag.split('-')[0] ?? '').toLowerCase()

/**
 * The tag by which numbers and times are written: the language and its country alone. Who names no country with English
 * is written to as most of the world writes dates: the day first, and 24 hours.
 */
const formatOf = (tag: string): string => {
  const country = tag.split('-').find((part, n) => n > 0 && /^[a-z]{2}$/i.test(part))
  const language = languageOf(tag)
  if (country === undefined) return language === 'en' ? 'en-GB' : language
  return `${language}-${country.toUpperCase()}`
}
