import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

/** The demo runs on nothing but defaults: embedded log, embedded PostgreSQL, sandbox chain, development inbox. */

const DEMO_MAX_MS = 120_000

test('the demo plays the whole sale on embedded defaults', async (t) => {
  t.timeout(DEMO_MAX_MS)
  const { stdout } = await promisify(execFile)(process.execPath, ['src/demo.ts'])
  for (let step = 1; step <= 8; step++) t.regex(stdout, new RegExp(`^${step}\\. .*✓$`, 'm'))
  t.regex(stdout, /All eight steps held/)
})
