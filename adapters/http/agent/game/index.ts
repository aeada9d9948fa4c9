import { actEndpoints } from './act.ts'
import { characterEndpoints } from './characters.ts'
import { linkEndpoints } from './link.ts'

/** What a key does for the member that it is linked to (document 1, Linked game member). */
export const gameEndpoints = [...linkEndpoints, ...characterEndpoints, ...actEndpoints]
