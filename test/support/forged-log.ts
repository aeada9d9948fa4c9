/**
 * Logs as an operator with the file, the database and the true key could make them, and an auditor who looks at them in
 * four ways.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { sealUpTo } from '../../adapters/audit/sealer.ts'
import type { StoredBytes } from '../../adapters/store/base/bytes.ts'
import { lineOf } from '../../adapters/store/base/log-line.ts'
import { openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { embeddedPlace, placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { openBooks } from '../../src/books/books.ts'
import { type VerifyWish, verifyFile, verifyLog } from '../../src/commands/audit/verify.ts'
import type { Output } from '../../src/console/output.ts'
import { readConfig } from '../../src/settings/config.ts'
import { type SealWitness, sealWitnessIn, writeSealWitness } from '../../src/settings/seal-witness.ts'
import { connectionString, newDirectory } from '../store/open.ts'
import { sealedLog, sealingOn } from './sealed-log.ts'
import { fixedWorld } from './world.ts'

/** A log that nobody has touched. */
export type HonestLog = {
  readonly events: readonly StoredBytes[]
  readonly witnesses: readonly SealWitness[]
  /** The keys that have sealed it, the newest last. */
  readonly keys: readonly string[]
}

/** Some 60 events under seven seals by two keys, and two events that are not sealed. */
export const honestLog = async (t: ExecutionContext): Promise<HonestLog> => {
  const log = sealedLog(t)
  for (let round = 0; round < 4; round++) {
    await log.write(9 + round)
    await log.seal(8)
    if (round === 1) await log.rotate()
  }
  await log.write(2)
  return { events: await log.stored(), witnesses: log.witnesses, keys: log.witnesses.at(-1)?.publicKeys ?? [] }
}

export const isOfSeals = ({ type }: Pick<StoredBytes, 'type'>): boolean =>
  type === 'LogSealed' || type === 'SealKeyPublished'

export const withoutSeals = (events: readonly StoredBytes[]): StoredBytes[] =>
  events.filter(({ type }) => type !== 'LogSealed')

/** The same event with another amount in it. */
export const changed = (event: StoredBytes): StoredBytes => ({
  ...event,
  data: Buffer.from(String(Buffer.from(event.data)).replace(/"n":\d+/, '"n":999')),
})

/** Writes events as a log of their own, each at the next place of its stream. */
export const writeLog = async (core: Core, events: readonly StoredBytes[]): Promise<void> => {
  const { bytes } = placeOf(core, 'log.db')
  const revisions = new Map<string, bigint>()
  for (const event of events) {
    const revision = revisions.get(event.stream) ?? -1n
    await bytes.append(event.stream, revision, [event])
    revisions.set(event.stream, revision + 1n)
  }
}

/**
 * The log that these events are once they are written anew and sealed with the key that stands in them, or with a new
 * one.
 * @param kept how many of the first events keep their seals, too
 */
export const resealed = async (
  t: ExecutionContext,
  events: readonly StoredBytes[],
  atOnce = 8,
  kept = 0,
): Promise<StoredBytes[]> => {
  const core = openCore(join(newDirectory(t), 'forged.db'))
  try {
    await writeLog(core, [...events.slice(0, kept), ...withoutSeals(events.slice(kept))])
    const sealing = sealingOn(core, fixedWorld('forger'))
    await sealUpTo(sealing, await sealing.store.head(), false, atOnce)
    return await storedIn(core)
  } finally {
    await core.close()
  }
}

/** The log that these events are once they are written anew, so that the places of all follow from one another. */
export const rewritten = async (t: ExecutionContext, events: readonly StoredBytes[]): Promise<StoredBytes[]> => {
  const core = openCore(join(newDirectory(t), 'rewritten.db'))
  try {
    await writeLog(core, events)
    return await storedIn(core)
  } finally {
    await core.close()
  }
}

const storedIn = async (core: Core): Promise<StoredBytes[]> => {
  const { store, bytes } = placeOf(core, 'log.db')
  return (await Array.fromAsync(bytes.readAll(-1n, await store.head()))).flat()
}

export const linesOf = (events: readonly StoredBytes[]): string[] => events.map((event) => lineOf(event, 0n).line)

/** What an auditor is told. */
export type Verdict = {
  readonly whole: boolean
  readonly said: {
    readonly sealed: number
    readonly unsealed: number
    readonly unsealed_seconds: number | null
    readonly not_sealed: string | null
    readonly wrong: { readonly what: string; readonly index: number } | null
    readonly parting: { readonly size: number; readonly end: number; readonly from: number; readonly to: number } | null
  }
}

export const WAYS = ['file', 'DATA_DIR', 'mirror', 'EventStoreDB'] as const

/**
 * The same log, looked at in four ways: as an exported file, in its DATA_DIR, through the mirror, and over
 * EventStoreDB's protocol.
 * @param journal heads that the installation has kept; a file has none
 */
export const looks = async (
  t: ExecutionContext,
  events: readonly StoredBytes[],
  wish: Partial<VerifyWish>,
  journal: readonly SealWitness[] = [],
): Promise<Readonly<Record<(typeof WAYS)[number], Verdict>>> => {
  const dir = newDirectory(t)
  const file = join(dir, 'log.jsonl')
  const core = openCore(join(dir, 'events.db'))
  await writeLog(core, events)
  const lines = linesOf(await storedIn(core))
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  await core.close()
  for (const witness of journal) writeSealWitness(sealWitnessIn(dir), witness)
  const exported = await told((out) => verifyFile(out, { key: [], ...wish, file }))
  const inPlace = await lookAt(dir, { LOG_MIRROR: 'off' }, wish)
  await mirrorOf(dir)
  const mirrored = await lookAt(dir, { LOG_MIRROR: 'on' }, wish)
  const served = openCore(join(dir, 'events.db'))
  const protocol = await serveProtocol(served, '127.0.0.1:0')
  const env = { EVENTSTORE_URL: connectionString(protocol.address), LOG_MIRROR: 'off' }
  const overProtocol = await lookAt(dir, env, wish)
  await protocol.stop()
  await served.close()
  return { file: exported, DATA_DIR: inPlace, mirror: mirrored, EventStoreDB: overProtocol }
}

const lookAt = async (dir: string, env: Record<string, string>, wish: Partial<VerifyWish>): Promise<Verdict> => {
  const books = openBooks(readConfig({ DATA_DIR: dir, ...env }))
  try {
    return await told((out) => verifyLog(books, out, { key: [], ...wish, witness: sealWitnessIn(dir) }))
  } finally {
    await books.close()
  }
}

const told = async (look: (out: Output) => Promise<boolean>): Promise<Verdict> => {
  const values: unknown[] = []
  const whole = await look({ json: true, tell: async (value) => void values.push(value), remark: () => {} })
  return { whole, said: values[0] as Verdict['said'] }
}

const mirrorOf = async (dir: string): Promise<void> => {
  const place = embeddedPlace(join(dir, 'events.db'))
  const keeper = await openKeeper({ dir: join(dir, 'mirror'), store: place.store, bytes: place.bytes })
  await keeper?.catchUp(await place.store.head())
  await keeper?.close()
  await place.close()
}
