/** A witness as people run it, and what it is asked about a note without any log. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { toBase64, ZERO } from '../../adapters/audit/hash.ts'
import { addCheckpointBody } from '../../adapters/audit/witness/add-checkpoint.ts'
import { checkpointText } from '../../adapters/audit/witness/checkpoint.ts'
import { noteOf, signatureLine, type VerifierKey, vkeyOf } from '../../adapters/audit/witness/note.ts'
import { newKeyPair, signText } from '../../adapters/crypto/ed25519.ts'
import { newDirectory } from '../store/open.ts'
import { daybook, daybookProcess, start } from './daybook.ts'

const pair = newKeyPair()
const log: VerifierKey = { name: 'shop.example/daybook/1', kind: 'key', publicKey: pair.publicKey }

const noteOfSize = (size: number): string => {
  const text = checkpointText({ origin: log.name, size, root: toBase64(ZERO) })
  return noteOf(text, [signatureLine(log, Buffer.from(signText(pair.privateKey, text), 'base64'))])
}

const serving = async (t: ExecutionContext, dir: string) => {
  const child = start({}, ['--json', 'witness', 'serve', '--dir', dir, '--listen', '127.0.0.1:0', '--log', vkeyOf(log)])
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')
  const { url } = JSON.parse(line)
  const post = async (old: number, size: number) => {
    const body = addCheckpointBody({ old, proof: [], note: noteOfSize(size) })
    const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
    return { status: answer.status, text: await answer.text() }
  }
  return { child, post }
}

test('a witness is made, vouches for a log, and remembers it after a kill', async (t) => {
  const dir = join(newDirectory(t), 'witness')
  const without = await daybook({}, 'witness', 'key', '--dir', dir)
  t.is(without.code, 1)
  t.regex(without.stderr, /holds no key of a witness yet: daybook witness key --name/)
  const made = await daybook({}, '--json', 'witness', 'key', '--dir', dir, '--name', 'witness.example/w1')
  const { vkey } = JSON.parse(made.stdout)
  t.is((await daybook({}, 'witness', 'key', '--dir', dir)).stdout, `${vkey}\n`)

  const first = await serving(t, dir)
  const signed = await first.post(0, 7)
  t.is(signed.status, 200)
  const second = await daybookProcess(
    {},
    'witness',
    'serve',
    '--dir',
    dir,
    '--listen',
    '127.0.0.1:0',
    '--log',
    vkeyOf(log),
  )
  t.deepEqual([second.code, second.stderr.trim()], [1, `another witness runs on ${dir}`])
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const again = await serving(t, dir)
  t.deepEqual(await again.post(0, 9), { status: 409, text: '7\n' })
  t.is((await again.post(7, 7)).status, 200)
  again.child.kill('SIGTERM')
  t.deepEqual(await once(again.child, 'exit'), [0, null])

  const note = join(dir, 'note')
  await writeFile(note, noteOfSize(7) + signed.text)
  const check = ['audit', 'check-checkpoint', note]
  const keys = ['--log', vkeyOf(log), '--witness', vkey]
  t.regex((await daybook({}, ...check, ...keys)).stdout, /^The checkpoint holds\.\n.*witness\.example\/w1: signed 20/s)
  await writeFile(note, noteOfSize(7))
  const unsigned = await daybook({}, ...check, ...keys)
  t.is(unsigned.code, 1)
  t.regex(unsigned.stdout, /does not hold: 0 of the witnesses have signed it, and 1 have to/)
  t.is((await daybook({}, ...check, '--log', vkeyOf(log))).code, 0)
  const stranger = vkeyOf({ ...log, publicKey: newKeyPair().publicKey })
  t.regex((await daybook({}, ...check, '--log', stranger)).stdout, /not signed by that key of the log/)
})

test('what a witness is told wrongly is refused by name', async (t) => {
  const dir = newDirectory(t)
  const witness = vkeyOf({ ...log, kind: 'cosigner' })
  for (const [args, says] of [
    [['serve', '--dir', dir, '--listen', '127.0.0.1:0'], /--log is missing/],
    [['serve', '--dir', dir, '--listen', '127.0.0.1:0', '--log', witness], /verifier key of a witness, not of a log/],
    [['serve', '--dir', dir, '--listen', '127.0.0.1:0', '--log', 'x'], /not a verifier key/],
    [['serve', '--dir', dir, '--listen', '4030', '--log', vkeyOf(log)], /not host:port/],
  ] as const) {
    const { code, stderr } = await daybook({}, 'witness', ...args)
    t.is(code, 2)
    t.regex(stderr, says)
  }
})
