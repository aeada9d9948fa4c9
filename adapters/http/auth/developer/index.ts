import { appEndpoints } from './app.ts'
import { appsEndpoints } from './apps.ts'
import { deliveryEndpoints } from './deliveries.ts'

/** Pages for people who make apps (N-59). Every form is sent to the address of its own page. */
export const developerEndpoints = () => [...appsEndpoints, ...appEndpoints, ...deliveryEndpoints]
