import { once } from 'node:events'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { deepTest } from '../support/deep-test.ts'
import { readNotes, scratch, startInChild, usingServer, write } from './embedded-server.ts'

deepTest('A restarted server has kept its data', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, (url) => write(url, 'kept'))
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), ['kept']))
})

test('The password lies beside the data, for its owner only, and no other is let in', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, async (url) => {
    const file = join(dir, 'password')
    t.is((await stat(file)).mode & 0o777, 0o600)
    t.is((await stat(dir)).mode & 0o777, 0o700)
    t.is(new URL(url).password, (await readFile(file, 'utf8')).trim())
    const wrong = new URL(url)
    wrong.password = 'guess'
    await t.throwsAsync(readNotes(wrong.href), { message: /password authentication failed/ })
    t.is(new URL(url).hostname, '127.0.0.1')
  })
})

deepTest('Stopping twice is as good as once', async (t) => {
  const server = await startEmbeddedPostgres({ dir: await scratch(t), durable: false })
  await Promise.all([server.stop(), server.stop()])
  await t.throwsAsync(readNotes(server.url), { code: 'ECONNREFUSED' })
})

test('A start after a kill takes over the server that was left running, with its data', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir)
  await write(url, 'before the kill')
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.deepEqual(await readNotes(url), ['before the kill'], 'it runs on without its parent')

  const server = await startEmbeddedPostgres({ dir })
  t.is(server.url, url, 'the running one is adopted')
  t.deepEqual(await readNotes(server.url), ['before the kill'])
  await server.stop()
  await t.throwsAsync(readNotes(url), { code: 'ECONNREFUSED' })
})

deepTest('A lost password is said in one clear line', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, async () => {})
  await rm(join(dir, 'password'))
  await t.throwsAsync(startEmbeddedPostgres({ dir }), { message: /password of the database in .* is missing: restore/ })
})
