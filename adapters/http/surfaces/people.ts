import { credentialEndpoints } from '../auth/people/credentials.ts'
import { deviceEndpoints } from '../auth/people/devices-page.ts'
import { enrolEndpoints } from '../auth/people/enrol.ts'
import { gameEndpoints } from '../auth/people/game/game.ts'
import { gameLinkChangeEndpoints } from '../auth/people/game/game-link-change.ts'
import { gameLinkEndpoints } from '../auth/people/game/game-links.ts'
import { gameQuestEndpoints } from '../auth/people/game/game-quests.ts'
import { moneyEndpoints } from '../auth/people/money.ts'
import { newPasswordEndpoints } from '../auth/people/new-password.ts'
import { accountPlace } from '../auth/people/place.ts'
import { profileEndpoints } from '../auth/people/profile.ts'
import { secondFactorEndpoints } from '../auth/people/second-factor.ts'
import { securityEndpoints } from '../auth/people/security.ts'
import { signInEndpoints } from '../auth/people/sign-in.ts'
import { signOutEndpoints } from '../auth/people/sign-out.ts'
import { signUpEndpoints } from '../auth/people/sign-up.ts'

/** What people see and do on the sign-in service (N-59). Every form is sent to the address of its own page. */
export const peopleEndpoints = () => [
  ...signUpEndpoints,
  ...signInEndpoints,
  ...secondFactorEndpoints,
  ...newPasswordEndpoints,
  ...signOutEndpoints,
  ...profileEndpoints,
  ...credentialEndpoints,
  ...securityEndpoints(accountPlace),
  ...enrolEndpoints(accountPlace),
  ...deviceEndpoints,
  ...moneyEndpoints,
  ...gameEndpoints,
  ...gameQuestEndpoints,
  ...gameLinkEndpoints,
  ...gameLinkChangeEndpoints,
]
