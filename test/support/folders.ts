import { dirname } from 'node:path'

/** Folders as modules: which need each other, and how many things lie side by side. */

/** An import, from file to file. */
export type Import = readonly [from: string, to: string]

/**
 * Rings of folders that need each other, at every depth: two that lie side by side, and one with what lies within it.
 * Each is told by its folders, `domain/card domain/selling`; files that lie beside folders are `domain/*`.
 */
export const ringsOf = (imports: readonly Import[]): readonly string[] => {
  const parents = new Set(imports.flatMap((pair) => pair.flatMap(foldersOf)))
  return [...parents].sort().flatMap((parent) => {
    const edges = imports.flatMap(([from, to]) => {
      const [one, other] = [childOf(parent, from), childOf(parent, to)]
      return one !== undefined && other !== undefined && one !== other ? [[one, other] as const] : []
    })
    return ringsIn(edges).map((ring) => ring.toSorted().join(' '))
  })
}

/** How many files and folders lie in each folder. */
export const siblingsOf = (files: readonly string[]): ReadonlyMap<string, number> => {
  const within = new Map<string, Set<string>>()
  for (const file of files)
    for (let path = file; path.includes('/'); path = dirname(path)) {
      const folder = dirname(path)
      within.set(folder, (within.get(folder) ?? new Set()).add(path))
    }
  return new Map([...within].map(([folder, entries]) => [folder, entries.size]))
}

const foldersOf = (file: string): readonly string[] => {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}

/** What lies directly in a folder and holds a file; files themselves count as one. */
const childOf = (parent: string, file: string): string | undefined => {
  if (!file.startsWith(`${parent}/`)) return undefined
  const rest = file.slice(parent.length + 1)
  return rest.includes('/') ? `${parent}/${rest.slice(0, rest.indexOf('/'))}` : `${parent}/*`
}

/** Groups of names that reach each other, by Tarjan's algorithm. */
const ringsIn = (edges: readonly (readonly [string, string])[]): readonly (readonly string[])[] => {
  const next = new Map<string, Set<string>>()
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to))
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const rings: string[][] = []
  const visit = (name: string) => {
    order.set(name, order.size)
    low.set(name, order.get(name) ?? 0)
    open.push(name)
    for (const other of next.get(name) ?? []) {
      if (!order.has(other)) visit(other)
      if (open.includes(other)) low.set(name, Math.min(low.get(name) ?? 0, low.get(other) ?? 0))
    }
    if (low.get(name) !== order.get(name)) return
    const ring = open.splice(open.indexOf(name))
    if (ring.length > 1) rings.push(ring)
  }
  for (const name of next.keys()) if (!order.has(name)) visit(name)
  return rings
}
