/** Where characters can be. Travel costs time and nothing else; the time is that of the pair. */

export const GALAXIES = ['lantern', 'meridian', 'the-verge', 'old-harbour'] as const
export type Galaxy = (typeof GALAXIES)[number]

/** The galaxy where a new character begins. */
export const FIRST_GALAXY: Galaxy = 'lantern'

/** Minutes of travel between two galaxies, the same in both directions. */
const MINUTES: Readonly<Record<string, number>> = {
  'lantern meridian': 15,
  'lantern the-verge': 45,
  'lantern old-harbour': 30,
  'meridian the-verge': 30,
  'meridian old-harbour': 20,
  'the-verge old-harbour': 60,
}

export const travelMinutes = (from: Galaxy, to: Galaxy): number =>
  MINUTES[`${from} ${to}`] ?? MINUTES[`${to} ${from}`] ?? 0
