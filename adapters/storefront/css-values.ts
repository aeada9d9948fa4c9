import { type CssNode, isName } from './css-node.ts'
import type { OwnImage } from './own-images.ts'

/**
 * Declarations of a merchant's stylesheet. Properties and the forms of their values are on lists, and what is on them
 * is written anew from what the parser understood, so that nothing of the merchant's own spelling comes through.
 */

/**
 * A declaration as `property:value`; undefined for one that may not stay. It is never important, so that our own rules
 * can always win.
 */
export const declaration = (node: CssNode, ownImage: OwnImage): string | undefined => {
  const property = node.property?.startsWith('--') ? node.property : node.property?.toLowerCase()
  if (property === undefined || !(PROPERTIES.has(property) || isTheirs(property))) return undefined
  const value = isNode(node.value) ? list(node.value, ownImage) : undefined
  if (value === undefined || value === '') return undefined
  if (property === 'position' && !/^(static|relative|absolute)$/i.test(value)) return undefined
  return `${property}:${value}`
}

/** Names of custom properties that have a meaning in our own stylesheets. */
const OURS = new RegExp(
  `^--(${[
    '(store|trust)-.*',
    '(on-)?(accent|band)(-light|-dark)?',
    'ink',
    'soft',
    'paper',
    'line',
    'field',
    'card(-title)?',
    'warn(-paper|-line)?',
    '(bad|good|test)(-paper)?',
    'series-[0-9]+',
    'space-\\d',
    'radius',
    'touch',
    '(sans|mono)',
    '(small|normal|large|title)',
    'hero-space',
    'ratio',
    'tile-gap',
    'title-line',
  ].join('|')})$`,
  'i',
)

const isTheirs = (property: string): boolean => /^--[a-z][\w-]*$/i.test(property) && !OURS.test(property)

const sides = (name: string, ...ends: readonly string[]) => [name, ...ends.map((end) => `${name}-${end}`)]
const EDGES = ['top', 'right', 'bottom', 'left', 'block', 'inline'].flatMap((edge) =>
  ['block', 'inline'].includes(edge) ? [edge, `${edge}-start`, `${edge}-end`] : [edge],
)

const PROPERTIES: ReadonlySet<string> = new Set([
  ...sides('margin', ...EDGES),
  ...sides('padding', ...EDGES),
  ...sides('inset', 'block', 'inline', 'block-start', 'block-end', 'inline-start', 'inline-end'),
  ...['', ...EDGES.map((edge) => `-${edge}`)].flatMap((edge) => sides(`border${edge}`, 'color', 'style', 'width')),
  ...sides('border', 'radius', 'collapse', 'spacing'),
  ...['top-left', 'top-right', 'bottom-left', 'bottom-right'].map((corner) => `border-${corner}-radius`),
  ...sides('outline', 'color', 'style', 'width', 'offset'),
  ...sides('background', 'attachment', 'blend-mode', 'clip', 'color', 'image', 'origin', 'position', 'repeat', 'size'),
  ...sides('font', 'family', 'feature-settings', 'kerning', 'size', 'stretch', 'style', 'variant', 'variant-numeric'),
  'font-weight',
  'line-height',
  'letter-spacing',
  'word-spacing',
  'color',
  'opacity',
  'accent-color',
  'caret-color',
  'text-align',
  'text-indent',
  'text-overflow',
  'text-shadow',
  'text-transform',
  'text-wrap',
  'white-space',
  ...sides('text-decoration', 'color', 'line', 'style', 'thickness'),
  'text-underline-offset',
  'hyphens',
  'overflow-wrap',
  'word-break',
  'vertical-align',
  'tab-size',
  'display',
  'visibility',
  'position',
  'top',
  'right',
  'bottom',
  'left',
  'z-index',
  'float',
  'clear',
  'box-sizing',
  'width',
  'height',
  'min-width',
  'min-height',
  'max-width',
  'max-height',
  'aspect-ratio',
  'inline-size',
  'block-size',
  'min-inline-size',
  'max-inline-size',
  'min-block-size',
  'max-block-size',
  ...sides('overflow', 'x', 'y'),
  'object-fit',
  'object-position',
  'box-shadow',
  'filter',
  'backdrop-filter',
  'mix-blend-mode',
  'clip-path',
  ...sides('flex', 'basis', 'direction', 'flow', 'grow', 'shrink', 'wrap'),
  'order',
  'gap',
  'row-gap',
  'column-gap',
  'align-content',
  'align-items',
  'align-self',
  'justify-content',
  'justify-items',
  'justify-self',
  'place-content',
  'place-items',
  'place-self',
  ...sides('grid', 'area', 'auto-columns', 'auto-flow', 'auto-rows', 'column', 'column-end', 'column-start', 'row'),
  ...sides('grid-template', 'areas', 'columns', 'rows'),
  'grid-row-end',
  'grid-row-start',
  'columns',
  'column-count',
  'column-width',
  'break-inside',
  ...sides('list-style', 'image', 'position', 'type'),
  'table-layout',
  'caption-side',
  'empty-cells',
  'content',
  'quotes',
  'cursor',
  'color-scheme',
  ...sides('transform', 'origin'),
  'rotate',
  'scale',
  'translate',
  ...sides('transition', 'delay', 'duration', 'property', 'timing-function'),
])

const FUNCTIONS: ReadonlySet<string> = new Set([
  'rgb',
  'rgba',
  'hsl',
  'hsla',
  'hwb',
  'lab',
  'lch',
  'oklab',
  'oklch',
  'color-mix',
  'light-dark',
  'linear-gradient',
  'radial-gradient',
  'conic-gradient',
  'repeating-linear-gradient',
  'repeating-radial-gradient',
  'repeating-conic-gradient',
  'calc',
  'min',
  'max',
  'clamp',
  'var',
  'minmax',
  'repeat',
  'fit-content',
  'counter',
  'translate',
  'translatex',
  'translatey',
  'scale',
  'scalex',
  'scaley',
  'rotate',
  'skew',
  'skewx',
  'skewy',
  'blur',
  'brightness',
  'contrast',
  'drop-shadow',
  'grayscale',
  'hue-rotate',
  'invert',
  'saturate',
  'sepia',
  'opacity',
  'cubic-bezier',
  'steps',
  'inset',
  'circle',
  'ellipse',
  'polygon',
])

const isNode = (value: CssNode['value']): value is CssNode => typeof value === 'object' && value !== null

/**
 * The signs that may stand between two parts. Two signs next to each other are refused: nobody knows what they mean,
 * and `/` before `*` begins a comment.
 */
const SIGNS: Readonly<Record<string, string>> = { ',': ',', '/': '/', '*': '*', '+': ' + ', '-': ' - ' }

const list = (node: CssNode, ownImage: OwnImage): string | undefined => {
  let text = ''
  let afterSign = true
  for (const child of (node.children ?? []).filter(({ type }) => type !== 'WhiteSpace' && type !== 'Comment')) {
    const sign = child.type === 'Operator' ? (SIGNS[String(child.value).trim()] ?? '') : undefined
    if (sign === '' || (sign !== undefined && afterSign)) return undefined
    const part = sign ?? piece(child, ownImage)
    if (part === undefined) return undefined
    text += sign === undefined && !afterSign ? ` ${part}` : part
    afterSign = sign !== undefined
  }
  return afterSign && text !== '' ? undefined : text
}

const piece = (node: CssNode, ownImage: OwnImage): string | undefined => {
  const value = typeof node.value === 'string' ? node.value : ''
  switch (node.type) {
    case 'Identifier':
      return isName(node.name) || /^--[a-z][\w-]*$/i.test(node.name ?? '') ? node.name : undefined
    case 'Number':
      return NUMBER.test(value) ? value : undefined
    case 'Percentage':
      return NUMBER.test(value) ? `${value}%` : undefined
    case 'Dimension':
      return NUMBER.test(value) && /^[a-z]{1,8}$/i.test(node.unit ?? '') ? `${value}${node.unit}` : undefined
    case 'Hash':
      return /^[0-9a-f]{3,8}$/i.test(value) ? `#${value}` : undefined
    case 'String':
      return PLAIN.test(value) ? `"${value}"` : undefined
    case 'Url': {
      const path = ownImage(value)
      return path && `url(${path})`
    }
    case 'Function':
    case 'Parentheses':
      return inBrackets(node, ownImage)
    case 'Value':
      return list(node, ownImage)
    default:
      return undefined
  }
}

const NUMBER = /^[+-]?(\d+|\d*\.\d+)(e[+-]?\d{1,3})?$/i
/** Text that needs no escape and could end nothing. */
const PLAIN = /^[^<>\\"'\p{C}\p{Zl}\p{Zp}]{0,200}$/u

const inBrackets = (node: CssNode, ownImage: OwnImage): string | undefined => {
  const name = node.type === 'Function' ? node.name?.toLowerCase() : ''
  if (name === undefined || (name !== '' && !FUNCTIONS.has(name))) return undefined
  const inner = list(node, ownImage)
  return inner === undefined || inner === '' ? undefined : `${name}(${inner})`
}
