import { type CssNode, isName } from './css-node.ts'

/**
 * Selectors of a merchant's stylesheet, scoped so that they reach nothing outside the element with the class `store`.
 */

const SCOPE = '.store'

/** The selectors of a rule that may stay, each scoped. */
export const scopedSelectors = (prelude: CssNode | null | undefined): readonly string[] =>
  prelude?.type === 'SelectorList' ? (prelude.children ?? []).flatMap((each) => scoped(each) ?? []) : []

/** Parts that stand together, and what joins them to those before. */
type Compound = { readonly joint: string; readonly parts: readonly CssNode[] }

/**
 * A selector, scoped. What stands for the whole page means the element itself: `body > p` becomes `.store > p`. The
 * element's neighbours are not reached: `body ~ p` is left out. Anything else is looked for within the element.
 */
const scoped = (selector: CssNode): string | undefined => {
  const compounds = compoundsOf(selector)
  const first = compounds.findIndex(({ parts }) => !parts.some(isRoot))
  const roots = first === -1 ? compounds : compounds.slice(0, first)
  const rest = first === -1 ? [] : compounds.slice(first)
  if (compounds[0]?.joint !== '' || roots.some(({ joint }) => SIDEWAYS.test(joint))) return undefined
  if (roots.length === 0) return joined(` ${SCOPE} `, compounds)?.trimStart()
  if (SIDEWAYS.test(rest[0]?.joint ?? '')) return undefined
  const own = texts(roots.flatMap(({ parts }) => parts.filter((part) => !isRoot(part))))
  return own === undefined ? undefined : joined(`${SCOPE}${own}`, rest)
}

const SIDEWAYS = /[+~]/

const isRoot = ({ type, name, children }: CssNode): boolean =>
  (type === 'TypeSelector' && /^(html|body)$/i.test(name ?? '')) ||
  (type === 'PseudoClassSelector' && /^root$/i.test(name ?? '') && !children) ||
  (type === 'ClassSelector' && name === SCOPE.slice(1))

const compoundsOf = ({ children }: CssNode): readonly Compound[] => {
  const compounds: { joint: string; parts: CssNode[] }[] = [{ joint: '', parts: [] }]
  for (const child of children ?? []) {
    const last = compounds.at(-1)
    if (child.type !== 'Combinator') last?.parts.push(child)
    else if (compounds.length === 1 && last?.parts.length === 0 && last.joint === '') last.joint = child.name ?? ''
    else compounds.push({ joint: child.name ?? '', parts: [] })
  }
  return compounds
}

const joined = (start: string, compounds: readonly Compound[]): string | undefined => {
  let text = start
  for (const { joint, parts } of compounds) {
    const own = texts(parts)
    if (own === undefined || own === '' || !/^[ >+~]?$/.test(joint)) return undefined
    text += `${joint}${own}`
  }
  return text
}

const texts = (parts: readonly CssNode[]): string | undefined => {
  const all = parts.map(textOf)
  // A type that comes after a class would be another selector when it is read again.
  const isOrdered = parts.every(({ type }, at) => at === 0 || type !== 'TypeSelector')
  return isOrdered && all.every((each) => each !== undefined) ? all.join('') : undefined
}

const textOf = (node: CssNode): string | undefined => {
  const { type, name, children } = node
  if (type === 'TypeSelector' && name === '*') return name
  if (!isName(name)) return undefined
  switch (type) {
    case 'TypeSelector':
      return name
    case 'ClassSelector':
      return `.${name}`
    case 'IdSelector':
      return `#${name}`
    case 'PseudoElementSelector':
      return !children && ELEMENTS.has(name.toLowerCase()) ? `::${name.toLowerCase()}` : undefined
    case 'PseudoClassSelector':
      return children
        ? withArguments(name.toLowerCase(), children)
        : STATES.has(name.toLowerCase())
          ? `:${name.toLowerCase()}`
          : undefined
    default:
      return undefined
  }
}

const ELEMENTS: ReadonlySet<string> = new Set([
  'before',
  'after',
  'first-line',
  'first-letter',
  'marker',
  'placeholder',
])

const STATES: ReadonlySet<string> = new Set([
  'hover',
  'focus',
  'focus-visible',
  'focus-within',
  'active',
  'link',
  'visited',
  'target',
  'empty',
  'root',
  'first-child',
  'last-child',
  'only-child',
  'first-of-type',
  'last-of-type',
  'only-of-type',
  'checked',
  'disabled',
  'enabled',
  'required',
  'optional',
  'valid',
  'invalid',
  'placeholder-shown',
])

const withArguments = (name: string, children: readonly CssNode[]): string | undefined => {
  const [argument, ...more] = children
  if (!argument || more.length > 0) return undefined
  if (/^nth-(last-)?(child|of-type)$/.test(name)) return nth(name, argument)
  if (!/^(not|is|where|has)$/.test(name) || argument.type !== 'SelectorList') return undefined
  const inner = (argument.children ?? []).map((each) => {
    const compounds = compoundsOf(each)
    return name === 'has' || compounds[0]?.joint === '' ? joined('', compounds) : undefined
  })
  return inner.length > 0 && inner.every((each) => each !== undefined) ? `:${name}(${inner.join(',')})` : undefined
}

const nth = (name: string, { type, nth: step, selector }: CssNode): string | undefined => {
  if (type !== 'Nth' || selector || !step) return undefined
  if (step.type === 'Identifier') return /^(odd|even)$/i.test(step.name ?? '') ? `:${name}(${step.name})` : undefined
  const { a = null, b = null } = step
  if (![a, b].every((each) => each === null || /^[+-]?\d{1,6}$/.test(each))) return undefined
  const offset = b === null ? '' : a !== null && /^\d/.test(b) ? `+${b}` : b
  return `:${name}(${a === null ? '' : `${a}n`}${offset})`
}
