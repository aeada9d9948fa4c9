/**
 * The entry of a record under a name that somebody else chose. A plain look-up also finds what every object has, as
 * `toString` or `__proto__`.
 */
export const ownEntry = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Whether two pieces of plain data say the same; the order of a map's names says nothing. */
export const isSameData = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  const isAlike = (name: string) =>
    Object.hasOwn(b, name) && isSameData(a[name as keyof typeof a], b[name as keyof typeof b])
  return names.length === Object.keys(b).length && names.every(isAlike)
}
