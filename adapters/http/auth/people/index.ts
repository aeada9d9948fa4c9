import { secondFactorEndpoints } from './second-factor.ts'
import { signInEndpoints } from './sign-in.ts'
import { signOutEndpoints } from './sign-out.ts'

/** What people see and do on the sign-in service (N-59). Every form is sent to the address of its own page. */
export const peopleEndpoints = () => [...signInEndpoints, ...secondFactorEndpoints, ...signOutEndpoints]
