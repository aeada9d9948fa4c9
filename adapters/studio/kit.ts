import type { Work } from '../../domain/game/studio/artist.ts'

/**
 * The parts that all pictures of the studio are made of: colours, shapes, words, and chance that is the same for the
 * same work.
 */

export type Colours = { readonly ground: string; readonly deep: string; readonly body: string; readonly light: string }

const PALETTES: Readonly<Record<string, Colours>> = {
  dawn: { ground: '#f6d7b8', deep: '#7a3b4a', body: '#d9735f', light: '#fff3e2' },
  tide: { ground: '#bfe0e2', deep: '#123c4a', body: '#2f7f8c', light: '#f2fbfa' },
  ember: { ground: '#3a1f1c', deep: '#1d0d0b', body: '#c8452c', light: '#ffd9a0' },
  moss: { ground: '#d5dcb6', deep: '#2c3a1e', body: '#6d8a3c', light: '#f8faea' },
  midnight: { ground: '#1b2340', deep: '#0b1022', body: '#5a6fc0', light: '#e8ecff' },
  gilded: { ground: '#2b2518', deep: '#171309', body: '#b98a2e', light: '#ffe9ae' },
}

/** Throws for a palette that it does not know. */
export const coloursOf = ({ opts }: Work): Colours => pickNamed(PALETTES, opts.palette)

export const pickNamed = <T>(from: Readonly<Record<string, T>>, name = ''): T => {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (value === undefined) throw new Error(`there is no ${name} to draw`)
  return value
}

type Attributes = Readonly<Record<string, string | number>>

/** An element; what it holds is markup, so words come in by `words` alone. */
export const el = (name: string, attributes: Attributes, ...inside: readonly string[]): string => {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  return inside.length === 0 ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inside.join('')}</${name}>`
}

export const rect = (x: number, y: number, width: number, height: number, fill: string, more: Attributes = {}) =>
  el('rect', { x, y, width, height, fill, ...more })
export const circle = (cx: number, cy: number, r: number, fill: string, more: Attributes = {}) =>
  el('circle', { cx, cy, r, fill, ...more })
export const path = (d: string, fill: string, more: Attributes = {}) => el('path', { d, fill, ...more })
export const stroke = (d: string, colour: string, width: number) =>
  el('path', { d, fill: 'none', stroke: colour, 'stroke-width': width, 'stroke-linecap': 'round' })

/** Words in the middle of a line that is `width` wide; long ones get smaller. */
export const words = (
  text: string,
  { x, y, width, size }: { [K in 'x' | 'y' | 'width' | 'size']: number },
  fill: string,
) => {
  const length = Math.max([...text].length, 1)
  const fitting = Math.min(size, Math.floor((width * 17) / (10 * length)))
  const look = { 'font-family': 'Georgia, "Times New Roman", serif', 'font-size': fitting, 'text-anchor': 'middle' }
  return el('text', { x, y, fill, ...look }, escaped(text))
}

export const svg = (width: number, height: number, title: string, ...inside: readonly string[]): string =>
  el(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' },
    el('title', {}, escaped(title)),
    ...inside,
  )

/**
 * Whole numbers that follow from the work's id, from 0 to `bound - 1`; whole ones, so that every machine draws the
 * same.
 */
export const chanceOf = ({ jobId }: Work): ((bound: number) => number) => {
  let state = 2_166_136_261
  for (const character of jobId) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619)
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

const escaped = (text: string): string =>
  // Characters that XML 1.0 does not allow are left out, because a name may hold anything.
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`)
