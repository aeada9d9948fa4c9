/** What a witness signs and what it does not: ours, and the one in another language, answer alike. */
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Hash, leafOf, toBase64 } from '../../../adapters/audit/hash.ts'
import { consistencyPath } from '../../../adapters/audit/paths.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import { addCheckpointBody } from '../../../adapters/audit/witness/add-checkpoint.ts'
import { checkpointText, cosignedAt } from '../../../adapters/audit/witness/checkpoint.ts'
import { type Note, noteIn, noteOf, signatureLine, type VerifierKey } from '../../../adapters/audit/witness/note.ts'
import { witnessHeadsIn, witnessKeyIn } from '../../../adapters/audit/witness/witness-dir.ts'
import { newKeyPair, signText } from '../../../adapters/crypto/ed25519.ts'
import { newDirectory } from '../../store/open.ts'
import { ownWitness, type RunningWitness, referenceWitness } from '../../support/witnessing.ts'

const pair = newKeyPair()
const key: VerifierKey = { name: 'shop.example/daybook/1', kind: 'key', publicKey: pair.publicKey }

/** A log of so many leaves, from which a second history parts at one of them. */
const leaf = (n: number, partsAt = Number.POSITIVE_INFINITY): Hash => leafOf(n < partsAt ? `${n}` : `other ${n}`)

const leavesOf = (size: number, partsAt?: number) => Array.from({ length: size }, (_, n) => leaf(n, partsAt))

const rootOf = (size: number, partsAt?: number): string => {
  const tree = growingTree()
  for (const each of leavesOf(size, partsAt)) tree.add(each)
  return toBase64(tree.root())
}

type Head = { origin?: string; size: number; partsAt?: number; by?: string; more?: string }

const noteFor = ({ origin = key.name, size, partsAt, by = pair.privateKey, more = '' }: Head): string => {
  const text = checkpointText({ origin, size, root: rootOf(size, partsAt) })
  const line = signatureLine({ ...key, name: origin }, Buffer.from(signText(by, text), 'base64'))
  return noteOf(text, [line]) + more
}

const proofFor = (old: number, { size, partsAt }: Head): Promise<readonly Hash[]> => {
  const leaves = leavesOf(size, partsAt)
  const source = { leaves: async (from: number, to: number) => leaves.slice(from, to), node: async () => undefined }
  return old === 0 ? Promise.resolve([]) : consistencyPath(source, old, size)
}

const bodyFor = async (old: number, head: Head, proof?: readonly Hash[]): Promise<string> =>
  addCheckpointBody({ old, proof: proof ?? (await proofFor(Math.min(old, head.size), head)), note: noteFor(head) })

const post = async ({ address }: Pick<RunningWitness, 'address'>, body: string | Buffer) => {
  // A connection of its own each: an idle one may be closed at the very moment when the next call is sent on it.
  const headers = { connection: 'close' }
  const answer = await fetch(`${address.url}/add-checkpoint`, { method: 'POST', headers, body: body as BodyInit })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
}

const isCosigned = (t: ExecutionContext, witness: RunningWitness, head: Head, text: string) => {
  const note = noteIn(noteFor(head) + text) as Note
  const time = cosignedAt(note, witness.address.key)
  t.true(time !== undefined && Math.abs(time - Date.now() / 1_000) < 60)
}

const kinds: Readonly<Record<string, (t: ExecutionContext) => Promise<RunningWitness>>> = {
  'our witness': (t) => ownWitness(newDirectory(t), [key]),
  'the witness in Python': () => referenceWitness([key]),
}

for (const [kind, start] of Object.entries(kinds))
  test(`${kind} signs what goes on from the head before it, and answers everything else as the specification says`, async (t) => {
    const witness = await start(t)
    t.teardown(() => witness.stop())
    const send = async (old: number, head: Head, proof?: readonly Hash[]) =>
      post(witness, await bodyFor(old, head, proof))
    const stranger = newKeyPair().privateKey
    const conflict = (size: number) => ({ status: 409, type: 'text/x.tlog.size', text: `${size}\n` })

    for (const garbage of [
      '',
      'old 0\n',
      'old x\n\n',
      'old 00\n\n',
      `old 0\nAAAA\n\n${noteFor({ size: 1 })}`.slice(0, -1),
    ])
      t.is((await post(witness, garbage)).status, 400, JSON.stringify(garbage))
    t.is((await send(0, { size: 4, origin: 'elsewhere' })).status, 404)
    t.is((await send(0, { size: 4, by: stranger })).status, 403)
    t.is((await send(5, { size: 4 })).status, 400)
    t.deepEqual(await send(2, { size: 4 }), conflict(0))
    t.is((await send(0, { size: 4 }, [leaf(0)])).status, 422)

    const line = signatureLine({ ...key, name: 'another' }, Buffer.alloc(64))
    const first = { size: 4, more: line }
    const signed = await send(0, first)
    t.is(signed.status, 200)
    isCosigned(t, witness, first, signed.text)
    t.is((await send(4, { size: 4 })).status, 200)
    t.deepEqual(await send(4, { size: 4, partsAt: 3 }), conflict(4))
    t.deepEqual(await send(0, { size: 9 }), conflict(4))
    t.deepEqual(await send(3, { size: 3 }), conflict(4))
    t.is((await send(4, { size: 9, partsAt: 2 })).status, 422)
    t.is((await send(4, { size: 9 }, [])).status, 422)
    const whole = await proofFor(4, { size: 9 })
    t.is((await send(4, { size: 9 }, [...whole, leaf(1)])).status, 422)
    t.is((await send(4, { size: 9 }, whole.with(0, leaf(1)))).status, 422)
    t.is((await send(4, { size: 9, by: stranger })).status, 403)
    t.deepEqual(await send(0, { size: 9 }), conflict(4))
    const later = await send(4, { size: 9 })
    t.is(later.status, 200)
    isCosigned(t, witness, { size: 9 }, later.text)
  })

test('a witness remembers what it has signed when it starts again, and says which notes show another history', async (t) => {
  const dir = newDirectory(t)
  const before = await ownWitness(dir, [key])
  t.teardown(() => before.stop())
  t.is((await post(before, await bodyFor(0, { size: 6 }))).status, 200)
  await before.stop()
  const witness = await ownWitness(dir, [key])
  t.teardown(() => witness.stop())
  t.is(witness.vkey, before.vkey)
  t.is((await post(witness, await bodyFor(0, { size: 6 }))).text, '6\n')
  t.deepEqual(witness.parted, [])
  const other = { size: 8, partsAt: 1 }
  t.is((await post(witness, await bodyFor(6, other))).status, 422)
  t.deepEqual(witness.parted, [noteFor(other)])
  t.is((await post(witness, await bodyFor(6, { size: 8 }))).status, 200)
})

test('a witness that is stopped between what it keeps and its answer signs nothing else at that size', async (t) => {
  for (const lands of [false, true]) {
    const dir = newDirectory(t)
    const cut = await ownWitness(dir, [key], {
      wrap: (heads) => ({
        ...heads,
        async keep(head, note) {
          if (lands) await heads.keep(head, note)
          throw new Error('the power is gone')
        },
      }),
    })
    t.teardown(() => cut.stop())
    t.is((await post(cut, await bodyFor(0, { size: 5 }))).status, 500)
    await cut.stop()
    const witness = await ownWitness(dir, [key])
    t.teardown(() => witness.stop())
    const answers = [await bodyFor(0, { size: 5, partsAt: 2 }), await bodyFor(5, { size: 5 })]
    const [other, same] = [await post(witness, answers[0] ?? ''), await post(witness, answers[1] ?? '')]
    t.deepEqual([other.status, same.status], lands ? [409, 200] : [200, 409])
  }
})

test('of submissions that come together each goes on from the one before, and no two histories are signed', async (t) => {
  const witness = await ownWitness(newDirectory(t), [key])
  t.teardown(() => witness.stop())
  const heads: Head[] = Array.from({ length: 24 }, (_, n) => ({ size: 5 + (n % 12), partsAt: n % 2 === 0 ? 3 : 40 }))
  let [old, seen] = [0, new Map<number, string>()]
  for (let round = 0; round < 5; round++) {
    const bodies = await Promise.all(heads.map((head) => bodyFor(Math.min(old, head.size), head)))
    const answers = await Promise.all(bodies.map((body) => post(witness, body)))
    for (const [n, { status }] of answers.entries()) {
      const { size, partsAt } = heads[n] as Head
      if (status !== 200) continue
      t.is(seen.get(size) ?? rootOf(size, partsAt), rootOf(size, partsAt))
      seen = new Map([...seen, [size, rootOf(size, partsAt)]])
    }
    old = witness.heads.read(key.name)?.size ?? 0
  }
  t.true(seen.size > 0)
  const [first] = seen.values()
  const history = first === rootOf([...seen.keys()][0] ?? 0, 3) ? 3 : 40
  for (const [size, root] of seen) t.is(root, rootOf(size, history))
})

test('two logs do not touch each other, and several keys may sign for one', async (t) => {
  const next = newKeyPair()
  const logs = [key, { ...key, publicKey: next.publicKey }, { ...key, name: 'b.example' }]
  const witness = await ownWitness(newDirectory(t), logs)
  t.teardown(() => witness.stop())
  t.is((await post(witness, await bodyFor(0, { size: 4 }))).status, 200)
  t.is((await post(witness, await bodyFor(0, { size: 3, origin: 'b.example' }))).status, 200)
  const text = checkpointText({ origin: key.name, size: 6, root: rootOf(6) })
  const line = signatureLine(
    { ...key, publicKey: next.publicKey },
    Buffer.from(signText(next.privateKey, text), 'base64'),
  )
  const body = addCheckpointBody({ old: 4, proof: await proofFor(4, { size: 6 }), note: noteOf(text, [line]) })
  t.is((await post(witness, body)).status, 200)
})

test('a witness reads no more than it needs, and only what is posted to it', async (t) => {
  const witness = await ownWitness(newDirectory(t), [key])
  t.teardown(() => witness.stop())
  const large = await fetch(`${witness.address.url}/add-checkpoint`, {
    method: 'POST',
    body: 'x'.repeat(200_000),
  }).catch(() => undefined)
  // The connection may be cut before the answer is read.
  t.true(large === undefined || large.status === 413)
  t.is((await post(witness, Buffer.from([0xff, 0xfe, 0x0a]))).status, 413)
  t.is((await fetch(`${witness.address.url}/add-checkpoint`)).status, 405)
  t.is((await fetch(`${witness.address.url}/`, { method: 'POST' })).status, 404)
  t.is((await post(witness, await bodyFor(0, { size: 4 }))).status, 200)
})

test('a witness keeps its key to itself, and does not start over when its folder is not whole', async (t) => {
  const dir = join(newDirectory(t), 'w')
  t.throws(() => witnessKeyIn(dir, undefined), { message: /holds no key of a witness yet/ })
  t.throws(() => witnessKeyIn(dir, 'a name'), { message: /no spaces/ })
  const { key: own } = witnessKeyIn(dir, 'witness.example/w1')
  t.deepEqual(witnessKeyIn(dir, undefined).key, own)
  t.throws(() => witnessKeyIn(dir, 'witness.example/w2'), { message: /has another name: witness\.example\/w1/ })
  t.is((await stat(join(dir, 'witness.json'))).mode & 0o777, 0o600)

  const heads = witnessHeadsIn(dir)
  await heads.keep({ origin: key.name, size: 4, root: rootOf(4) }, noteFor({ size: 4 }))
  const [file = ''] = await readdir(join(dir, 'heads'))
  for (const broken of [
    '',
    '{}',
    JSON.stringify({ origin: key.name, size: 3, root: rootOf(4), note: noteFor({ size: 4 }) }),
  ]) {
    writeFileSync(join(dir, 'heads', file), broken)
    t.throws(() => witnessHeadsIn(dir).read(key.name), { message: /is not the newest head/ })
  }
  await writeFile(join(dir, 'witness.json'), '{}')
  t.throws(() => witnessKeyIn(dir, undefined), { message: /is not the key of a witness/ })
  const empty = join(newDirectory(t), 'e')
  await mkdir(empty)
  t.throws(() => witnessHeadsIn(empty), { message: /is missing/ })
})
