import type { Work } from '../../domain/game/studio/artist.ts'
import { pictureFrame } from './figures.ts'
import { type Colours, chanceOf, circle, coloursOf, path, pickNamed, rect, stroke, svg, words } from './kit.ts'

/** Pictures with words and places: a banner, a poster, a map of the stars. */

const EDGES: Readonly<Record<string, (colours: Colours) => string>> = {
  straight: ({ body }) => rect(40, 40, 520, 160, body),
  swallowtail: ({ body }) => path('M40 40H560L500 120L560 200H40Z', body),
  fringe: ({ body, light }) =>
    rect(40, 40, 520, 140, body) +
    Array.from({ length: 26 }, (_, n) =>
      path(`M${40 + n * 20} 180L${50 + n * 20} 205L${60 + n * 20} 180Z`, light),
    ).join(''),
}

export const banner = (work: Work): string => {
  const { opts, sitter } = work
  const colours = coloursOf(work)
  const { ground, deep, light } = colours
  return svg(
    ...([600, 240, `A banner of ${sitter.name}`, rect(0, 0, 600, 240, ground), rect(20, 20, 20, 220, deep)] as const),
    pickNamed(EDGES, opts.edge)(colours),
    words(opts.words || sitter.name, { x: 285, y: 128, width: 420, size: 48 }, light),
    words(`${sitter.name}, ${sitter.class}`, { x: 285, y: 165, width: 420, size: 18 }, light),
  )
}

type Chance = (bound: number) => number

const SCENES: Readonly<Record<string, (colours: Colours, chance: Chance) => readonly string[]>> = {
  harbour: ({ deep, body, light }, chance) => [
    circle(300, 150, 46, light),
    rect(0, 330, 420, 270, deep),
    ...times(4, (n) => {
      const [x, y] = [30 + n * 95 + chance(30), 300 + chance(30)]
      return path(`M${x} ${y}L${x + 70} ${y}L${x + 56} ${y + 26}H${x + 14}Z`, body) + rect(x + 33, y - 70, 4, 70, light)
    }),
    ...times(9, () => wave(chance(360), 360 + chance(110), light)),
  ],
  stars: ({ deep, light }, chance) => [
    rect(0, 0, 420, 600, deep),
    ...times(90, () => circle(chance(420), chance(470), 1 + chance(3), light)),
    path('M60 470L210 260L360 470Z', light, { opacity: 0.15 }),
  ],
  wreck: ({ deep, body, light }, chance) => [
    rect(0, 380, 420, 220, deep),
    path('M60 400L120 250L330 220L380 400Z', body),
    ...times(6, (n) => stroke(`M${130 + n * 38} ${250 - n * 4}L${110 + n * 42 + chance(20)} 400`, deep, 6)),
    ...times(7, () => wave(chance(360), 410 + chance(60), light)),
  ],
  garden: ({ deep, body, light }, chance) => [
    rect(0, 400, 420, 200, deep),
    ...times(9, (n) => {
      const [x, y] = [30 + n * 43 + chance(16), 210 + chance(150)]
      return stroke(`M${x} 420V${y}`, body, 6) + circle(x, y, 14 + chance(12), n % 2 ? light : body)
    }),
  ],
}

export const poster = (work: Work): string => {
  const { opts, sitter } = work
  const colours = coloursOf(work)
  const { ground, deep, light } = colours
  return svg(
    ...([420, 600, `A poster of ${sitter.name}`, rect(0, 0, 420, 600, ground)] as const),
    ...pickNamed(SCENES, opts.scene)(colours, chanceOf(work)),
    rect(0, 480, 420, 120, deep),
    words(opts.words || sitter.name, { x: 210, y: 535, width: 370, size: 44 }, light),
    words(`${sitter.name}, ${sitter.class}, level ${sitter.level}`, { x: 210, y: 570, width: 370, size: 18 }, light),
    pictureFrame(work, colours, 420, 600),
  )
}

const STARS: Readonly<Record<string, number>> = { few: 24, many: 70, all: 180 }
const LINES = 9

export const starMap = (work: Work): string => {
  const colours = coloursOf(work)
  const { deep, body, light } = colours
  const chance = chanceOf(work)
  const stars = times(pickNamed(STARS, work.opts.detail), () => [30 + chance(540), 30 + chance(480)] as const)
  const route = stars.slice(0, LINES).sort(([a], [b]) => a - b)
  return svg(
    ...([600, 600, `A map of the stars for ${work.sitter.name}`, rect(0, 0, 600, 600, deep)] as const),
    ...times(5, (n) => circle(300, 270, 50 + n * 50, 'none', { stroke: body, 'stroke-width': 1, opacity: 0.6 })),
    stroke(`M${route.map((at) => at.join(' ')).join('L')}`, body, 2),
    ...stars.map(([x, y], n) => circle(x, y, n < LINES ? 5 : 1 + chance(3), light)),
    words(`Seen by ${work.sitter.name}`, { x: 300, y: 565, width: 520, size: 26 }, light),
    pictureFrame(work, colours, 600, 600),
  )
}

const wave = (x: number, y: number, colour: string): string =>
  stroke(`M${x} ${y}c10 -8 20 -8 30 0s20 8 30 0`, colour, 3)

function times<T>(count: number, make: (n: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
