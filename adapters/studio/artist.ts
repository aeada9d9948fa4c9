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
 * Draws at once and here. A picture that was ordered is drawn the same for ever, so what is changed here has to be
 * drawn beside, not instead.
 */
export const localArtist: Artist = {
  draw: async (work) => pickNamed(pictures, work.slug)(work),
}
