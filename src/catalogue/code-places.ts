/** Keeps the line numbers by which a page of the documentation leads into the sources. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** "`name` in [file](path) (12)": the line at which the file declares the name; each space may be a new line. */
const PLACE = /`(\w+)`\s+in\s+\[[^\]]+\]\(([^)#]+)\)\s+\((\d+)\)/g

/**
 * The page with the lines as they are now. Rejects when a file is not there, or declares no such name: then the page
 * tells of what is gone.
 *
 * @param root the folder that the paths of the page begin in
 */
export const withLinesOf = async (root: string, page: string): Promise<string> => {
  const paths = new Set([...page.matchAll(PLACE)].map(([, , path = '']) => path))
  const sources = new Map<string, readonly string[]>()
  for (const path of paths) sources.set(path, (await readFile(join(root, path), 'utf8')).split('\n'))
  return page.replace(PLACE, (whole, name: string, path: string, told: string) => {
    const line = lineOf(sources.get(path) ?? [], name)
    if (line === 0) throw new Error(`${path} declares no ${name}, to which the page leads`)
    return `${whole.slice(0, -told.length - 1)}${line})`
  })
}

/** The first line that declares a name, from 1; 0 where none does. What stands for itself goes before a member. */
const lineOf = (lines: readonly string[], name: string): number => {
  const declares = new RegExp(`\\b(?:const|function|class|type) ${name}\\b`)
  const isMember = new RegExp(`^\\s+(?:async )?${name}(?:\\(.*\\{$|: )`)
  const at = lines.findIndex((line) => declares.test(line))
  return (at === -1 ? lines.findIndex((line) => isMember.test(line)) : at) + 1
}
