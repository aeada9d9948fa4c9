import { DEFAULT_MANDATE_RULES, type MandateRules, refuseUnusable } from '../commerce/mandate-rules.ts'
import { UTC, zoneNamed } from '../kernel/calendar.ts'
import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { isSameData } from '../kernel/plain-data.ts'
import { refuse } from '../kernel/refusal.ts'
import { refuseUntaxable } from '../money/vat/treatment.ts'

/**
 * How a seller wants to sell: one event for each section that changes, with the whole section in it (J-SET-01 to
 * J-SET-05). The webhook's own stream says where webhooks go. Nothing here holds funds or keys (J-SET-04).
 */

export type Confirmations = {
  /** Confirmations for every coin; null: as many as its network needs (N-26). */
  default: number | null
  coins: { readonly [asset: string]: number }
  /** The least confirmations for a payment above so many millionths of a US dollar. */
  increase: readonly { above: Units; confirmations: number }[]
}

type PaymentRules = {
  /** What may be missing of a payment that still counts, in hundredths of a percent (N-33, Q-06). */
  underpaymentBasisPoints: number
  /** The URL that a buyer goes to after paying; empty: none. */
  redirect: string
  /** Whether the seller gives money back. */
  refunds: boolean
  /**
   * Whether a payment of an odd amount is taken for the only open challenge of its address, or left to the seller to
   * match (N-24, Q-55).
   */
  oddPayments?: 'take' | 'ask'
}

type Branding = {
  brandName: string
  logoUrl: string
  logoUrlDark: string
  color1: string
  color2: string
  color3: string
}

/** How the seller charges VAT (M-VAT-01). */
type VatRules = {
  /** Whether VAT is charged; off until the seller says where it is taxed. */
  enabled: boolean
  /** The country where the seller is taxed: ISO 3166, but XI for Northern Ireland; empty: not said. */
  country: string
  /** The seller's own VAT number; empty: none. */
  number: string
  /** Whether VAT is in the seller's prices already. */
  inclusive: boolean
  /** Rates in percent, as decimals keyed by country, in the place of those that Daybook knows. */
  rates: { readonly [country: string]: string }
}

export type Settings = {
  confirmations: Confirmations
  /** The currency of the seller, ISO 4217. */
  currency: string
  payment: PaymentRules
  /** Whether the account's address gets letters about payments. */
  notifications: { email: boolean }
  branding: Branding
  /**
   * Whether signed payments are taken, for which the seller is billed the gas; on unless the seller opts out (J-GAS-01,
   * J-GAS-03).
   */
  gasless: boolean
  /** Names the seller goes by on naming services, by service. */
  web3Names: { readonly [service: string]: string }
  vat: VatRules
  mandates: MandateRules
  /** The time zone of IANA by whose clocks the account's members read days and times; absent: UTC (N-90). */
  timeZone?: string
}

export type SettingsEvents = {
  ConfirmationsSet: Confirmations
  CurrencySet: { currency: string }
  PaymentRulesSet: PaymentRules
  NotificationsSet: { email: boolean }
  BrandingSet: Branding
  GaslessSet: { enabled: boolean }
  Web3NamesSet: { names: { readonly [service: string]: string } }
  /** VAT is set on the merchant console alone: document 1 closes its list of settings. */
  VatRulesSet: VatRules
  MandateRulesSet: MandateRules
  /** The clocks by which the account's members read days and times; nothing that is stored changes by it (N-90). */
  TimeZoneSet: { zone: string }
}

export type SettingsCommands = {
  /**
   * A section that is not given stays as it is, and so does a field that a given section leaves out, and a name that a
   * given map leaves out; null removes a name from a map. A list is replaced whole (J-SET-02).
   */
  change: {
    confirmations?: PartialFields<Omit<Confirmations, 'coins'> & { coins: MapChange<number> }>
    currency?: string | undefined
    payment?: PartialFields<PaymentRules>
    notifications?: PartialFields<{ email: boolean }>
    branding?: PartialFields<Branding>
    gasless?: boolean | undefined
    web3Names?: MapChange<string> | undefined
    vat?: PartialFields<Omit<VatRules, 'rates'> & { rates: MapChange<string> }>
    mandates?: PartialFields<MandateRules>
    /** Refuses `invalid-request` for a name that is no time zone of IANA. */
    timeZone?: string | undefined
  }
}

/** New values of some names of a map; null removes the name. */
type MapChange<V> = { readonly [name: string]: V | null }

/** Names on naming services that one seller may have. */
export const WEB3_NAMES_MAX = 20

type PartialFields<T> = { readonly [K in keyof T]?: T[K] | undefined } | undefined

export const settings = decider<SettingsEvents, SettingsCommands, Settings>({
  category: 'settings',
  stateVersion: 5,
  initial: {
    confirmations: { default: null, coins: {}, increase: [] },
    currency: 'USD',
    payment: { underpaymentBasisPoints: 0, redirect: '', refunds: false },
    notifications: { email: false },
    branding: { brandName: '', logoUrl: '', logoUrlDark: '', color1: '', color2: '', color3: '' },
    gasless: true,
    web3Names: {},
    vat: { enabled: false, country: '', number: '', inclusive: false, rates: {} },
    mandates: DEFAULT_MANDATE_RULES,
  },
  decide: {
    change: (state, given, now) => {
      const coins = mergedMap(state.confirmations.coins, given.confirmations?.coins)
      const confirmations = merged(state.confirmations, { ...given.confirmations, coins })
      const currency = given.currency ?? state.currency
      const payment = merged(state.payment, given.payment)
      const notifications = merged(state.notifications, given.notifications)
      const branding = merged(state.branding, given.branding)
      const gasless = given.gasless ?? state.gasless
      const names = mergedMap(state.web3Names, given.web3Names)
      const vat = merged(state.vat, { ...given.vat, rates: mergedMap(state.vat.rates, given.vat?.rates) })
      const mandates = merged(state.mandates, given.mandates)
      const zone = given.timeZone === undefined ? state.timeZone : knownZone(given.timeZone)
      if (Object.keys(names).length > WEB3_NAMES_MAX)
        return refuse('invalid-request', `web3_names: has to have at most ${WEB3_NAMES_MAX} names; null removes one`)
      if (given.mandates) refuseUnusable(mandates)
      if (given.vat) refuseUntaxable(vat, now.slice(0, 10))
      return [
        ...unless(isSameData(confirmations, state.confirmations), {
          type: 'ConfirmationsSet',
          data: confirmations,
        } as const),
        ...unless(currency === state.currency, { type: 'CurrencySet', data: { currency } } as const),
        ...unless(isSameData(payment, state.payment), { type: 'PaymentRulesSet', data: payment } as const),
        ...unless(isSameData(notifications, state.notifications), {
          type: 'NotificationsSet',
          data: notifications,
        } as const),
        ...unless(isSameData(branding, state.branding), { type: 'BrandingSet', data: branding } as const),
        ...unless(gasless === state.gasless, { type: 'GaslessSet', data: { enabled: gasless } } as const),
        ...unless(isSameData(names, state.web3Names), { type: 'Web3NamesSet', data: { names } } as const),
        ...unless(isSameData(vat, state.vat), { type: 'VatRulesSet', data: vat } as const),
        ...unless(isSameData(mandates, state.mandates), { type: 'MandateRulesSet', data: mandates } as const),
        ...(zone === undefined || zone === (state.timeZone ?? UTC)
          ? []
          : [{ type: 'TimeZoneSet', data: { zone } } as const]),
      ]
    },
  },
  evolve: {
    ConfirmationsSet: (state, confirmations) => ({ ...state, confirmations }),
    CurrencySet: (state, { currency }) => ({ ...state, currency }),
    PaymentRulesSet: (state, payment) => ({ ...state, payment }),
    NotificationsSet: (state, notifications) => ({ ...state, notifications }),
    BrandingSet: (state, branding) => ({ ...state, branding }),
    GaslessSet: (state, { enabled }) => ({ ...state, gasless: enabled }),
    Web3NamesSet: (state, { names }) => ({ ...state, web3Names: names }),
    VatRulesSet: (state, vat) => ({ ...state, vat }),
    MandateRulesSet: (state, mandates) => ({ ...state, mandates }),
    TimeZoneSet: (state, { zone }) => ({ ...state, timeZone: zone }),
  },
})

const knownZone = (name: string): string =>
  zoneNamed(name) ??
  refuse('invalid-request', 'time_zone: has to be a time zone of IANA, such as Europe/Berlin, America/New_York or UTC')

const unless = <E>(unchanged: boolean, event: E): readonly E[] => (unchanged ? [] : [event])

/** The section with the given fields in the place of its own. */
const merged = <T extends object>(present: T, given: PartialFields<T>): T => ({
  ...present,
  ...Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)),
})

/** The map with the given names in the place of its own, and without those that are given as null. */
export const mergedMap = <V>(
  present: { readonly [name: string]: V },
  given: MapChange<V> = {},
): { [name: string]: V } =>
  Object.fromEntries(
    Object.entries({ ...present, ...given }).filter((entry): entry is [string, V] => entry[1] !== null),
  )
