import type { Artist, Work } from '../../domain/game/studio/artist.ts'
import { emblem, portrait, shipPaint } from './figures.ts'
import { pickNamed } from './kit.ts'
import { banner, poster, starMap } from './scenes.ts'

const pictures: Readonly<Record<string, (work: Work) => string>> = {
  emblem,
  portrait,
  'ship-paint': shipPaint,
  banner,
  poster,
  'star-map': starMap,
}

/**
 * Draws at once, in this process. A picture that was ordered is drawn the same for ever, so a changed one has to be
 * added beside it, not put in its place.
 */
export const localArtist: Artist = {
  draw: async (work) => pickNamed(pictures, work.slug)(work),
}
