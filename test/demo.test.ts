import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

/** The demo runs on nothing but defaults: embedded log, embedded PostgreSQL, sandbox chains, development inbox. */

const DEMO_MAX_MS = 120_000

test('the demo plays the whole sale on embedded defaults', async (t) => {
  t.timeout(DEMO_MAX_MS)
  const { stdout } = await promisify(execFile)(process.execPath, ['src/demo.ts'])
  for (let step = 1; step <= 10; step++) t.regex(stdout, new RegExp(`^${step}\\. .*✓$`, 'm'))
  t.regex(stdout, /402 asks for a signature: 1\.00000\d USDC on base-sepolia/)
  t.regex(stdout, /and gas \$0\.00\d*[1-9]\d* from credit/)
  t.regex(stdout, /All ten steps held/)
})
