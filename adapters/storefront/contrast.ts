/** How well two colours can be told apart, by WCAG 2.2. */

export type Colour = `#${string}`

/** The contrast that text of normal size needs (WCAG 1.4.3, level AA). */
const READABLE = 4.5

/** `#rrggbb` and nothing else: whatever else a seller wrote never comes near a stylesheet. */
export const colourOf = (text: string): Colour | undefined =>
  /^#[0-9a-f]{6}$/i.test(text) ? (text.toLowerCase() as Colour) : undefined

export const isReadable = (a: Colour, b: Colour): boolean => contrast(a, b) >= READABLE

/** Black or white, whichever is easier to read on a colour; one of them always is readable. */
export const inkOn = (paper: Colour): Colour =>
  contrast(paper, '#ffffff') >= contrast(paper, '#000000') ? '#ffffff' : '#000000'

const contrast = (a: Colour, b: Colour): number => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const luminance = (colour: Colour): number => {
  const [r, g, b] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
