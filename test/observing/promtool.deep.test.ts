/** The files for Prometheus and Alertmanager, read by their own programs. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import anyTest from 'ava'
import { ROOT } from '../support/source-files.ts'
import { haveWatchers } from '../support/watchers.ts'

const test = haveWatchers() ? anyTest : anyTest.skip
const run = promisify(execFile)
const cwd = join(ROOT, 'deploy/prometheus')

test('N-142 each alert rule fires on its fault and none in hours of peace, over synthetic series', async (t) => {
  const { stdout } = await run('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd })
  t.regex(stdout, /SUCCESS/)
})

test('N-142 Prometheus and Alertmanager take their files', async (t) => {
  await run('promtool', ['check', 'rules', 'alerts.yml'], { cwd })
  await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd })
  await run('amtool', ['check-config', 'alertmanager.yml'], { cwd })
  t.pass()
})
