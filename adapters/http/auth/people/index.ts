import { credentialEndpoints } from './credentials.ts'
import { deviceEndpoints } from './devices-page.ts'
import { enrolEndpoints } from './enrol.ts'
import { gameEndpoints } from './game.ts'
import { gameLinkChangeEndpoints } from './game-link-change.ts'
import { gameLinkEndpoints } from './game-links.ts'
import { gameQuestEndpoints } from './game-quests.ts'
import { moneyEndpoints } from './money.ts'
import { newPasswordEndpoints } from './new-password.ts'
import { profileEndpoints } from './profile.ts'
import { secondFactorEndpoints } from './second-factor.ts'
import { securityEndpoints } from './security.ts'
import { signInEndpoints } from './sign-in.ts'
import { signOutEndpoints } from './sign-out.ts'
import { signUpEndpoints } from './sign-up.ts'

/** What people see and do on the sign-in service (N-59). Every form is sent to the address of its own page. */
export const peopleEndpoints = () => [
  ...signUpEndpoints,
  ...signInEndpoints,
  ...secondFactorEndpoints,
  ...newPasswordEndpoints,
  ...signOutEndpoints,
  ...profileEndpoints,
  ...credentialEndpoints,
  ...securityEndpoints,
  ...enrolEndpoints,
  ...deviceEndpoints,
  ...moneyEndpoints,
  ...gameEndpoints,
  ...gameQuestEndpoints,
  ...gameLinkEndpoints,
  ...gameLinkChangeEndpoints,
]
