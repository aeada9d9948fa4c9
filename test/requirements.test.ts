import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { type Coverage, coverage, readRequirements, readTests, strangers, testsIn } from './requirements.ts'

/** Slices of docs/requirements.md, section 18, that are complete. */
const BUILT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
/** Every test of the suite. */
const ALL = readTests()
const COMMAND = fileURLToPath(new URL('requirements.ts', import.meta.url))

test('the first slice, one live sale from end to end, is 71 requirements', (t) => {
  const { slices } = readRequirements()
  const first = slices.get(1) ?? []
  t.is(new Set(first).size, 71)
  t.is(first.length, 71)
  t.true(first.includes('J-GEN-04'))
  t.true(first.includes('I-SUM-01'))
})

test('every requirement of the slices that are built has a test', (t) => {
  const { slices } = readRequirements()
  for (const slice of BUILT) t.deepEqual(coverage(slices.get(slice) ?? [], ALL).missing, [], `slice ${slice}`)
})

test('every requirement stands in exactly one slice', (t) => {
  const { testable, slices } = readRequirements()
  t.is(slices.size, 12)
  t.deepEqual([...slices.values()].flat().sort(), [...testable].sort())
})

test('every id at the start of a title is one of the list', (t) => {
  t.deepEqual(strangers(readRequirements(), ALL), [])
})

test('ids are read from the start of titles, and only of tests that run', (t) => {
  const source = `
    test('J-WAL-06 E-400-02 a bad address is refused', (t) => {})
    test.serial(\`\${name}: J-GEN-05, X-ID-01: a \${kind} payment is found\`, run)
    serial('X-HASH-01: only hashes', run)
    test('a sentence that speaks of J-ACC-01 later', run)
    test(title, run)
    const ids = 'T-CHL-01 T-TXN-01'
    test(\`\${ids} a sale on \${store}\`, run)
    test('W-DEL-01 ' + 'W-SIG-01 one POST', run)
    deepTest('X-ID-01 in the deep run', run)
    test.failing('I-SUM-01 fails', run)
    test.skip('I-SUM-01 skipped', run)
    test.before('I-SUM-01 prepares', run)
    // test('I-SUM-01 in a comment', run)
    other('I-SUM-01 elsewhere', run)`
  t.deepEqual(
    testsIn('a.test.ts', source).map(({ ids }) => ids),
    [
      ['J-WAL-06', 'E-400-02'],
      ['J-GEN-05', 'X-ID-01'],
      ['X-HASH-01'],
      [],
      ['T-CHL-01', 'T-TXN-01'],
      ['W-DEL-01', 'W-SIG-01'],
      ['X-ID-01'],
    ],
  )
})

test('an id that the list does not have is told with its title and file', (t) => {
  const tests = testsIn('a.test.ts', "test('J-WAL-06 J-WAL-6 X-NONE-01 something', run)")
  t.deepEqual(
    strangers(readRequirements(), tests).map(({ id, file }) => `${file} ${id}`),
    ['a.test.ts J-WAL-6', 'a.test.ts X-NONE-01'],
  )
})

test('an id belongs to all tests that name it, and is missing without one', (t) => {
  const tests = testsIn('a.test.ts', "test('I-SUM-01 one', run); test('X-ID-01 I-SUM-01 two', run)")
  const found = coverage(['I-SUM-01', 'I-SET-01'], tests)
  const named = ['I-SUM-01 one', 'X-ID-01 I-SUM-01 two'].map((title) => ({ title, file: 'a.test.ts' }))
  t.deepEqual(found, { covered: [{ id: 'I-SUM-01', tests: named }], missing: ['I-SET-01'] })
})

test('with --json the command prints what is covered and what is missing, and nothing else', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, '--json', '--slice', '1'])
  const printed: Coverage = JSON.parse(stdout)
  t.deepEqual(Object.keys(printed), ['covered', 'missing'])
  const ids = [...printed.covered.map(({ id }) => id), ...printed.missing]
  t.deepEqual(ids.sort(), readRequirements().slices.get(1)?.sort())
  for (const { tests } of printed.covered) {
    t.true(tests.length > 0)
    for (const each of tests) t.deepEqual(Object.keys(each), ['title', 'file'])
  }
})

test('a slice that does not exist fails the command with a clear line', async (t) => {
  const error = await t.throwsAsync<Error & { code: number; stderr: string }>(
    promisify(execFile)(process.execPath, [COMMAND, '--slice', '99']),
  )
  t.is(error?.code, 1)
  t.is(error?.stderr, 'docs/requirements.md has no slice 99\n')
})
