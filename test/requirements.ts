/**
 * Which test proves which requirement: `npm run requirements [-- --json] [-- --slice N]`. The titles of tests begin
 * with the ids they prove, so the list in docs/requirements.md and the tests cannot drift apart unseen.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LIST = 'docs/requirements.md'
/** N, Q, V and R rows are choices and derivations; no test has to name them. */
const TESTABLE = 'JKSCGAMWTELXI'
/** What is only known at run time stands in a title as this. */
const UNKNOWN = '<…>'
const PARSING = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

/** A test as its source names it; `ids` are the requirements at the start of the title. */
export type NamedTest = { title: string; file: string; ids: readonly string[] }
/** What `--json` prints. */
export type Coverage = {
  covered: { id: string; tests: { title: string; file: string }[] }[]
  missing: string[]
}
/** The list: every id, those that a test has to prove, and these again by the slice they stand in. */
export type Requirements = { known: ReadonlySet<string>; testable: string[]; slices: ReadonlyMap<number, string[]> }

if (import.meta.main) main()

function main(): void {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, slice: { type: 'string' } } })
  const requirements = readRequirements()
  const ids = values.slice === undefined ? requirements.testable : requirements.slices.get(Number(values.slice))
  if (!ids) {
    fail(`${LIST} has no slice ${values.slice}`)
    return
  }
  const tests = readTests()
  const { covered, missing } = coverage(ids, tests)
  if (values.json) console.log(JSON.stringify({ covered, missing }))
  else print(covered, missing)
  for (const { id, file, title } of strangers(requirements, tests)) fail(`${file}: no requirement ${id} (${title})`)
}

function fail(line: string): void {
  console.error(line)
  process.exitCode = 1
}

function print(covered: Coverage['covered'], missing: readonly string[]): void {
  for (const { id, tests } of covered) {
    console.log(id)
    for (const { title, file } of tests) console.log(`  ${file}: ${title}`)
  }
  if (missing.length > 0) console.log(`\nwithout a test:\n  ${missing.join(' ')}`)
  console.log(`\n${covered.length} with a test, ${missing.length} without`)
}

/** Sorts ids into those that some test names and those that none does. */
export function coverage(ids: readonly string[], tests: readonly NamedTest[]): Coverage {
  const byId = new Map<string, { title: string; file: string }[]>(ids.map((id) => [id, []]))
  for (const { title, file, ids } of tests) for (const id of ids) byId.get(id)?.push({ title, file })
  const all = [...byId].map(([id, found]) => ({ id, tests: found }))
  return {
    covered: all.filter((entry) => entry.tests.length > 0),
    missing: all.filter((entry) => entry.tests.length === 0).map(({ id }) => id),
  }
}

/** Ids in titles that the list does not have. */
export function strangers({ known }: Requirements, tests: readonly NamedTest[]) {
  return tests.flatMap(({ title, file, ids }) => ids.filter((id) => !known.has(id)).map((id) => ({ id, title, file })))
}

/** Reads the list from its tables, and the slices from the section on the order of building. */
export function readRequirements(text: string = readFileSync(join(ROOT, LIST), 'utf8')): Requirements {
  const known = new Set([...text.matchAll(/^\| ([A-Z](?:-[A-Z0-9]+)?-\d{2,3}) \|/gm)].map(([, id = '']) => id))
  const slices = text.split(/^## Slice (?=\d+\.)/m).slice(1)
  return {
    known,
    testable: [...known].filter((id) => TESTABLE.includes(id.charAt(0))),
    slices: new Map(slices.map((part) => [Number.parseInt(part, 10), expand(/^IDs: (.*)$/m.exec(part)?.[1] ?? '')])),
  }
}

/** `J-GEN-02–04,06; X-ID-01` is J-GEN-02, J-GEN-03, J-GEN-04, J-GEN-06 and X-ID-01. */
function expand(list: string): string[] {
  return list.split(';').flatMap((group) => {
    const [, prefix, numbers = ''] = /^\s*([A-Z]-[A-Z0-9]+)-([\d,–]+)\s*$/.exec(group) ?? []
    if (!prefix) throw new Error(`${LIST}: not a list of ids: ${group}`)
    return numbers.split(',').flatMap((range) => {
      const [from = 0, to = from] = range.split('–').map(Number)
      return Array.from({ length: to - from + 1 }, (_, n) => `${prefix}-${String(from + n).padStart(2, '0')}`)
    })
  })
}

/** Every test under test/, also those that a contract defines by template. */
export function readTests(): NamedTest[] {
  const files = globSync('test/**/*.ts', { cwd: ROOT, exclude: (name) => name.includes('node_modules') })
  return files.sort().flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    return /\b(test|serial|deepTest)\b/.test(source) ? testsIn(file, source) : []
  })
}

/** The tests that a source file defines under a title that can be read there. */
export function testsIn(file: string, source: string): NamedTest[] {
  const found: NamedTest[] = []
  const parsed = ts.createSourceFile(file, source, PARSING)
  const constants = new Map(
    parsed.statements
      .filter(ts.isVariableStatement)
      .flatMap((statement) => [...statement.declarationList.declarations])
      .map(({ name, initializer }) => [ts.isIdentifier(name) ? name.text : '', initializer]),
  )
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && defines(node.expression) ? node.arguments[0] : undefined
    const text = title && textOf(title, constants)
    if (text !== undefined && text !== UNKNOWN) found.push({ title: text, file, ids: idsOf(text) })
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}

/** Hooks prove nothing, and neither does a test that is skipped, left to do or expected to fail. */
function defines(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return /^(test|serial|deepTest)$/.test(callee.text)
  return ts.isPropertyAccessExpression(callee) && /^(serial|only)$/.test(callee.name.text) && defines(callee.expression)
}

/** The text of literals, templates and sums of them, with the file's own constants filled in. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression | undefined>): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => textOf(expression, constants) + literal.text)
    return node.head.text + spans.join('')
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return textOf(node.left, constants) + textOf(node.right, constants)
  const value = ts.isIdentifier(node) ? constants.get(node.text) : undefined
  return value && (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value)) ? textOf(value, new Map()) : UNKNOWN
}

/** A contract puts the name of what it tests before the ids, as in `${name}: J-GEN-05 …`. */
function idsOf(title: string): string[] {
  const [ids = ''] = /^(?:[A-Z](?:-[A-Z0-9]+)?-\d+\b[\s,:]*)+/.exec(title.replace(/^<…>:?\s*/, '')) ?? []
  return ids.match(/[A-Z](?:-[A-Z0-9]+)?-\d+/g) ?? []
}
