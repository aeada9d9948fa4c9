import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { closureOf, importGraph, testFilesOf } from './import-graph.ts'
import { mutantsOf, sourcesIn } from './mutants.ts'
import { printedReport, reportOf } from './report.ts'
import { plansOf, tryMutants } from './trials.ts'

/** A house so small that one sees what its tests notice. */
const TREE = {
  'src/price.ts': [
    "import type { Nobody } from './nobody.ts'",
    'export const isFree = (price: number): boolean => price < 1',
    'export const isDear = (price: number): boolean => price > 9',
    'export const count = (of: number): number => {',
    '  let steps = of - of',
    '  for (; steps < of; steps++);',
    '  return steps',
    '}',
    'export const nobody = (of: Nobody): Nobody | undefined => of',
  ].join('\n'),
  'src/nobody.ts': 'export type Nobody = object',
  'src/cli.ts': "import { isDear } from './price.ts'\nprocess.exitCode = isDear(Number(process.argv[2])) ? 0 : 1",
  'test/support/asks.ts': "export { count, isFree } from '../../src/price.ts'",
  'test/price.test.ts': [
    "import test from 'ava'",
    "import { count, isFree } from './support/asks.ts'",
    "test('what costs one is not free', (t) => t.false(isFree(1)))",
    "test('steps are counted', (t) => t.is(count(3), 3))",
  ].join('\n'),
  'test/cli.test.ts': [
    "import { once } from 'node:events'",
    "import { spawn } from 'node:child_process'",
    "import { fileURLToPath } from 'node:url'",
    "import test from 'ava'",
    "const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))",
    'const start = (price: string) => spawn(process.execPath, [CLI, price], { env: {} })',
    "const ask = async (price: string) => (await once(start(price), 'exit'))[0]",
    "test('what costs nine is not dear', async (t) => t.is(await ask('9'), 1))",
  ].join('\n'),
  'test/other.test.ts': "import test from 'ava'\ntest('nothing', (t) => t.pass())",
}

const LIMITS = { graceMs: 1_500, jobs: 1, env: {}, heard: () => {} }

const written = async (t: ExecutionContext, tree: Readonly<Record<string, string>>): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'daybook-trials-'))
  t.teardown(() => rm(root, { recursive: true }))
  for (const [file, text] of Object.entries(tree)) {
    await mkdir(join(root, dirname(file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  return root
}

const read = async (root: string): Promise<Record<string, string>> => {
  const files: Record<string, string> = {}
  for await (const file of glob('**/*.*', { cwd: root })) files[file] = await readFile(join(root, file), 'utf8')
  return files
}

test('what a test notices is killed, in processes of its own too; what none does survives; the tree stays as it is', async (t) => {
  const root = await written(t, TREE)
  const chosen = ['price < 1', '<', '>', 'steps++', 'of']
  const mutants = mutantsOf(root, ['src/price.ts']).filter(({ change }) =>
    chosen.includes(change.split(' → ')[0] ?? ''),
  )
  const plans = plansOf(root, mutants, { patterns: [], max: 12 })
  t.deepEqual(
    plans.map(({ tests }) => tests.map(({ file, isQuiet }) => [file, isQuiet])),
    [
      [
        ['test/price.test.ts', true],
        ['test/cli.test.ts', false],
      ],
    ],
  )
  const verdicts = await tryMutants(plans, { root, ...LIMITS })
  t.deepEqual(
    verdicts.map(({ mutant, status, by }) => `${mutant.line} ${mutant.change}: ${status} ${by ?? ''}`.trim()),
    [
      '2 price < 1 → true: killed test/price.test.ts: what costs one is not free',
      '2 price < 1 → false: survived',
      '2 < → <=: killed test/price.test.ts: what costs one is not free',
      '3 > → >=: killed test/cli.test.ts: what costs nine is not dear',
      '6 < → <=: killed test/price.test.ts: steps are counted',
      '6 steps++ → steps--: by time',
      '9 of → undefined: survived',
    ],
  )
  t.deepEqual(await read(root), TREE)

  const report = reportOf(verdicts, 7)
  const total = { mutants: 7, killed: 4, byTime: 1, survived: 2, share: 71 }
  t.deepEqual(report.total, total)
  t.deepEqual(report.files, { 'src/price.ts': total })
  const printed = printedReport(report)
  t.true(printed.includes('src/price.ts:2:51 survived: price < 1 → false\n  after test/price.test.ts'), printed)
  t.true(printed.includes('src/price.ts:9:59 survived: of → undefined\n  after test/cli.test.ts'), printed)
  t.regex(printed, /all +7 +4 +1 +2 +71 %\n\nseed 7$/)
})

test('tests that fail without a mutant say nothing of any', async (t) => {
  const broken = TREE['test/price.test.ts'].replace('isFree(1)', 'isFree(0)')
  const root = await written(t, { ...TREE, 'test/price.test.ts': broken })
  const plans = plansOf(root, mutantsOf(root, ['src/price.ts']), { patterns: ['test/price.test.ts'], max: 12 })
  await t.throwsAsync(tryMutants(plans, { root, ...LIMITS }), {
    message: /price\.test\.ts fails without a mutant: .*free/,
  })
})

test('a file loads what it imports, and what that does; a type alone loads nothing', async (t) => {
  const root = await written(t, TREE)
  const closure = closureOf(importGraph(root), 'test/price.test.ts')
  t.deepEqual(
    [...closure],
    [
      ['test/price.test.ts', 0],
      ['test/support/asks.ts', 1],
      ['src/price.ts', 2],
    ],
  )
  t.deepEqual(testFilesOf(root), ['test/cli.test.ts', 'test/other.test.ts', 'test/price.test.ts'])
  t.deepEqual(sourcesIn(root, 'src'), ['src/cli.ts', 'src/nobody.ts', 'src/price.ts'])
})
