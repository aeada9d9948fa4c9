import type { Surface } from '../surface.ts'
import { balanceFunctions } from './balances.ts'
import { checkoutFunctions } from './checkouts.ts'
import { wire } from './errors.ts'
import { settingsFunctions } from './settings.ts'
import { transactionFunctions } from './transactions.ts'

/** The form-encoded merchant console of document 3, on one page. */
export const paySurface = (): Surface => ({
  name: 'pay',
  reads: 'form',
  wire,
  endpoints: [...balanceFunctions, ...checkoutFunctions, ...settingsFunctions, ...transactionFunctions],
  failure: (code, message) => ({ success: false, error_code: code, message }),
  success: (response) => ({ success: true, response }),
})
