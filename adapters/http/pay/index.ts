import type { Downloads } from '../agent/downloads.ts'
import type { Surface } from '../surface.ts'
import { balanceFunctions } from './balances.ts'
import { buyerCreation } from './buyer-creation.ts'
import { checkFunctions } from './check-transactions.ts'
import { checkoutFunctions } from './checkouts.ts'
import { createChecks } from './checks.ts'
import { cloudFunctions } from './cloud.ts'
import { coinFunctions } from './coins.ts'
import { createTransactionFunctions } from './create-transaction.ts'
import { cronEndpoints } from './cron.ts'
import { wire } from './errors.ts'
import { linkFunctions } from './links.ts'
import { rateFunctions } from './rates.ts'
import { settingsFunctions } from './settings.ts'
import { transactionChangeFunctions } from './transaction-changes.ts'
import { transactionListFunctions } from './transaction-lists.ts'
import { transactionFunctions } from './transactions.ts'
import { vatFunctions } from './vat.ts'

/** The form-encoded merchant console of document 3, on one page. */
export const paySurface = (downloads: Downloads): Surface => {
  const checks = createChecks()
  return {
    name: 'pay',
    reads: 'form',
    wire,
    endpoints: [
      ...balanceFunctions,
      ...buyerCreation(),
      ...checkFunctions(checks),
      ...checkoutFunctions,
      ...cloudFunctions(),
      ...coinFunctions,
      ...createTransactionFunctions,
      ...cronEndpoints(checks),
      ...linkFunctions,
      ...rateFunctions,
      ...settingsFunctions,
      ...transactionChangeFunctions,
      ...transactionListFunctions(downloads),
      ...transactionFunctions,
      ...vatFunctions,
    ],
    failure: (code, message) => ({ success: false, error_code: code, message }),
    success: (response) => ({ success: true, response }),
  }
}
