import { z } from 'zod'
import { FIAT_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import { percentOf, vatFor } from '../../../domain/use-cases/money/vat.ts'
import { knownCurrency } from '../../../domain/use-cases/selling/challenges/exchange-rates.ts'
import { consoleFunction } from './console-function.ts'
import { CountryCode, CurrencyCode, FiatDecimal, optionalField, VatNumberText } from './fields.ts'

/** What VAT a price has, and whether a VAT number is good (M-VAT-01, M-VAT-02). */

const Vat = z.object({
  amount: z.string().meta({ description: 'As it was asked.' }),
  vat: z.string(),
  total: z.string().meta({ description: 'What the buyer pays, VAT included.' }),
  rate: z.string().meta({ description: 'Percent.' }),
  country: z
    .string()
    .meta({ description: 'Whose VAT it is; where there is none, of the buyer, and empty when nobody said.' }),
  reverse_charge: z.boolean(),
  vat_details: z.string().meta({ description: 'What a record keeps of it, as JSON text; empty without VAT rules.' }),
  currency: z.string(),
  note: z.string().optional().meta({ description: 'Why there is none, while VAT is not switched on.' }),
})

const NOT_ON =
  'VAT is not switched on for this account, so none is computed. save-settings with settings={"vat":{"enabled":true,"country":"DE"}} switches it on, with your own country.'

const vat = consoleFunction('vat', {
  summary: 'The VAT of an amount by the settings of the account',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({
    amount: FiatDecimal,
    currency_code: optionalField(CurrencyCode),
    country_code: optionalField(CountryCode),
    vat_number: optionalField(VatNumberText),
    date: optionalField(z.iso.date()),
  }),
  returns: Vat,
  async answer({ body: { amount, currency_code, country_code, vat_number, date }, actor: { accountId }, flow }) {
    const settings = await flow.ledger.settings.read(accountId)
    const currency = currency_code ?? settings.currency
    await knownCurrency(flow, currency)
    const wish = { accountId, amount, currency, country: country_code, number: vat_number, day: date }
    const result = await vatFor(flow, wish)
    return {
      amount: decimal(amount),
      vat: decimal(result.vat),
      total: decimal(result.total),
      rate: percentOf(result.rate),
      country: result.country,
      reverse_charge: result.reverseCharge,
      vat_details: result.details,
      currency,
      ...(!settings.vat.enabled && { note: NOT_ON }),
    }
  },
})

const decimal = (millionths: bigint): string => toDecimal(millionths, FIAT_DECIMALS)

const VatNumberShown = z.object({
  valid: z.boolean().nullable().meta({ description: 'Null: its form is right, and its registry did not answer.' }),
  checked: z.enum(['format', 'registry']),
  country: z.string().meta({ description: 'Empty when numbers of its country cannot be checked.' }),
  number: z.string(),
  name: z.string().optional(),
  consultation: z.string().optional(),
})

const vatValidation = consoleFunction('vat-validation', {
  summary: 'Whether a VAT number is good',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({
    vat_number: VatNumberText,
    amount: optionalField(FiatDecimal).meta({ description: 'Has no part in it.' }),
  }),
  returns: VatNumberShown,
  async answer({ body: { vat_number }, actor: { accountId }, flow }) {
    const { vat: rules } = await flow.ledger.settings.read(accountId)
    return flow.vatRegistry.check(vat_number, rules.number)
  },
})

export const vatFunctions = [...vat, ...vatValidation]
