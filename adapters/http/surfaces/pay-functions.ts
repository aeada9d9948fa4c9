import type { Downloads } from '../agent/common/downloads.ts'
import { balanceFunctions } from '../pay/balances.ts'
import { buyerCreation } from '../pay/buyer-creation.ts'
import { checkFunctions } from '../pay/check-transactions.ts'
import { checkoutFunctions } from '../pay/checkouts.ts'
import { createChecks } from '../pay/checks.ts'
import { cloudFunctions } from '../pay/cloud.ts'
import { coinFunctions } from '../pay/coins.ts'
import { createTransactionFunctions } from '../pay/create-transaction.ts'
import { cronEndpoints } from '../pay/cron.ts'
import { linkFunctions } from '../pay/links.ts'
import { rateFunctions } from '../pay/rates.ts'
import { settingsFunctions } from '../pay/settings.ts'
import { transactionChangeFunctions } from '../pay/transaction-changes.ts'
import { transactionFunctions, transactionListFunctions } from '../pay/transaction-lists.ts'
import { vatFunctions } from '../pay/vat.ts'

/** The functions of the merchant console of document 3, on one page. */
export const payFunctions = (downloads: Downloads) => {
  const checks = createChecks()
  return [
    ...balanceFunctions,
    ...buyerCreation,
    ...checkFunctions(checks),
    ...checkoutFunctions,
    ...cloudFunctions,
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
  ]
}
