import { developerHome } from './home.ts'
import { keyScreen } from './keys.ts'
import { requestLogScreen } from './requests.ts'

/** The screens of developers (N-101). */
export const developerScreens = [...developerHome, ...keyScreen, ...requestLogScreen]
