import { FIAT_DECIMALS, mulDivRound } from './money.ts'

/**
 * The smallest unit of each currency (ISO 4217), in which the commerce protocol counts. Intl is never asked for it,
 * because it has many of them wrong.
 */

/**
 * How many decimal digits a currency's smallest unit has; undefined for a code that is no currency. Codes are capital
 * letters.
 */
export const minorDigits = (currency: string): number | undefined => DIGITS.get(currency)

/** 12500000n millionths with 2 digits are 1250n; what is finer is rounded, a half up. `millionths` is not negative. */
export const minorOf = (millionths: bigint, digits: number): bigint => mulDivRound(millionths, 1n, unitOf(digits))

/** 1250n with 2 digits are 12500000n millionths, exactly. */
export const millionthsOf = (minor: bigint, digits: number): bigint => minor * unitOf(digits)

/** One smallest unit, in millionths of its currency. */
const unitOf = (digits: number): bigint => 10n ** BigInt(FIAT_DECIMALS - digits)

/**
 * The currencies that ISO 4217 gives digits to: metals, bond units and test codes have none. ANG and BGN were withdrawn
 * not long ago; a price in them still means what it did.
 */
const CODES: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `
      AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
      CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS
      GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL
      MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK
      PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS
      TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
    `,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

const DIGITS: ReadonlyMap<string, number> = new Map(
  CODES.flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, digits] as const),
  ),
)
