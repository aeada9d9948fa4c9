import test from 'ava'
import { optionsFrom } from './options.ts'

test('a run takes files and folders, and has its defaults for all else', (t) => {
  const { seed, ...options } = optionsFrom(['domain/card', 'domain/selling'])
  t.true(Number.isSafeInteger(seed) && seed >= 0)
  t.deepEqual(options, {
    named: ['domain/card', 'domain/selling'],
    sample: 100,
    tests: [],
    files: 12,
    jobs: 1,
    json: false,
    atLeast: 0,
  })
  const asked = optionsFrom(['a.ts', '--seed', '3', '--tests', 'x', '--tests', 'y', '--at-least', '85', '--json'])
  t.deepEqual([asked.seed, asked.tests, asked.atLeast, asked.json], [3, ['x', 'y'], 85, true])
})

test('a run without a file, and a number that is none, are refused', (t) => {
  t.throws(() => optionsFrom([]), { instanceOf: TypeError, message: /name a file or a folder/ })
  for (const wrong of ['0', '-1', '1.5', 'many', ''])
    t.throws(() => optionsFrom(['a.ts', '--sample', wrong]), { instanceOf: TypeError })
})
