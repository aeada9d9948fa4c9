import { z } from 'zod'
import type { Settings, SettingsCommands } from '../../../domain/account/settings.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { refuseUntaxable } from '../../../domain/money/vat/treatment.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { recordOf } from '../core/record-of.ts'
import { CountryCode, VatNumberText } from './fields.ts'

/**
 * The section `vat` of the console's settings. Document 1 closes its own list, so that the JSON API neither shows nor
 * takes it.
 */

/** More countries than there are. */
const RATES_MAX = 300

const Percent = z
  .string()
  .regex(/^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/, 'percent, as a plain decimal from 0 to 100 with at most 4 places')

export const VatChange = z.strictObject({
  enabled: z.boolean().optional(),
  country: CountryCode.optional(),
  number: z.literal('').or(VatNumberText).optional(),
  inclusive: z.boolean().optional(),
  rates: recordOf(CountryCode, Percent, RATES_MAX).optional(),
})

export const VatShown = z.object({
  enabled: z.boolean(),
  country: z.string(),
  number: z.string(),
  inclusive: z.boolean(),
  rates: z.record(z.string(), z.string()),
})

/**
 * The change in the words of the domain, the number in its canonical form. Refuses `invalid-request` for a number of a
 * wrong form, and for rules by which nothing could be taxed. What a registry says does not matter: VIES does not know
 * sellers who only sell at home.
 */
export const vatChange = async (
  { ledger, vatRegistry, world }: UseCaseContext,
  accountId: string,
  given: z.output<typeof VatChange>,
): Promise<SettingsCommands['change']['vat']> => {
  const { vat } = await ledger.settings.read(accountId)
  const { enabled = vat.enabled, country = vat.country, rates = vat.rates } = given
  refuseUntaxable({ enabled, country, rates }, world.now().toISOString().slice(0, 10))
  if (!given.number) return given
  const { number, valid, checked } = await vatRegistry.check(given.number)
  return valid === false && checked === 'format'
    ? refuse('invalid-request', 'vat: this is not a VAT number')
    : { ...given, number }
}

/** Like all that the documents do not show on a new account, it is shown only once it is set. */
export const vatShown = ({ vat }: Settings): { vat?: z.input<typeof VatShown> } => {
  const { enabled, country, number, inclusive, rates } = vat
  const isSet = enabled || inclusive || country !== '' || number !== '' || Object.keys(rates).length > 0
  return isSet ? { vat: { ...vat, rates: { ...rates } } } : {}
}
