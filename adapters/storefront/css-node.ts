import { parse, tokenize, toPlainObject } from 'css-tree'

// The types of css-tree (2.3.11) are older than the library (3.2.1).
declare module 'css-tree' {
  function tokenize(source: string, onToken: (type: number, start: number, end: number) => void): void
}

/**
 * A stylesheet as its parser sees it, with the fields that the cleaning looks at. A place that the parser did not
 * understand is a `Raw`.
 */
export type CssNode = {
  readonly type: string
  readonly name?: string
  readonly value?: CssNode | string | null
  readonly unit?: string
  readonly property?: string
  readonly prelude?: CssNode | null
  readonly block?: CssNode | null
  readonly modifier?: string | null
  readonly mediaType?: string | null
  readonly condition?: CssNode | null
  readonly nth?: CssNode
  readonly selector?: CssNode | null
  readonly a?: string | null
  readonly b?: string | null
  readonly children?: readonly CssNode[] | null
}

/** Brackets within each other; deeper ones have no use here and cost the parser its stack. */
const DEPTH_MAX = 32
/** Places that the parser does not understand: each costs it as much as a thousand characters that it does. */
const ERRORS_MAX = 100

/** The rules of a stylesheet; undefined when it is nested, or wrong, beyond all use. */
export const rulesOf = (css: string): readonly CssNode[] | undefined => {
  if (!isFlat(css)) return undefined
  const tooMany = new Error('too many errors')
  let errors = 0
  const onParseError = () => {
    if (++errors > ERRORS_MAX) throw tooMany
  }
  try {
    return (toPlainObject(parse(css, { parseCustomProperty: true, onParseError })) as CssNode).children ?? []
  } catch (error) {
    if (error === tooMany) return undefined
    throw error
  }
}

const isFlat = (css: string): boolean => {
  let depth = 0
  let deepest = 0
  tokenize(css, (_, start, end) => {
    const last = css[end - 1] ?? ''
    if (end - start === 1 ? OPENS.includes(last) : last === '(') deepest = Math.max(deepest, ++depth)
    else if (end - start === 1 && CLOSES.includes(last)) depth = Math.max(0, depth - 1)
  })
  return deepest <= DEPTH_MAX
}
const OPENS = '([{'
const CLOSES = ')]}'

/** A name without escapes: what is written is what is meant. */
export const isName = (text: string | undefined): text is string => text !== undefined && /^-?[a-z_][\w-]*$/i.test(text)
