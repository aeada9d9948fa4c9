import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { dropWithTurn } from './kept.ts'

/** The project's own sources, for the tests of how the house is built. */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const FOLDERS = ['domain', 'projections', 'adapters', 'src', 'test']

/** Each file is parsed once. */
const parses = new Map<string, ts.SourceFile>()
// All of them are 400 MB, through which the collector of garbage would go again and again.
dropWithTurn(() => parses.clear())

/**
 * The project's own TypeScript files; what lives under test/clients is third-party clients with packages of their own.
 */
export function sources(root: string): string[] {
  const pattern = `{${FOLDERS.join(',')}}/**/*.ts`
  return globSync(pattern, { cwd: root, exclude: ['test/clients/**', '**/node_modules/**'] }).sort()
}

/** No check asks for the parts of a docstring, which cost a fifth of the parse. */
const OPTIONS = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export function parsed(file: string): ts.SourceFile {
  const known = parses.get(file)
  if (known) return known
  const source = ts.createSourceFile(file, textOf(file), OPTIONS, true)
  parses.set(file, source)
  return source
}

/** What a check says about each node of a file, as `file:line what`. */
export function found(file: string, check: (node: ts.Node, source: ts.SourceFile) => string | undefined): string[] {
  const source = parsed(file)
  const results: string[] = []
  const visit = (node: ts.Node): void => {
    const result = check(node, source)
    if (result) results.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${result}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return results
}

export function linesOf(node: ts.Node, source: ts.SourceFile): number {
  const line = (position: number) => source.getLineAndCharacterOfPosition(position).line
  return line(node.getEnd()) - line(node.getStart()) + 1
}
