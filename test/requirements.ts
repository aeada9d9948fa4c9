/**
 * Which test proves which requirement: `npm run requirements [-- --json] [-- --slice N]`. The titles of tests begin with the ids they prove,
 * so the list in docs/requirements.md and the tests cannot drift apart unseen.
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
  const tests = readTests()
  const ids = values.slice === undefined ? requirements.testable : requirements.slices.get(Number(values.slice))
  if (!ids) {
    fail(`${LIST} has no slice ${values.slice}`)
    return
  }
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
  const known = new Set([...text.matchAll(/^\| ([A-Z](?:-[A-Z0-9]+)?-\d{2}) \|/gm)].map(([, id = '']) => id))
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
  return files.sort().flatMap((file) => testsIn(file, readFileSync(join(ROOT, file), 'utf8')))
}

/** The tests that a source file defines under a literal title. */
export function testsIn(file: string, source: string): NamedTest[] {
  const found: NamedTest[] = []
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && defines(node.expression) ? titleOf(node.arguments[0]) : undefined
    if (title !== undefined) found.push({ title, file, ids: idsOf(title) })
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest))
  return found
}

/** Hooks prove nothing, and neither does a test that is skipped, left to do or expected to fail. */
function defines(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'serial'
  return ts.isPropertyAccessExpression(callee) && /^(serial|only)$/.test(callee.name.text) && defines(callee.expression)
}

/** A title as written; what is filled in at run time stands as `${…}`. */
function titleOf(node: ts.Expression | undefined): string | undefined {
  if (!node) return undefined
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `\${…}${literal.text}`).join('')
}

/** A contract puts the name of what it tests before the ids: `${name}: J-GEN-05 …`. */
function idsOf(title: string): string[] {
  const [ids = ''] = /^(?:[A-Z](?:-[A-Z0-9]+)?-\d+\b[\s,:]*)+/.exec(title.replace(/^\$\{…\}:?\s*/, '')) ?? []
  return ids.match(/[A-Z](?:-[A-Z0-9]+)?-\d+/g) ?? []
}
