import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

/** Who loads whom, by what the files say. Imports of types alone load nothing. */
export type ImportGraph = {
  /** The files that a file loads itself. */
  filesOf(file: string): readonly string[]
  /** Packages and modules of Node's that a file names itself. */
  packagesOf(file: string): readonly string[]
}

/** Reads a file when it is asked for first. */
export const importGraph = (root: string): ImportGraph => {
  const read = new Map<string, { files: string[]; packages: string[] }>()
  const of = (file: string) => {
    const known = read.get(file)
    if (known) return known
    const named = namesIn(root, file)
    const isFile = (name: string) => name.startsWith('.') || name.startsWith('src/')
    const files = named
      .filter(isFile)
      .map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name))
      .filter((name) => name.endsWith('.ts') && existsSync(join(root, name)))
    const result = { files, packages: named.filter((name) => !isFile(name)) }
    read.set(file, result)
    return result
  }
  return { filesOf: (file) => of(file).files, packagesOf: (file) => of(file).packages }
}

/** Every file that is loaded with one, and in how many steps. */
export const closureOf = (graph: ImportGraph, file: string): ReadonlyMap<string, number> => {
  const steps = new Map([[file, 0]])
  for (const [each, step] of steps)
    for (const next of graph.filesOf(each)) if (!steps.has(next)) steps.set(next, step + 1)
  return steps
}

/** The test files of a tree that run in `npm test`. */
export const testFilesOf = (root: string, patterns: readonly string[] = ['test/**/*.test.ts']): readonly string[] =>
  globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**', 'test/clients/**', 'test/together/**'] })
    .filter((file) => !file.endsWith('.deep.test.ts'))
    .sort()

const namesIn = (root: string, file: string): readonly string[] => {
  const text = readFileSync(join(root, file), 'utf8')
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    const named = namedBy(node)
    if (named && ts.isStringLiteral(named)) names.push(named.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: NO_COMMENTS }))
  return names
}

const NO_COMMENTS = ts.JSDocParsingMode.ParseNone

const namedBy = (node: ts.Node): ts.Node | undefined => {
  if (ts.isImportDeclaration(node))
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? undefined : node.moduleSpecifier
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return startedBy(node)
}

/** What runs as a process of its own: `new URL('../src/cli.ts', import.meta.url)`, or an argument `'src/cli.ts'`. */
const startedBy = (node: ts.Node): ts.Node | undefined => {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'URL')
    return isProgramName(node.arguments?.[0]) ? node.arguments?.[0] : undefined
  return ts.isArrayLiteralExpression(node) ? node.elements.find(isProgramName) : undefined
}

const isProgramName = (node: ts.Node | undefined): boolean =>
  node !== undefined && ts.isStringLiteral(node) && /^(\.\.?|src)\/.*\.ts$/.test(node.text)

/** A module of Node's or of a package that reaches beyond the process. */
export const reachesOut = (name: string): boolean =>
  isBuiltin(name)
    ? /^(node:)?(child_process|cluster|dgram|http|http2|https|net|tls|worker_threads)$/.test(name)
    : /^(postgres|playwright-core|undici|litesvm)$/.test(name)
