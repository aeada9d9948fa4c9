import { FIAT_DECIMALS, toDecimal } from '../../../../../domain/kernel/money.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'

/** The language of a person, and how numbers, money and times are written in it. */
export type Locale = {
  /** The language of the texts: the `lang` of a page. */
  readonly lang: string
  readonly words: Messages
  number(value: number): string
  /** Millionths of a currency, with every digit that is there. */
  money(units: bigint, currency: string): string
  /** Smallest units of a coin, with every digit that is there, and its symbol. */
  coin(units: bigint, decimals: number, symbol: string): string
  date(iso: string): string
  moment(iso: string): string
}

const LANGUAGES: Readonly<Record<string, Messages>> = { en, de }

/** Until an account has a setting for it, times are those of UTC. */
const ZONE = 'UTC'
const COIN_DIGITS_MAX = 30

/** The best language for what a browser says in `Accept-Language`; English for everything that we do not speak. */
export const localeFor = (languages: string, zone = ZONE): Locale => {
  const tag = wishes(languages).find((each) => LANGUAGES[languageOf(each)]) ?? 'en'
  const lang = languageOf(tag)
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: zone })
  const moment = new Intl.DateTimeFormat(tag, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  })
  return {
    lang,
    words: LANGUAGES[lang] ?? en,
    number: (value) => new Intl.NumberFormat(tag).format(value),
    money: (units, currency) =>
      exactly(
        new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: FIAT_DECIMALS }),
        units,
        FIAT_DECIMALS,
      ),
    coin: (units, decimals, symbol) =>
      `${exactly(new Intl.NumberFormat(tag, { maximumFractionDigits: Math.min(decimals, COIN_DIGITS_MAX) }), units, decimals)} ${symbol}`,
    date: (iso) => date.format(new Date(iso)),
    moment: (iso) => moment.format(new Date(iso)),
  }
}

/** A decimal is formatted from its text, so that no digit is lost to a float. */
const exactly = (format: Intl.NumberFormat, units: bigint, decimals: number): string =>
  format.format(toDecimal(units, decimals) as Intl.StringNumericLiteral)

/** The languages of a header, the most wanted first; what is no language is passed over. */
const wishes = (header: string): readonly string[] =>
  header
    .split(',')
    .flatMap((part) => {
      const [tag = '', ...parameters] = part.split(';').map((each) => each.trim())
      const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1')
      return isTag(tag) && weight > 0 ? [{ tag, weight }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

const isTag = (tag: string): boolean => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag) && isLocale(tag)

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const languageOf = (tag: string): string => (tag.split('-')[0] ?? '').toLowerCase()
