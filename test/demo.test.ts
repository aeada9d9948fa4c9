import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { HANG_MS } from './support/depth.ts'

/** The demo runs on nothing but defaults: embedded log, embedded PostgreSQL, sandbox chains, development inbox. */

const DEMO = fileURLToPath(new URL('../src/demo.ts', import.meta.url))

test('the demo plays the whole sale on embedded defaults, and leaves alone the books that a file .env names', async (t) => {
  t.timeout(HANG_MS)
  const folder = await mkdtemp(join(tmpdir(), 'daybook-works-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(
    join(folder, '.env'),
    'EVENTSTORE_URL=esdb://127.0.0.1:1\nDATABASE_URL=postgres://127.0.0.1:1/books\n',
  )
  const { stdout } = await promisify(execFile)(process.execPath, [DEMO], { cwd: folder })
  for (let step = 1; step <= 10; step++) t.regex(stdout, new RegExp(`^${step}\\. .*✓$`, 'm'))
  t.regex(stdout, /402 asks for a signature: 1\.00000\d USDC on base-sepolia/)
  t.regex(stdout, /and gas \$0\.00\d*[1-9]\d* from credit/)
  t.regex(stdout, /All ten steps held/)
})
