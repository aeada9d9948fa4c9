import { billingEndpoints } from './billing.ts'
import { reconcileEndpoints } from './reconcile.ts'

/** What a seller has at the platform, and whether everybody tells the same of what came. */
export const moneyEndpoints = () => [...billingEndpoints, ...reconcileEndpoints()]
