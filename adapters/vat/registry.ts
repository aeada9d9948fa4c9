import type { VatRegistry } from '../../domain/money/vat/ports.ts'
import { EU_COUNTRIES } from '../../domain/money/vat/rates.ts'
import type { NumberForm } from './number-form.ts'
import type { Vies } from './vies.ts'

/**
 * Checks VAT numbers by their form, and those of the EU with VIES where there is one (M-VAT-02). While VIES does not
 * tell, a number of the right form is neither valid nor invalid; without VIES the form is all there is.
 */
export const createVatRegistry = (vies: Vies | undefined): VatRegistry => ({
  async check(given, requester) {
    const { numberForm } = await import('./number-form.ts')
    const { number, country, right } = numberForm(given)
    if (!right) return { number, country, valid: false, checked: 'format' }
    if (!vies || !EU_COUNTRIES.has(country)) return { number, country, valid: true, checked: 'format' }
    const answer = await vies.ask(number, requesterIn(numberForm(requester ?? '')))
    return answer
      ? { number, country, ...answer, checked: 'registry' }
      : { number, country, valid: null, checked: 'format' }
  },
})

/** The requester's number, if it is one of the EU: VIES takes no others for that. */
const requesterIn = ({ number, country, right }: NumberForm): string | undefined =>
  right && EU_COUNTRIES.has(country) ? number : undefined
