import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { Mutant } from './mutant.ts'
import { mutantsOf, sampled, sourcesIn } from './mutants.ts'

/** What each source is changed to; the compiler reads all of them at once, which takes its second. */
const SOURCES = {
  'condition.ts': 'export const f = (a: number, b: number): object => (a < 2 && b === 3 ? {} : { b })',
  'loop.ts': 'export const f = (): void => {\n  while (Math.random() < 1);\n}',
  'early.ts': "export const f = (a: boolean): void => {\n  if (a) throw new Error('no')\n  g()\n}\nconst g = () => {}",
  'block.ts': 'export const f = (a: object[], b: string): void => {\n  for (const _ of a) {\n    throw b\n  }\n}',
  'money.ts': 'export const f = (a: bigint): { a: bigint } => ({ a: a * 1_000n - 1n })',
  'text.ts': `export const f = (a: string): string => \`\${a}:x\``,
  'answer.ts': 'export const f = (a?: readonly string[]): readonly string[] | undefined => a',
  'default.ts': 'export const f = (a?: object): object => a ?? f',
  'method.ts': 'export const f = (a: object[]): object => a.filter((b) => b).map(Object)',
  'property.ts': 'export const f = (a: { b: object; c?: object }): typeof a => ({ ...a, b: a, c: f })',
  'untouched.ts': [
    "import { join } from 'node:path'",
    "/** A comment of 1 and 'two'. */",
    "export type A = { readonly b: 1; readonly c: 'two' }",
    'export interface D { readonly e: true }',
    "export { basename } from 'node:path'",
    "export const i = ['one', 'another'] as const",
    "export const g = { type: 'Paid', stateVersion: 3, 'a-b': join }",
    "export const h = (): never => { throw new Error('nobody can pay') }",
  ].join('\n'),
}

const EXPECTED: Readonly<Record<keyof typeof SOURCES, readonly string[]>> = {
  'condition.ts': [
    '1:53 a < 2 && b === 3 → a < 2',
    '1:53 a < 2 && b === 3 → b === 3',
    '1:53 a < 2 && b === 3 → false',
    '1:53 a < 2 && b === 3 → true',
    '1:55 < → <=',
    '1:57 2 → 1',
    '1:57 2 → 3',
    '1:64 === → !==',
    '1:68 3 → 2',
    '1:68 3 → 4',
  ],
  'loop.ts': ['2:10 Math.random() < 1 → false', '2:24 < → <=', '2:26 1 → 0', '2:26 1 → 2'],
  'early.ts': ['2:7 a → false', '2:7 a → true', '3:3 g() → ;'],
  'block.ts': ['3:5 throw b → ;'],
  'money.ts': ['1:56 * → /', '1:58 1_000n → 2000n', '1:65 - → +', '1:67 1n → 0n', '1:67 1n → 2n'],
  'text.ts': [`1:41 \`\${a}:x\` → ''`],
  'answer.ts': ['1:76 a → []', '1:76 a → undefined'],
  'default.ts': ['1:42 a ?? f → a'],
  'method.ts': ['1:43 a.filter((b) => b) → a'],
  'property.ts': ['1:71 b: a, → nothing', '1:77 c: f → nothing'],
  'untouched.ts': ["8:33 throw new Error('nobody can pay') → ;"],
}

let root = ''
let mutants: readonly Mutant[] = []
test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'daybook-mutants-'))
  for (const [file, text] of Object.entries(SOURCES)) await writeFile(join(root, file), `${text}\n`)
  mutants = mutantsOf(root, sourcesIn(root, '.'))
})
test.after.always(() => rm(root, { recursive: true }))

const shown = (of: readonly Mutant[]) => of.map(({ line, column, change }) => `${line}:${column} ${change}`)

for (const [file, expected] of Object.entries(EXPECTED))
  test(`${file} is changed where it can matter, and nowhere else`, (t) => {
    const found = shown(mutants.filter((mutant) => mutant.file === file))
    t.deepEqual(found.toSorted(), [...expected].sort())
  })

test('mutants stand in the order of files and places, each of them once', (t) => {
  const places = mutants.map(({ file, start }) => `${file} ${String(start).padStart(6, '0')}`)
  t.deepEqual(places, places.toSorted())
  t.is(new Set(mutants.map(({ file, start, end, text }) => `${file} ${start} ${end} ${text}`)).size, mutants.length)
})

test('the same seed draws the same sample, in the same order; another one draws another', (t) => {
  const draw = (seed: number) => sampled(root, mutants, { sample: 10, seed })
  t.is(draw(1).length, 10)
  t.deepEqual(draw(1), draw(1))
  t.notDeepEqual(draw(1), draw(2))
  t.deepEqual(
    draw(1),
    mutants.filter((mutant) => draw(1).includes(mutant)),
  )
})

test('what is no program is not drawn, and a sample of more than there are is all the others', (t) => {
  const [first] = mutants
  if (!first) return t.fail('there are none')
  const all = sampled(root, [{ ...first, text: '((' }, ...mutants], { sample: 1_000, seed: 1 })
  t.deepEqual(all, mutants)
})
