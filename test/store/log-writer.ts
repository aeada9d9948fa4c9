/**
 * A process of its own that writes to a log until it is killed. It reports each append before it is made (`try`) and
 * after (`ack`).
 */
import { writeSync } from 'node:fs'
import { openCore } from '../../adapters/store/node/core.ts'

const [file = '', writers = '32', round = '0'] = process.argv.slice(2)
const say = (word: string, ...rest: readonly unknown[]) => writeSync(1, `${[word, ...rest].join(' ')}\n`)

const run = async () => {
  const core = openCore(file)
  say('open')
  const payload = new TextEncoder().encode(JSON.stringify({ text: 'x'.repeat(500) }))
  const write = async (stream: string) => {
    for (let revision = 0; ; revision++) {
      const id = crypto.randomUUID()
      say('try', stream, revision, id)
      await core.append(stream, revision - 1, [
        { id, type: 'Wrote', contentType: 'application/json', data: payload, metadata: payload },
      ])
      say('ack', stream, revision, id)
    }
  }
  await Promise.all(Array.from({ length: Number(writers) }, (_, n) => write(`round${round}-writer${n}`)))
}

run().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 2
})
