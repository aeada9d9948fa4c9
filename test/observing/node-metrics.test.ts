import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

/** Makes the metrics of four services after each other, tells what two of them serve, and how many are kept. */
const PROGRAM = `
  import { Registry } from 'prom-client'
  import { createMetrics } from './src/monitoring/metrics.ts'
  const refs = []
  const texts = []
  const open = () => {
    const sources = { mirror: undefined, cuts: {}, reading: {}, processes: {}, installation: {}, backups: undefined }
    const registry = new Registry()
    refs.push(new WeakRef(registry))
    return { registry, metrics: createMetrics(registry, sources) }
  }
  const tell = async ({ registry, metrics }) => {
    // There is nothing behind these sources to ask.
    for (const metric of registry.getMetricsAsArray()) metric.collect = undefined
    const { url, stop } = await metrics.serve({ metricsPort: 0, metricsHost: '127.0.0.1', metricsToken: undefined })
    texts.push(await (await fetch(url)).text())
    await stop()
  }
  open()
  open()
  await tell(open())
  await tell(open())
  for (let looks = 0; looks < 100 && refs.some((ref) => ref.deref()); looks++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    gc()
  }
  console.log(JSON.stringify({ texts, left: refs.filter((ref) => ref.deref()).length }))
  process.exit()`

test('N-140 every service of a process tells what Node tells of it, and none is kept in memory by that', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module-typescript',
    '-e',
    PROGRAM,
  ])
  const { texts, left } = JSON.parse(stdout) as { readonly texts: readonly string[]; readonly left: number }
  t.is(texts.length, 2)
  for (const text of texts)
    for (const name of ['nodejs_heap_size_used_bytes', 'nodejs_eventloop_lag_p99_seconds', 'daybook_http_'])
      t.true(text.includes(name), name)
  t.is(left, 0)
})
