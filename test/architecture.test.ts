/**
 * The plan of the house, kept by machine: which folder may import which, how long things get, and who reads the
 * environment.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'ava'
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import ts from 'typescript'
import { FOLDERS, found, linesOf, ROOT, sources, textOf } from './support/source-files.ts'

const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 50

const rules: IForbiddenRuleType[] = [
  only('domain', []),
  only('projections', ['^domain/', '^node_modules/postgres/']),
  never('adapters', '^(src|test|bench)/'),
  never('src', '^(test|bench)/'),
  { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
]

test('every folder imports only what the plan of the house lets it, and nothing goes in circles', async (t) => {
  const { violations, modules } = await cruised(ROOT)
  t.deepEqual(violations, [])
  // With a compiler it does not know, dependency-cruiser sees no module at all and finds nothing wrong.
  const product = sources(ROOT).filter((file) => !file.startsWith('test/'))
  t.deepEqual(
    product.filter((file) => !modules.has(file)),
    [],
  )
  t.true(product.length > 100, `${product.length} modules`)
})

const broken: Readonly<Record<string, string>> = {
  'domain/uses-node.ts': "import 'node:fs'",
  'domain/uses-a-package.ts': "import type { Sql } from 'postgres'\nexport type A = Sql",
  'domain/looks-out.ts': "import type { B } from '../projections/b.ts'\nexport type C = B",
  'projections/b.ts': "import 'node:crypto'\nexport type B = 1",
  'projections/calls.ts': "import '../adapters/starts.ts'",
  'adapters/starts.ts': "import '../src/main.ts'",
  'adapters/tries.ts': "import '../test/helper.ts'",
  'src/main.ts': "import '../test/helper.ts'",
  'src/one.ts': "import type { Two } from './two.ts'\nexport type One = Two",
  'src/two.ts': "import type { One } from './one.ts'\nexport type Two = One | 2",
  'src/lost.ts': "import './nowhere.ts'",
  'test/helper.ts': "import '../src/main.ts'",
}

test('the rules of the house do fail on a house that breaks them', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'daybook-house-'))
  t.teardown(() => rm(root, { recursive: true }))
  for (const [file, text] of Object.entries(broken)) {
    await mkdir(join(root, dirname(file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  const { violations } = await cruised(root)
  const expected = [
    'domain-rule: domain/uses-node.ts',
    'domain-rule: domain/uses-a-package.ts',
    'domain-rule: domain/looks-out.ts',
    'projections-rule: projections/b.ts',
    'projections-rule: projections/calls.ts',
    'adapters-rule: adapters/starts.ts',
    'adapters-rule: adapters/tries.ts',
    'src-rule: src/main.ts',
    'no-circles: src/one.ts',
    'nothing-unresolved: src/lost.ts',
  ]
  for (const each of expected)
    t.true(
      violations.some((violation) => violation.startsWith(`${each} `)),
      each,
    )
})

test(`no file is longer than ${FILE_LINES_MAX} lines`, (t) => {
  const lines = sources(ROOT).map((file) => ({ file, lines: textOf(file).split('\n').length - 1 }))
  t.deepEqual(
    lines.filter((each) => each.lines > FILE_LINES_MAX),
    [],
  )
})

test(`no function is longer than ${FUNCTION_LINES_MAX} lines`, (t) => {
  const files = sources(ROOT).filter((file) => textOf(file).split('\n').length > FUNCTION_LINES_MAX)
  const long = files.flatMap((file) =>
    found(file, (node, source) => {
      const lines = isFunction(node) ? ownLines(node, source) : 0
      return lines > FUNCTION_LINES_MAX ? `${lines} lines` : undefined
    }),
  )
  t.deepEqual(long, [])
})

test('the environment is read in src/settings/config.ts alone', (t) => {
  const readers = sources(ROOT)
    .filter((file) => !file.startsWith('test/') && file !== 'src/settings/config.ts')
    .filter((file) => /process/.test(textOf(file)))
    .flatMap((file) => found(file, (node) => (readsEnvironment(node) ? 'process.env' : undefined)))
  t.deepEqual(readers, [])
})

test('no test starts the program in the folder of the project, where it would read the file .env of who works here', (t) => {
  // These are about which tests start it, and start nothing.
  const starters = sources(ROOT)
    .filter((file) => file.startsWith('test/') && !/^test\/(architecture\.test\.ts|mutate\/)/.test(file))
    .filter((file) => /cli\.ts/.test(textOf(file)))
    .flatMap((file) => found(file, (node) => (namesProgram(node) ? 'src/cli.ts' : undefined)))
    .filter((place) => !place.startsWith('test/support/program.ts:'))
  t.deepEqual(starters, [])
})

test('domain, projections and adapters print nothing with console.log', (t) => {
  const printers = sources(ROOT)
    .filter((file) => /^(domain|projections|adapters)\//.test(file) && /console/.test(textOf(file)))
    .flatMap((file) => found(file, (node) => (isMember(node, 'console', 'log') ? 'console.log' : undefined)))
  t.deepEqual(printers, [])
})

const namesProgram = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && node.text.endsWith('src/cli.ts')

const isFunction = (node: ts.Node): boolean => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

/**
 * A function's lines without those of the functions inside it: a maker of small functions is as short as what it says
 * itself.
 */
const ownLines = (node: ts.Node, source: ts.SourceFile): number => {
  let lines = linesOf(node, source)
  const visit = (child: ts.Node): void => {
    if (isFunction(child)) lines -= linesOf(child, source) - 1
    else ts.forEachChild(child, visit)
  }
  ts.forEachChild(node, visit)
  return lines
}

/** The folder imports itself and what is named. */
function only(folder: string, allowed: readonly string[]): IForbiddenRuleType {
  const to = { pathNot: [`^${folder}/`, ...allowed] }
  return { name: `${folder}-rule`, severity: 'error', from: { path: `^${folder}/` }, to }
}

/** The folder imports anything but this. */
function never(folder: string, path: string): IForbiddenRuleType {
  return { name: `${folder}-rule`, severity: 'error', from: { path: `^${folder}/` }, to: { path } }
}

/** What breaks a rule, as `rule: from → to`, and every module that was seen. */
async function cruised(root: string): Promise<{ violations: string[]; modules: Set<string> }> {
  const options: ICruiseOptions = {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: rules },
    // Imports of types alone count: they tie the folders together as much as others do.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/clients/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  }
  // The product alone, and whatever it imports: reading the tests too takes as long again.
  const product = FOLDERS.filter((folder) => folder !== 'test')
  const { output } = await cruise(product, options)
  const { summary, modules } = output as ICruiseResult
  return {
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
    modules: new Set(modules.map(({ source }) => source).filter((source) => /^(?!node_modules).*\.ts$/.test(source))),
  }
}

function isMember(node: ts.Node, object: string, name: string): boolean {
  const reads = ts.isPropertyAccessExpression(node) && node.name.text === name
  return reads && ts.isIdentifier(node.expression) && node.expression.text === object
}

/** Also `const { env } = process` and `import { env } from 'node:process'`. */
function readsEnvironment(node: ts.Node): boolean {
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.initializer))
    return node.initializer.text === 'process'
  if (ts.isImportDeclaration(node)) return /^['"](node:)?process['"]$/.test(node.moduleSpecifier.getText())
  return isMember(node, 'process', 'env')
}
