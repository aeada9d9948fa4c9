import { billingEndpoints } from './billing.ts'
import { overviewEndpoints } from './overview.ts'
import { reconcileEndpoints } from './reconcile.ts'

/** What a seller has at the platform, what it sold, and whether everybody tells the same of what came. */
export const moneyEndpoints = () => [...billingEndpoints, ...overviewEndpoints, ...reconcileEndpoints()]
