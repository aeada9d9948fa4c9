import type { Work } from '../../domain/game/studio/artist.ts'
import { type Colours, chanceOf, circle, coloursOf, el, path, pickNamed, rect, stroke, svg, words } from './kit.ts'

/** Pictures of one thing: an emblem, a portrait, a ship. */

const SIDE = 400

const SHAPES: Readonly<Record<string, string>> = {
  shield: 'M90 60H310V190C310 270 260 320 200 345C140 320 90 270 90 190Z',
  disc: 'M200 55A145 145 0 1 1 199 55Z',
  diamond: 'M200 40L350 200L200 360L50 200Z',
  star: 'M200 30L243 138L360 146L270 220L300 335L200 272L100 335L130 220L40 146L157 138Z',
}

/** Drawings of a charge, by name; each is drawn round the point 0 0, some 120 high. */
const CHARGES: Readonly<Record<string, (colour: string) => string>> = {
  anchor: (colour) =>
    stroke('M0 -42V50M-24 -20H24M-48 14C-44 44 -22 52 0 52C22 52 44 44 48 14', colour, 11) + ring(colour),
  lantern: (colour) => stroke('M-16 -52C-16 -70 16 -70 16 -52', colour, 7) + path('M-26 -50H26L34 48H-34Z', colour),
  comet: (colour) => circle(26, 24, 24, colour) + stroke('M6 4L-44 -46M20 -6L-10 -52M-2 22L-52 -6', colour, 8),
  tree: (colour) => path('M0 -62L44 0H22L50 40H-50L-22 0H-44Z', colour) + rect(-8, 38, 16, 26, colour),
  key: (colour) => stroke('M0 -14V60M0 36H24M0 56H20', colour, 11) + circle(0, -36, 20, 'none', edge(colour, 10)),
  crown: (colour) => path('M-56 40L-60 -34L-28 0L0 -50L28 0L60 -34L56 40Z', colour),
}

export const emblem = (work: Work): string => {
  const { opts, sitter } = work
  const { ground, deep, body, light } = coloursOf(work)
  const shape = pickNamed(SHAPES, opts.shape)
  return svg(
    ...([SIDE, SIDE, `The emblem of ${sitter.name}`, rect(0, 0, SIDE, SIDE, ground)] as const),
    path(shape, body, edge(deep, 10)),
    charge(work, light, 200, 190),
    words(sitter.name, { x: 200, y: 385, width: 360, size: 30 }, contrasting(ground, deep, light)),
  )
}

const HATS: Readonly<Record<string, string>> = {
  pathfinder: 'M110 150C110 60 290 60 290 150L330 160H70Z',
  engineer: 'M120 150C120 70 280 70 280 150V165H120Z',
  envoy: 'M125 160C120 80 150 66 200 66C250 66 280 80 275 160C250 120 150 120 125 160Z',
  vanguard: 'M115 180V130C115 60 285 60 285 130V180L255 150H145Z',
}

const MOUTHS: Readonly<Record<string, string>> = {
  calm: 'M175 232H225',
  bold: 'M172 234C190 228 212 228 230 222',
  merry: 'M168 224C180 252 220 252 232 224',
  stern: 'M172 240C186 228 214 228 228 240',
}

const SKINS = ['#f1cfae', '#d9a67a', '#b47a4e', '#8a5a3a', '#5f3d2a'] as const

export const portrait = (work: Work): string => {
  const { opts, sitter } = work
  const colours = coloursOf(work)
  const { ground, deep, body, light } = colours
  const chance = chanceOf(work)
  const skin = SKINS[chance(SKINS.length)] ?? SKINS[0]
  return svg(
    ...([SIDE, SIDE, `A portrait of ${sitter.name}`, rect(0, 0, SIDE, SIDE, ground)] as const),
    ...Array.from({ length: 12 }, () => circle(chance(SIDE), chance(300), 2 + chance(5), light, { opacity: 0.5 })),
    path('M60 400C60 310 130 290 200 290C270 290 340 310 340 400Z', body, edge(deep, 6)),
    rect(176, 250, 48, 60, skin),
    el('ellipse', { cx: 200, cy: 195, rx: 74, ry: 86, fill: skin, stroke: deep, 'stroke-width': 5 }),
    circle(172, 188, 7, deep),
    circle(228, 188, 7, deep),
    stroke(pickNamed(MOUTHS, opts.mood), deep, 6),
    path(pickNamed(HATS, sitter.class), deep, edge(body, 5)),
    ...Array.from({ length: Math.min(sitter.level, 10) }, (_, n) => circle(110 + n * 20, 316, 5, light)),
    rect(0, 336, SIDE, 64, deep),
    words(sitter.name, { x: 200, y: 370, width: 330, size: 28 }, light),
    pictureFrame(work, colours, SIDE, SIDE),
  )
}

const HULL = 'M40 190C150 120 420 110 560 190C420 270 150 260 40 190Z'

const PATTERNS: Readonly<Record<string, (colour: string) => readonly string[]>> = {
  plain: (colour) => [rect(40, 190, 520, 90, colour)],
  stripes: (colour) => repeated(9, 60, (x) => rect(x, 90, 26, 200, colour)),
  chevrons: (colour) =>
    repeated(9, 60, (x) => path(`M${x} 90L${x + 40} 190L${x} 290H${x + 24}L${x + 64} 190L${x + 24} 90Z`, colour)),
  scales: (colour) =>
    repeated(18, 32, (x, n) => repeated(7, 26, (y) => circle(x, 100 + y + (n % 2) * 13, 11, colour)).join('')),
}

export const shipPaint = (work: Work): string => {
  const { opts, sitter } = work
  const { ground, deep, body, light } = coloursOf(work)
  const chance = chanceOf(work)
  return svg(
    ...([600, 360, `The ship of ${sitter.name}`, rect(0, 0, 600, 360, deep)] as const),
    ...Array.from({ length: 60 }, () => circle(chance(600), chance(360), 1 + chance(2), light, { opacity: 0.7 })),
    el('clipPath', { id: 'hull' }, path(HULL, light)),
    path('M90 190L30 110V270Z', body),
    path('M250 140L330 50H390L350 140Z', body),
    path(HULL, ground),
    el('g', { 'clip-path': 'url(#hull)' }, ...pickNamed(PATTERNS, opts.pattern)(body)),
    path(HULL, 'none', edge(light, 5)),
    circle(440, 185, 30, deep, edge(light, 4)),
    el('g', { transform: 'translate(440 185) scale(0.32)' }, pickNamed(CHARGES, opts.charge)(light)),
    words(sitter.name, { x: 300, y: 335, width: 540, size: 28 }, light),
  )
}

/** The frame round a picture. */
export const pictureFrame = ({ opts }: Work, { deep, body, light }: Colours, width: number, height: number): string => {
  const line = (inset: number, colour: string, thick: number) =>
    rect(inset, inset, width - 2 * inset, height - 2 * inset, 'none', edge(colour, thick))
  const leaves = (y: number) =>
    repeated(Math.floor(width / 25), 25, (x) =>
      el('ellipse', { cx: x + 12, cy: y, rx: 11, ry: 5, fill: '#5f8a4a' }),
    ).join('')
  const frames: Readonly<Record<string, string>> = {
    none: '',
    line: line(8, deep, 4),
    brass: line(9, '#8a6a24', 18) + line(9, '#d8b45a', 8),
    laurel: line(9, light, 18) + line(18, body, 3) + leaves(9) + leaves(height - 9),
  }
  return pickNamed(frames, opts.frame)
}

const charge = ({ opts }: Work, colour: string, x: number, y: number): string =>
  el('g', { transform: `translate(${x} ${y}) scale(1.3)` }, pickNamed(CHARGES, opts.charge)(colour))

const ring = (colour: string): string => circle(0, -52, 11, 'none', edge(colour, 8))

const edge = (colour: string, width: number) => ({ stroke: colour, 'stroke-width': width })

/** Dark grounds begin with a low digit. */
const contrasting = (ground: string, deep: string, light: string): string => (ground.charAt(1) < '8' ? light : deep)

function repeated(times: number, by: number, draw: (at: number, n: number) => string): readonly string[] {
  return Array.from({ length: times }, (_, n) => draw(n * by, n))
}
