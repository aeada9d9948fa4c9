/**
 * The entry of a record under a name that somebody else chose. A plain look-up also finds what every object has, as
 * `toString` or `__proto__`.
 */
export const ownEntry = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
