/** The works that the studio makes, and their prices in units. The first value of a choice is its default. */

export type WorkKind = {
  readonly title: string
  readonly units: number
  readonly options: Readonly<Record<string, Option>>
}

/** The values with what each costs in addition; or a short text, which costs by the letter. */
export type Option =
  | { readonly values: Readonly<Record<string, number>> }
  | { readonly letters: number; readonly unitsEach: number }

const choice = (values: Readonly<Record<string, number>>): Option => ({ values })

const palette = choice({ dawn: 0, tide: 0, ember: 3, moss: 3, midnight: 6, gilded: 15 })
const frame = choice({ none: 0, line: 2, brass: 6, laurel: 12 })
const words: Option = { letters: 32, unitsEach: 1 }

export const works: Readonly<Record<string, WorkKind>> = {
  emblem: {
    title: 'An emblem',
    units: 15,
    options: { palette, shape: choice({ shield: 0, disc: 0, diamond: 2, star: 5 }), charge: charges() },
  },
  portrait: {
    title: 'A portrait',
    units: 30,
    options: { palette, frame, mood: choice({ calm: 0, bold: 4, merry: 4, stern: 6 }) },
  },
  'ship-paint': {
    title: 'A coat of paint for a ship',
    units: 45,
    options: { palette, pattern: choice({ plain: 0, stripes: 5, chevrons: 8, scales: 12 }), charge: charges() },
  },
  banner: {
    title: 'A banner with words',
    units: 25,
    options: { palette, edge: choice({ straight: 0, swallowtail: 4, fringe: 7 }), words },
  },
  poster: {
    title: 'A poster with words',
    units: 60,
    options: { palette, frame, scene: choice({ harbour: 0, stars: 5, wreck: 8, garden: 10 }), words },
  },
  'star-map': {
    title: 'A map of the stars',
    units: 80,
    options: { palette, frame, detail: choice({ few: 0, many: 10, all: 30 }) },
  },
}

export const workNamed = (slug: string): WorkKind | undefined => (Object.hasOwn(works, slug) ? works[slug] : undefined)

function charges(): Option {
  return choice({ anchor: 0, lantern: 0, comet: 3, tree: 3, key: 5, crown: 10 })
}
