import { developerHome } from './home.ts'
import { keyScreen } from './keys.ts'
import { requestLogScreen } from './requests.ts'
import { webhookScreen } from './webhooks.ts'

/** The screens of developers (N-101). */
export const developerScreens = () => [...developerHome, ...keyScreen, ...webhookScreen, ...requestLogScreen]
