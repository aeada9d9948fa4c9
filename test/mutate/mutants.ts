import { globSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { chanceOf } from '../faults/chance.ts'
import { conditions } from './conditions.ts'
import { type Context, isProgram, locatedMutant, type Mutant } from './mutant.ts'
import { removals } from './removals.ts'
import { values } from './values.ts'

const OPERATORS = [...conditions, ...values, ...removals]

/** The sources that a file or a folder names, from the root on. */
export const sourcesIn = (root: string, named: string): readonly string[] => {
  const path = join(root, named)
  if (statSync(path).isFile()) return [relative(root, path)]
  return globSync('**/*.ts', { cwd: path, exclude: ['**/node_modules/**'] })
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .map((file) => relative(root, join(path, file)))
    .sort()
}

/** Every mutant of the files, in the order of files and places. Types are read once for all of them. */
export const mutantsOf = (root: string, files: readonly string[]): readonly Mutant[] => {
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    optionsOf(root),
  )
  const checker = program.getTypeChecker()
  return files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file))
    return source ? mutantsIn(file, { source, checker }) : []
  })
}

/** A share of the mutants that are programs, by chance that the seed repeats, in their own order; all when few. */
export const sampled = (
  root: string,
  mutants: readonly Mutant[],
  { sample, seed }: { readonly sample: number; readonly seed: number },
): readonly Mutant[] => {
  const chance = chanceOf(seed)
  const drawn = mutants
    .map((mutant, at) => ({ mutant, at, lot: chance.next() }))
    .sort((one, other) => one.lot - other.lot)
  const chosen: typeof drawn = []
  for (const each of drawn) {
    if (chosen.length === sample) break
    if (isProgram(ts.sys.readFile(join(root, each.mutant.file)) ?? '', each.mutant)) chosen.push(each)
  }
  return chosen.sort((one, other) => one.at - other.at).map(({ mutant }) => mutant)
}

const mutantsIn = (file: string, context: Context): readonly Mutant[] => {
  const { source } = context
  const known = new Set<string>()
  const mutants: Mutant[] = []
  const visit = (node: ts.Node): void => {
    if (isOutOfReach(node)) return
    for (const operator of OPERATORS)
      for (const change of operator(node, context)) {
        const key = `${change.start}:${change.end}:${change.text}`
        if (!known.has(key)) mutants.push(locatedMutant(file, source, change))
        known.add(key)
      }
    ts.forEachChild(node, (child) => (isName(child) ? undefined : visit(child)))
  }
  visit(source)
  return mutants.sort((one, other) => one.start - other.start || one.end - other.end)
}

/** Types and imports are gone, or the same, when the program runs. */
const isOutOfReach = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) ||
  (ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword))

/** `{ 'a-b': 1 }` names something. */
const isName = (node: ts.Node): boolean =>
  'name' in node.parent && node.parent.name === node && (ts.isStringLiteral(node) || ts.isNumericLiteral(node))

const optionsOf = (root: string): ts.CompilerOptions => {
  const config = ts.findConfigFile(root, ts.sys.fileExists)
  if (!config) return { strict: true, target: ts.ScriptTarget.ES2024, noEmit: true }
  return ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root).options
}
