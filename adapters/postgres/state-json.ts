/** JSON that keeps bigints: `#12` is the number twelve, and a string that starts with `#` gets one more. */

/** Text for any tree of plain objects, arrays, strings, numbers, booleans, nulls and bigints. */
export function stateToJson(state: unknown): string {
  const text = JSON.stringify(state, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `#${value}`
    return typeof value === 'string' && value.startsWith('#') ? `#${value}` : value
  })
  if (text === undefined) throw new Error('A state must be a JSON value')
  return text
}

/** The tree that `stateToJson` was given. */
export function stateFromJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('#')) return value
    return value.startsWith('##') ? value.slice(1) : BigInt(value.slice(1))
  })
}
