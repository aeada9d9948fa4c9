import { z } from 'zod'
import type { Settings, SettingsCommands } from '../../../domain/account/settings.ts'
import type { Flow } from '../../../domain/flows/flow.ts'
import { refuse } from '../../../domain/refusal.ts'
import { CountryCode, VatNumberText } from './fields.ts'

/** The section `vat` of the console's settings. Document 1 closes its own list, so that the JSON API neither shows nor takes it. */

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
  rates: z
    .record(CountryCode, Percent)
    .refine((rates) => Object.keys(rates).length <= RATES_MAX, `at most ${RATES_MAX}`)
    .optional(),
})

export const VatShown = z.object({
  enabled: z.boolean(),
  country: z.string(),
  number: z.string(),
  inclusive: z.boolean(),
  rates: z.record(z.string(), z.string()),
})

/**
 * The change in the words of the domain, the number in its canonical form. Refuses `invalid-request` for one of a wrong form; what a registry
 * says does not matter, because VIES does not know sellers who only sell at home.
 */
export const vatChange = async (
  { vatRegistry }: Pick<Flow, 'vatRegistry'>,
  given: z.output<typeof VatChange>,
): Promise<NonNullable<SettingsCommands['change']['vat']>> => {
  if (!given.number) return given
  const { number, valid, checked } = await vatRegistry.check(given.number)
  return valid === false && checked === 'format'
    ? refuse('invalid-request', 'vat: this is not a VAT number')
    : { ...given, number }
}

export const vatShown = ({ vat }: Settings): z.input<typeof VatShown> => ({ ...vat, rates: { ...vat.rates } })
