/** JSON whose numbers stay the text that they were written as: a float would change them. */

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Throws a SyntaxError on what is not JSON as a whole, such as an answer that was cut off. */
export const parseExact = (text: string): unknown => parse(text, asWritten)

const asWritten: Reviver = (_, value, { source }) => (typeof value === 'number' ? source : value)

/** ECMAScript tells a reviver the source text, TypeScript does not know it yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown
