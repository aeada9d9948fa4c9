import { type CssNode, rulesOf } from './css-node.ts'
import { scopedSelectors } from './css-selectors.ts'
import { declaration } from './css-values.ts'
import type { OwnImage } from './own-images.ts'

/**
 * Makes a merchant's stylesheet harmless: rules and `@media` stay, every other at-rule goes, and so does each
 * declaration and selector that is not on the lists. What comes out is written anew, holds no `<`, loads nothing but
 * the merchant's own pictures, and stays the same when it is cleaned again.
 */

/**
 * Characters that are looked at, and that come out. What a merchant sends is half as long at most; scoping makes it
 * longer.
 */
const CHARS_MAX = 65_536

export const cleanCss = (css: string, ownImage: OwnImage): string => {
  if (css.length > CHARS_MAX) return ''
  let clean = ''
  for (const rule of rulesOf(css) ?? []) {
    const text = ruleText(rule, ownImage)
    if (text !== undefined && clean.length + text.length <= CHARS_MAX) clean += text
  }
  return clean
}

const ruleText = (node: CssNode, ownImage: OwnImage): string | undefined => {
  if (node.type === 'Atrule') return mediaText(node, ownImage)
  if (node.type !== 'Rule') return undefined
  const selectors = scopedSelectors(node.prelude)
  const declarations = (node.block?.children ?? [])
    .filter(({ type }) => type === 'Declaration')
    .flatMap((each) => declaration(each, ownImage) ?? [])
  return selectors.length > 0 && declarations.length > 0
    ? `${selectors.join(',')}{${declarations.join(';')}}\n`
    : undefined
}

const mediaText = ({ name, prelude, block }: CssNode, ownImage: OwnImage): string | undefined => {
  if (name?.toLowerCase() !== 'media') return undefined
  const [list] = prelude?.children ?? []
  const queries = list?.type === 'MediaQueryList' ? (list.children ?? []).map(queryText) : []
  const rules = (block?.children ?? []).flatMap((each) => ruleText(each, ownImage) ?? [])
  if (queries.length === 0 || queries.some((each) => each === undefined) || rules.length === 0) return undefined
  return `@media ${queries.join(',')}{\n${rules.join('')}}\n`
}

const queryText = ({ type, modifier, mediaType, condition }: CssNode): string | undefined => {
  if (type !== 'MediaQuery') return undefined
  if (modifier && !/^(not|only)$/i.test(modifier)) return undefined
  if (mediaType && !/^(all|screen|print)$/i.test(mediaType)) return undefined
  const tested = condition ? conditionText(condition) : ''
  if (tested === undefined) return undefined
  const kind = [modifier, mediaType].filter(Boolean).join(' ')
  return [kind, tested].filter(Boolean).join(' and ') || undefined
}

const conditionText = ({ type, children }: CssNode): string | undefined => {
  if (type !== 'Condition') return undefined
  const texts = (children ?? []).map(testText)
  return texts.length > 0 && texts.every((each) => each !== undefined) ? texts.join(' ') : undefined
}

const testText = (node: CssNode): string | undefined => {
  if (node.type === 'Identifier') return /^(and|or|not)$/i.test(node.name ?? '') ? node.name : undefined
  if (node.type === 'Condition') {
    const inner = conditionText(node)
    return inner && `(${inner})`
  }
  if (node.type !== 'Feature' || !FEATURE.test(node.name ?? '')) return undefined
  const value = typeof node.value === 'object' && node.value !== null ? featureValue(node.value) : ''
  return value === undefined ? undefined : `(${node.name}${value && `:${value}`})`
}

const FEATURE =
  /^((min-|max-)?(width|height|aspect-ratio|resolution)|orientation|hover|pointer|prefers-(color-scheme|contrast|reduced-motion))$/i

const featureValue = ({ type, value, unit = '', name = '' }: CssNode): string | undefined => {
  if (type === 'Identifier') return /^[a-z-]{1,20}$/i.test(name) ? name : undefined
  const isNumber = /^(Number|Dimension)$/.test(type) && typeof value === 'string' && /^\d{0,6}\.?\d{1,4}$/.test(value)
  return isNumber && /^[a-z]{0,4}$/i.test(unit) ? `${value}${unit}` : undefined
}
