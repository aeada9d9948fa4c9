import { actEndpoints } from './act.ts'
import { characterEndpoints } from './characters.ts'
import { exploreEndpoints } from './explore.ts'
import { feedEndpoints } from './feed.ts'
import { playEndpoints } from './games.ts'
import { inventionEndpoints } from './inventions.ts'
import { linkEndpoints, meEndpoints } from './me.ts'
import { pvpEndpoints } from './pvp.ts'
import { questEndpoints } from './quests.ts'
import { studioEndpoints } from './studio.ts'
import { tournamentEndpoints } from './tournaments.ts'

/** What a key does for the member that it is linked to (document 1, Linked game member). */
export const gameEndpoints = [
  ...linkEndpoints,
  ...meEndpoints,
  ...questEndpoints,
  ...feedEndpoints,
  ...characterEndpoints,
  ...actEndpoints,
  ...exploreEndpoints,
  ...playEndpoints,
  ...pvpEndpoints,
  ...tournamentEndpoints,
  ...studioEndpoints,
  ...inventionEndpoints,
]
