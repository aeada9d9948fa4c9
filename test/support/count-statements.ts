import type { ISql } from 'postgres'

/**
 * The same database, with the statements counted that are no part of a transaction, by the names of the patterns that
 * they match; those of a name are sent only after what is given for it.
 */
export const countStatements = <Name extends string, Pool extends ISql>(
  real: Pool,
  patterns: Readonly<Record<Name, RegExp>>,
  late: { readonly [N in Name]?: Promise<unknown> } = {},
): { sql: Pool; count(name: Name): number } => {
  const names = Object.keys(patterns) as Name[]
  const seen: Name[] = []
  const counted = (text: string, query: unknown) => {
    const name = names.find((each) => patterns[each].test(text))
    if (name === undefined) return query
    seen.push(name)
    const wait = late[name]
    return wait ? wait.then(() => query) : query
  }
  const sql = new Proxy(real, {
    apply: (target, self, args) =>
      counted(Array.isArray(args[0]?.raw) ? args[0].join('?') : '', Reflect.apply(target, self, args)),
    get: (target, key) =>
      key === 'unsafe'
        ? (text: string, ...rest: []) => counted(text, target.unsafe(text, ...rest))
        : Reflect.get(target, key),
  })
  return { sql, count: (name) => seen.filter((each) => each === name).length }
}
