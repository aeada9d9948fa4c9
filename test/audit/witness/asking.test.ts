/** Our log before its witnesses: ours, and one in another language. */
import { copyFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { askWitness } from '../../../adapters/audit/witness/ask-witness.ts'
import { checkpointNote, logKeyOf, signNewestHead } from '../../../adapters/audit/witness/log-note.ts'
import type { VerifierKey } from '../../../adapters/audit/witness/note.ts'
import { refusingWitnesses } from '../../../adapters/audit/witness/refusing.ts'
import { openCore } from '../../../adapters/store/node/core.ts'
import { COSIGNATURES, type CosignedCheckpoint } from '../../../domain/audit/cosignatures.ts'
import { LOG_ID } from '../../../domain/audit/log.ts'
import { checkCheckpoint } from '../../../src/commands/audit/check-checkpoint.ts'
import type { Output } from '../../../src/console/output.ts'
import { createWitnessDesk } from '../../../src/heads/witness-desk.ts'
import { newDirectory } from '../../store/open.ts'
import { everything } from '../../support/ledger.ts'
import { type SealedLog, sealedLog } from '../../support/sealed-log.ts'
import {
  askingFor,
  ownWitness,
  type RunningWitness,
  referenceVerdict,
  referenceWitness,
} from '../../support/witnessing.ts'

/** A log in a file of its own that can be copied. */
const logIn = (t: ExecutionContext, dir: string): SealedLog => {
  const core = openCore(join(dir, 'log.db'))
  t.teardown(() => core.close())
  return sealedLog(t, core)
}

const checkpointsOf = async ({ sealing: { ledger } }: SealedLog) =>
  (await ledger.cosignatures.read(COSIGNATURES)).checkpoints

/** Writes so many events, seals them, and signs the newest head. */
const grow = async (log: SealedLog, events: number): Promise<CosignedCheckpoint> => {
  await log.write(events)
  await log.seal()
  await signNewestHead(log.sealing, 'shop.example')
  const [newest] = await checkpointsOf(log)
  return newest as CosignedCheckpoint
}

const keyOf = (checkpoint: CosignedCheckpoint): VerifierKey => logKeyOf(checkpoint)
const quiet = { error: () => {}, warn: () => {} }

const look = async (log: SealedLog, witness: RunningWitness, t: ExecutionContext, warnings: string[] = []) => {
  const said = { ...quiet, error: (_: object, message?: string) => warnings.push(message ?? '') }
  const desk = createWitnessDesk(witness.address, askingFor(t, log, [witness]), 1, said as never)
  const { ledger } = log.sealing
  await desk.look(ledger, await ledger.cosignatures.read(COSIGNATURES), new AbortController().signal)
  return desk
}

const starts: Readonly<Record<string, (t: ExecutionContext, log: VerifierKey) => Promise<RunningWitness>>> = {
  'our witness': (t, key) => ownWitness(newDirectory(t), [key]),
  'the witness in Python': (_, key) => referenceWitness([key]),
}

for (const [kind, start] of Object.entries(starts))
  test(`head after head of our log is signed by ${kind}, also when an answer was lost`, async (t) => {
    const log = sealedLog(t)
    const first = await grow(log, 3)
    const witness = await start(t, keyOf(first))
    t.teardown(() => witness.stop())
    const asking = askingFor(t, log, [witness])
    t.like(await askWitness(asking, witness.address, first, 0), { kind: 'cosigned' })
    for (const events of [1, 4, 9, 30]) {
      const newest = await grow(log, events)
      await look(log, witness, t)
      const [head] = await checkpointsOf(log)
      t.deepEqual(
        head?.cosignatures.map(({ witness: vkey }) => vkey),
        [witness.vkey],
        `${newest.size} events`,
      )
    }
    // It signs one that we do not hear of, so that we tell it an old size.
    const unheard = await grow(log, 2)
    t.like(await askWitness(asking, witness.address, unheard, 3), { kind: 'cosigned' })
    await grow(log, 5)
    await look(log, witness, t)
    const [head] = await checkpointsOf(log)
    const note = checkpointNote(head as CosignedCheckpoint)
    const dir = newDirectory(t)
    const lines = join(dir, 'lines.jsonl')
    await writeFile(lines, await linesOf(log))
    const keys = { log: keyOf(first), witness: [witness.vkey], lines }
    const verdict = await referenceVerdict(dir, note, keys)
    t.like(verdict, { log: true, contained: true, size: head?.size ?? 0 })
    t.true((verdict.witnesses[witness.address.key.name] ?? 0) > 0)
  })

const linesOf = async ({ sealing: { lines, store } }: SealedLog): Promise<string> =>
  (await Array.fromAsync(lines(-1n, await store.head())))
    .flat()
    .map(({ line }) => `${line}\n`)
    .join('')

test('of two copies of a log that part at one event a witness signs one, and a verifier finds out which', async (t) => {
  for (const start of Object.values(starts)) {
    const [dir, other] = [newDirectory(t), newDirectory(t)]
    const a = logIn(t, dir)
    const before = await grow(a, 5)
    const witness = await start(t, keyOf(before))
    t.teardown(() => witness.stop())
    await look(a, witness, t)
    await copyFile(join(dir, 'log.db'), join(other, 'log.db'))
    await copyFile(join(dir, 'log.db-wal'), join(other, 'log.db-wal')).catch(() => {})
    const b = logIn(t, other)
    // One is a service, the other was changed behind its back: the same number of events, and one of them another.
    await grow(a, 3)
    await grow(b, 3)
    await look(a, witness, t)
    const warnings: string[] = []
    await look(b, witness, t, warnings)
    t.regex(warnings.join(), /^a witness has seen another history of this log: nothing more is sealed/)
    t.like(await refusingWitnesses(b.sealing.ledger, [witness.address]), [{ reason: 'parted' }])
    t.deepEqual(await refusingWitnesses(a.sealing.ledger, [witness.address]), [])

    const [head] = await checkpointsOf(a)
    const note = join(dir, 'note')
    await writeFile(note, checkpointNote(head as CosignedCheckpoint))
    for (const [log, contained] of [
      [a, true],
      [b, false],
    ] as const) {
      const file = join(dir, 'lines.jsonl')
      await writeFile(file, await linesOf(log))
      const told: { holds: boolean }[] = []
      const out: Output = { json: true, tell: async (value) => void told.push(value as never), remark: () => {} }
      const wish = { log: [keyOf(before)], witness: [witness.address.key], file }
      t.is(await checkCheckpoint(out, note, wish), contained)
      t.like(told[0], { holds: contained, contained })
    }
  }
})

test('a log that was put back from an older copy is told by a witness at its start, and signed again once it is whole', async (t) => {
  const [dir, old] = [newDirectory(t), newDirectory(t)]
  const whole = logIn(t, dir)
  const first = await grow(whole, 5)
  const witness = await ownWitness(newDirectory(t), [keyOf(first)])
  t.teardown(() => witness.stop())
  await look(whole, witness, t)
  await copyFile(join(dir, 'log.db'), join(old, 'log.db'))
  await copyFile(join(dir, 'log.db-wal'), join(old, 'log.db-wal')).catch(() => {})
  const { size } = await grow(whole, 3)
  await look(whole, witness, t)
  const older = logIn(t, old)
  // Nothing new is there to be signed: it is asked all the same, once since the start.
  await look(older, witness, t)
  t.deepEqual(await refusingWitnesses(older.sealing.ledger, [witness.address]), [
    { name: witness.address.key.name, size: first.size, reason: 'larger', seen: size },
  ])
  const events = (await everything(older.sealing.store)).length
  await look(older, witness, t)
  t.is((await everything(older.sealing.store)).length, events)
  await look(whole, witness, t)
  t.deepEqual(await refusingWitnesses(whole.sealing.ledger, [witness.address]), [])
})

test('a refusal ends when the witness signs again, and another log’s witness stops nothing', async (t) => {
  const log = sealedLog(t)
  const head = await grow(log, 5)
  const witness = await ownWitness(newDirectory(t), [keyOf(head)])
  t.teardown(() => witness.stop())
  const { cosignatures: _, ...checkpoint } = head
  const { ledger } = log.sealing
  const { origin, size, root } = checkpoint
  const refusal = { witness: witness.vkey, origin, size, root, reason: 'parted', seen: null } as const
  await ledger.cosignatures.refuse(COSIGNATURES, refusal)
  const others = await referenceWitness([keyOf(head)])
  t.teardown(() => others.stop())
  t.is((await refusingWitnesses(ledger, [others.address])).length, 0)
  t.is((await refusingWitnesses(ledger, [witness.address, others.address])).length, 1)
  await look(log, witness, t)
  t.is((await refusingWitnesses(ledger, [witness.address])).length, 0)
  // Also when it had signed this very head before.
  await ledger.cosignatures.refuse(COSIGNATURES, refusal)
  t.is((await refusingWitnesses(ledger, [witness.address])).length, 1)
  await look(log, witness, t)
  t.is((await refusingWitnesses(ledger, [witness.address])).length, 0)
})

test('an answer that is none is no signature and no alarm', async (t) => {
  const log = sealedLog(t)
  const head = await grow(log, 5)
  const real = await ownWitness(newDirectory(t), [keyOf(head)])
  t.teardown(() => real.stop())
  let answer = { status: 200, body: '' }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(answer.status).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const liar: RunningWitness = { ...real, address: { url, key: real.address.key } }
  const asking = askingFor(t, log, [liar])
  const ask = async (status: number, body: string, old = 0) => {
    answer = { status, body }
    return askWitness(asking, liar.address, head, old)
  }
  const other = await ownWitness(newDirectory(t), [keyOf(head)], { name: 'witness.example/other' })
  t.teardown(() => other.stop())
  const theirs = await askWitness(askingFor(t, log, [other]), other.address, head, 0)
  for (const [status, body] of [
    [200, ''],
    [200, 'x'],
    [200, theirs.kind === 'cosigned' ? theirs.line : ''],
    [200, 'x'.repeat(100_000)],
    [409, ''],
    [409, '0\n'],
    [409, `${head.size}`],
    [409, 'x\n'],
    [403, ''],
    [404, ''],
    [302, ''],
    [500, ''],
  ] as const)
    t.is((await ask(status, body)).kind, 'failed', `${status} ${body.slice(0, 9)}`)
  t.deepEqual(await ask(409, `${head.size + 1}\n`), { kind: 'refused', reason: 'larger', seen: head.size + 1 })
  t.deepEqual(await ask(409, `${head.size}\n`, head.size), { kind: 'refused', reason: 'parted', seen: head.size })
  t.deepEqual(await ask(422, ''), { kind: 'refused', reason: 'parted', seen: 0 })
  server.close()
  server.closeAllConnections()
  t.like(await ask(200, ''), { kind: 'failed' })
})

test('what is signed of a head is no reason to seal again', async (t) => {
  const log = sealedLog(t)
  const { cosignatures: _, ...checkpoint } = await grow(log, 5)
  const { ledger, store } = log.sealing
  const { origin, size, root } = checkpoint
  const witness = 'w'
  await ledger.cosignatures.cosign(COSIGNATURES, { checkpoint, witness, line: 'l', cosignedAt: 'c' })
  await ledger.cosignatures.refuse(COSIGNATURES, { witness, origin, size, root, reason: 'larger', seen: 9 })
  await ledger.cosignatures.stamp(COSIGNATURES, { checkpoint, stampedAt: 's', response: 'r' })
  const types = (await everything(store)).slice(-4).map(({ type }) => type)
  t.deepEqual(types, ['CheckpointSigned', 'HeadCosigned', 'HeadRefused', 'HeadStamped'])
  const seals = log.heads.length
  await log.seal()
  t.is(log.heads.length, seals)
  await log.write(1)
  await log.seal()
  t.is(log.heads.length, seals + 1)
})

test('after the key of the seals was changed, the next heads are signed by the new one, and old notes stay good', async (t) => {
  const log = sealedLog(t)
  const first = await grow(log, 3)
  await log.rotate()
  const second = await grow(log, 3)
  t.not(second.publicKey, first.publicKey)
  t.is(second.origin, first.origin)
  const dir = newDirectory(t)
  for (const [checkpoint, key, signed] of [
    [first, first, true],
    [second, second, true],
    [second, first, false],
  ] as const)
    t.is((await referenceVerdict(dir, checkpointNote(checkpoint), { log: keyOf(key) })).log, signed)
  // The name stays although the host has changed since.
  await log.write(1)
  await log.seal()
  await signNewestHead(log.sealing, 'moved.example')
  t.is((await checkpointsOf(log))[0]?.origin, first.origin)
})

test('a log that is gone on with from a backup has another name, and what it was refused under the old one stops nothing', async (t) => {
  const log = sealedLog(t)
  const { origin, size, root } = await grow(log, 5)
  const { ledger } = log.sealing
  const last = { id: 'last', order: '5', at: '2026-11-23T01:34:02.000Z' }
  const seen = { by: 'database', reach: '9', at: null }
  const why = { log: 'first', base: '0', by: 'operator', reason: 'a disk broke', head: last, seen, gone: 4 }
  await ledger.log.recordFallBack(LOG_ID, { ...why, branch: 'branch_b' })
  await signNewestHead(log.sealing, 'elsewhere.example')
  const [renamed] = await checkpointsOf(log)
  t.deepEqual([renamed?.origin, renamed?.size, renamed?.root], [`${origin}/branch_b`, size, root])
  const witness = await ownWitness(newDirectory(t), [keyOf(renamed as CosignedCheckpoint)])
  t.teardown(() => witness.stop())
  await ledger.cosignatures.refuse(COSIGNATURES, {
    witness: witness.vkey,
    origin,
    size,
    root,
    reason: 'larger',
    seen: 9,
  })
  t.deepEqual(await refusingWitnesses(ledger, [witness.address]), [])
  await grow(log, 3)
  await look(log, witness, t)
  const [head] = await checkpointsOf(log)
  t.deepEqual([head?.origin, head?.cosignatures.length], [`${origin}/branch_b`, 1])
})
