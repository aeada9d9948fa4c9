/**
 * The auditor's commands on the log of a stopped installation, as it is and after somebody has written into its file.
 */
import { execFile } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { checkpointNote, signNewestHead } from '../../adapters/audit/witness/log-note.ts'
import { newKeyPair } from '../../adapters/crypto/ed25519.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { COSIGNATURES } from '../../domain/audit/cosignatures.ts'
import { checkConsistency } from '../../src/commands/audit/check-proofs.ts'
import type { Output } from '../../src/console/output.ts'
import { sealWitnessIn } from '../../src/settings/seal-witness.ts'
import { sealedLog } from '../support/sealed-log.ts'
import { place, verifyHere } from './audited-place.ts'
import { daybook } from './daybook.ts'

const CHECKER = fileURLToPath(new URL('../../docs/check-proof.mjs', import.meta.url))

test('a log is verified, from the first event and from a checkpoint on, and an exported one elsewhere', async (t) => {
  const { dir, env, audit, key, size } = await place(t)
  const [checkpoint, lines] = [join(dir, 'checkpoint.json'), join(dir, 'log.jsonl')]
  const { code, said } = await audit('verify', '--checkpoint', checkpoint)
  t.is(code, 0)
  t.like(said, { whole: true, sealed: size, seals: 3, wrong: null, balanced: true })
  t.like(said.keys[0], { publicKey: key, pinned: true })
  t.like((await audit('verify', '--from', checkpoint, '--key', key)).said, { whole: true, seals: 3, sealed: size })
  t.is((await audit('export', '--out', lines)).code, 0)
  const exported = (await readFile(lines, 'utf8')).trimEnd().split('\n')
  t.is(exported.length, said.events)
  t.true(exported.every((line) => JSON.parse(line).id !== undefined))
  t.like((await audit('verify', '--file', lines, '--key', key)).said, { whole: true, sealed: size })
  await writeFile(lines, `${exported.with(5, (exported[5] ?? '').replace('ThingDone', 'ThingGone')).join('\n')}\n`)
  const text = await daybook(env, 'audit', 'verify', '--file', lines, '--key', key)
  t.is(text.code, 1)
  t.regex(text.stdout, /NOT WHOLE: event 5, position \d+: this event is not the one that was sealed here/)
  await writeFile(lines, 'no event\n')
  t.like(await audit('verify', '--file', lines), {
    code: 1,
    said: { error: `line 1 of ${lines} is not an event of a log` },
  })
})

test('a log has to contain the head that the note of a checkpoint names, and a key that is trusted has signed it', async (t) => {
  const { dir, key, size, position } = await place(t)
  const core = openCore(join(dir, 'events.db'))
  const { sealing } = sealedLog(t, core)
  await signNewestHead(sealing, 'shop.example')
  const [signed] = (await sealing.ledger.cosignatures.read(COSIGNATURES)).checkpoints
  await core.close()
  const note = join(dir, 'note')
  await writeFile(note, checkpointNote(signed ?? t.fail('no checkpoint')))
  t.like(await verifyHere(dir, { from: note }), { whole: true, said: { sealed: size } })
  t.like(await verifyHere(dir, { from: note, key: [key] }), { whole: true })
  t.regex(
    (await verifyHere(dir, { from: note, key: [newKeyPair().publicKey] })).refused ?? '',
    /not signed by a trusted key/,
  )
  const lines = join(dir, 'log.jsonl')
  t.is((await daybook({ DATA_DIR: dir }, 'audit', 'export', '--out', lines)).code, 0)
  t.regex((await daybook({}, 'audit', 'verify', '--file', lines, '--from', note)).stderr, /has no keys in it/)

  // A log that was cut, and has no journal of heads any more, is told by the note alone.
  const db = new DatabaseSync(join(dir, 'events.db'))
  db.exec(`delete from events where position >= ${position(size - 4)}`)
  db.close()
  await rm(sealWitnessIn(dir))
  const cut = await verifyHere(dir, { from: note, key: [key] })
  t.false(cut.whole)
  t.regex(JSON.stringify(cut), /the note .* covers/)
})

test('a proof is written for an event and checked with nothing but the public key', async (t) => {
  const { dir, audit, key, position, size } = await place(t)
  const proof = join(dir, 'proof.json')
  t.is((await audit('prove', String(position(7)), '--out', proof)).code, 0)
  t.like(JSON.parse(await readFile(proof, 'utf8')), { format: 'daybook-proof/1', index: 7, head: { size } })
  t.like(await audit('check-proof', proof, '--key', key), { code: 0, said: { holds: true, fault: null } })
  await writeFile(proof, (await readFile(proof, 'utf8')).replace('ThingDone', 'ThingGone'))
  t.like(await audit('check-proof', proof, '--key', key), { code: 1, said: { holds: false } })
  const late = await audit('prove', String(position(size)), '--out', proof)
  t.is(late.said.error, `the event at position ${position(size)} is not sealed yet: daybook audit seal`)
  const nothing = await audit('prove', String(position(size) + 1), '--out', proof)
  t.is(nothing.said.error, `the log has no event at position ${position(size) + 1}`)
  t.is((await audit('check-proof', proof, '--key', 'x')).code, 2)
})

const changes: Readonly<Record<string, { sql: (at: number) => string; index: number; what: string }>> = {
  'a byte of an event': {
    sql: (at) =>
      `update events set data = cast(replace(cast(data as text), '"n":3', '"n":4') as blob) where position = ${at}`,
    index: 3,
    what: 'changed',
  },
  'the metadata of an event': {
    sql: (at) =>
      `update events set metadata = cast(replace(cast(metadata as text), 'tester', 'nobody') as blob) where position = ${at}`,
    index: 3,
    what: 'changed',
  },
  'an event that is gone': { sql: (at) => `delete from events where position = ${at}`, index: 3, what: 'missing' },
  'the stream of an event': {
    sql: (at) => `update events set stream = stream + 1, revision = 9 where position = ${at}`,
    index: 3,
    what: 'changed',
  },
  'the end of the log': { sql: (at) => `delete from events where position >= ${at}`, index: 12, what: 'ended' },
}

test('whatever was done to the file of the log, the first wrong event is named', async (t) => {
  const { dir, position } = await place(t)
  const [file, whole] = [join(dir, 'events.db'), join(dir, 'whole.db')]
  await copyFile(file, whole)
  for (const [what, change] of Object.entries(changes)) {
    await copyFile(whole, file)
    const db = new DatabaseSync(file)
    db.exec(change.sql(position(change.index)))
    db.close()
    const { whole: isWhole, said } = await verifyHere(dir)
    t.false(isWhole, what)
    t.like(said?.wrong, { what: change.what, index: change.index }, what)
  }
})

test('a head, a checkpoint or a key that is none is refused with words', async (t) => {
  const { dir, audit, key } = await place(t)
  const file = join(dir, 'checkpoint.json')
  t.true((await verifyHere(dir, { checkpoint: file })).whole)
  const other = Buffer.alloc(32, 7).toString('base64')
  const unsigned = { whole: false, refused: `the head in ${file} is not signed by a trusted key` }
  t.deepEqual(await verifyHere(dir, { from: file, key: [other] }), unsigned)
  const checkpoint = JSON.parse(await readFile(file, 'utf8'))
  const { head } = checkpoint
  await writeFile(file, JSON.stringify({ ...checkpoint, frontier: head.root }))
  t.is((await verifyHere(dir, { from: file })).refused, `the frontier in ${file} is not that of its head`)
  await writeFile(file, JSON.stringify({ ...checkpoint, head: { ...head, size: 3 } }))
  t.deepEqual(await verifyHere(dir, { from: file }), unsigned)
  await writeFile(file, 'x')
  t.is((await verifyHere(dir, { from: file })).refused, `${file} is not JSON`)
  t.is((await audit('verify', '--key', 'AAAA')).code, 2)
  t.like((await verifyHere(dir, { key: [other] })).said?.wrong, { what: 'key' })
  const keys = (await audit('keys')).said as { public_key: string }[]
  t.deepEqual(
    keys.map((each) => each.public_key),
    [key],
  )
})

test('a later checkpoint is shown to go on from an earlier one without the log', async (t) => {
  const { dir, audit, key, position, goOn } = await place(t)
  const [old, newer, way, proof] = ['old', 'new', 'way.json', 'proof.json'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ]
  t.true((await verifyHere(dir, { checkpoint: old })).whole)
  await goOn()
  t.true((await verifyHere(dir, { checkpoint: newer, from: old })).whole)
  t.is((await audit('prove', '--consistency', old, '--to', newer, '--out', way)).code, 0)
  t.like(await audit('check-consistency', old, newer, way, '--key', key), {
    code: 0,
    said: { consistent: true, fault: null },
  })
  const without = await audit('check-consistency', old, newer)
  t.is(without.code, 1)
  t.regex(without.said.fault, /need a proof: daybook audit prove --consistency/)
  const told = async (...given: [older: string, newer: string, proof?: string]) => {
    const values: { consistent: boolean; fault: string | null }[] = []
    const out: Output = {
      json: true,
      tell: async (value) => void values.push(value as (typeof values)[number]),
      remark: () => {},
    }
    const [before, after, by] = given
    await checkConsistency(out, { older: before, newer: after, proof: by, keys: [] })
    return values[0]
  }
  t.is((await told(old, old))?.fault, null)
  t.regex((await told(newer, old, way))?.fault ?? '', /the later head covers \d+ events, and the earlier one \d+/)
  const { path, ...rest } = JSON.parse(await readFile(way, 'utf8')) as { path: string[] }
  const lie = join(dir, 'lie.json')
  for (const wrong of [path.slice(1), path.toReversed(), path.with(0, key), [...path, key]]) {
    await writeFile(lie, JSON.stringify({ ...rest, path: wrong }))
    t.regex((await told(old, newer, lie))?.fault ?? '', /does not begin with that of \d+: they part before/)
  }
  await writeFile(lie, JSON.stringify({ ...rest, path, to: 7 }))
  t.regex((await told(old, newer, lie))?.fault ?? '', /the proof leads from \d+ to 7 events/)

  t.is((await audit('prove', String(position(3)), '--out', proof)).code, 0)
  const check = (...args: string[]) =>
    promisify(execFile)(process.execPath, [CHECKER, proof, key, ...args]).then(
      ({ stdout }) => stdout,
      ({ code, stdout }) => `${code} ${stdout}`,
    )
  t.regex(await check(old, way), /^The proof holds: event 3 of.*What came after event \d+ is not under this head/s)
  t.regex(await check(newer), /^The proof holds/)
  t.regex(await check(old), /^1 The proof does not hold: a later head needs consistency.json/)
  await writeFile(lie, JSON.stringify({ ...rest, path: path.with(0, key) }))
  t.regex(
    await check(old, lie),
    /^1 The proof does not hold: the log of \d+ events does not contain the checkpoint of \d+/,
  )
})

test('a log that is not sealed, or not the one that was witnessed, proves nothing', async (t) => {
  const { dir, audit, position } = await place(t)
  const [file, lines] = [join(dir, 'events.db'), join(dir, 'log.jsonl')]
  const db = new DatabaseSync(file)
  db.exec("delete from events where type = 'LogSealed'")
  db.close()
  const proved = await audit('prove', String(position(2)), '--out', join(dir, 'proof.json'))
  t.is(proved.code, 1)
  t.regex(proved.said.error, /^nothing is sealed, because the log ends after \d+ events, and the head of \d+ events/)
  t.regex((await audit('export', '--out', lines)).said.warning, /^this is not the log that was sealed: /)
  await rm(sealWitnessIn(dir))
  const unsealed = await audit('prove', String(position(2)), '--out', join(dir, 'proof.json'))
  t.is(unsealed.said.error, 'nothing in this log is sealed yet, so nothing of it can be proved: daybook audit seal')
  const born = await audit('verify', '--unsealed-ok')
  t.like(born, { code: 0, said: { whole: true, sealed: 0 } })
  const text = await daybook({ DATA_DIR: dir }, 'audit', 'verify')
  t.is(text.code, 1)
  t.regex(text.stdout, /^NOT SEALED: nothing in this log is sealed/)
  t.regex(
    text.stdout,
    /Up to \d+ events and 0 s at the end are not sealed: nobody vouches for them\. Times are the operator’s\./,
  )
})
