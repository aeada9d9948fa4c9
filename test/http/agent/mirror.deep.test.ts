import { globSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import type { RecordedEvent } from '../../../domain/kernel/ports.ts'
import type { Books } from '../../../src/books/books.ts'
import { rebuildMirror } from '../../../src/commands/mirror/rebuild.ts'
import { mirrorStatus, verifyMirror } from '../../../src/commands/mirror/state.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { all } from '../../store/events.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { inProcess } from '../../support/commands.ts'
import { signUp } from '../../support/seller.ts'

const SIGN_UPS = 3
/** As long as nothing comes for so long, nothing is on its way. */
const QUIET_MS = 500

let app: TestApp

test.before(async () => {
  app = await startApp({ env: { LOG_MIRROR: 'on' } })
})

test.after.always(() => app?.stop())

test('what happens is mirrored beside EventStoreDB; damage stops the mirror and nothing else, until it is rebuilt', async (t) => {
  const gauge = async (name: string) => {
    const text = await (await fetch(app.served().metricsUrl)).text()
    return new RegExp(`^daybook_mirror_${name} (.+)$`, 'm').exec(text)?.[1]
  }
  const direct = eventStoreDb(app.served().eventStoreUrl)
  t.teardown(() => direct.close())
  for (let n = 0; n < SIGN_UPS; n++) await signUp(app)
  // What a sign-up brings about may still be on its way into the log.
  const log = await eventually('the mirror of a log at rest', async () => {
    const read = await all(direct.readAll(-1n))
    if (!isSigned(read)) return false
    await pause(QUIET_MS)
    const isMirrored = (await gauge('lag_positions')) === '0'
    return isMirrored && (await all(direct.readAll(-1n))).length === read.length && read
  })
  const config = readConfig(app.env)
  const onBooks = (act: Parameters<typeof inProcess>[1]) => inProcess(app.env, act)
  const read = async (books: Books) => [await all((await books.store()).readAll(-1n)), books.seekable]
  t.deepEqual(await onBooks(read), { answer: [log, true], told: undefined, remarks: [] })
  const status = await onBooks((books, out) => mirrorStatus(books, config, out))
  t.true(status.answer)
  t.like(status.told, { events: log.length, sealed: 0, problem: null, position: log.at(-1)?.position })
  const verified = await onBooks((books, out) => verifyMirror(books, config, out, { log: true }))
  t.deepEqual(verified.told, { segments: 1, events: log.length, comparedWithLog: true })
  const rebuilt = () => onBooks((books, out) => rebuildMirror(books, config, out))
  await t.throwsAsync(rebuilt, { message: /the running service writes the mirror/ })

  const [segment] = globSync(join(app.dataDir, 'mirror', '*.jsonl'))
  await app.restart(async () => truncateSync(segment ?? '', 100))
  await eventually('the end of the mirror', async () => (await gauge('stopped')) === '1')
  // The stop has sealed what was not sealed yet, and the start signs that head for everybody.
  const again = eventStoreDb(app.served().eventStoreUrl)
  t.teardown(() => again.close())
  const grown = await eventually('the head of the stop', async () => {
    const read = await all(again.readAll(-1n))
    return read.some(({ type }) => type === 'LogSealed') && isSigned(read) && read
  })
  t.is((await app.call('GET', '/readyz')).status, 200)
  const damaged = await onBooks(read)
  t.deepEqual([damaged.answer, damaged.remarks.length], [[grown, false], 1])
  t.regex(damaged.remarks[0] ?? '', /has 100 bytes/)
  t.false((await onBooks((books, out) => mirrorStatus(books, config, out))).answer)
  t.like((await rebuilt()).told, { position: grown.at(-1)?.position })
  t.deepEqual(await onBooks(read), { answer: [grown, true], told: undefined, remarks: [] })
})

/** Whether the newest seal is signed for everybody; a log without a seal has none to sign. */
const isSigned = (log: readonly RecordedEvent[]): boolean => {
  const newest = (type: string) => log.findLast((event) => event.type === type)?.data as { size: number } | undefined
  return newest('LogSealed')?.size === newest('CheckpointSigned')?.size
}
