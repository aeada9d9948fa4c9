import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { createCheckpoints } from '../../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../../adapters/postgres/connect.ts'
import { forgetSnapshot } from '../../../adapters/postgres/snapshots.ts'
import { QUARANTINE_ID } from '../../../domain/audit/quarantine.ts'
import { foldRecorded } from '../../../domain/kernel/decider.ts'
import type { EventStore, RecordedEvent } from '../../../domain/kernel/ports.ts'
import { FOREIGN, SET_ASIDE, UnreadableEvent } from '../../../domain/kernel/recorded-event.ts'
import { effects } from '../../../domain/reactions/effects/index.ts'
import { policies } from '../../../domain/reactions/policies/index.ts'
import { deciderOf } from '../../../domain/write-side/deciders.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { projections } from '../../../projections/index.ts'
import { type Books, NoReadModels } from '../../books/books.ts'
import { openOperatorLedger } from '../../books/operator-ledger.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/**
 * Sets aside an event that cannot be read, by an event that says who did it and why. Only an event that somebody stops
 * at can be set aside: a fact that can be read is not made unread. It may be run again.
 */
export const quarantineEvent = async (
  books: Books,
  out: Output,
  { id: given, reason: why }: { readonly id: string; readonly reason: string },
): Promise<void> => {
  const [id, reason] = [given.toLowerCase(), why.trim()]
  if (!UUID.test(id)) throw new BadSetting(`${given} is not the id of an event`)
  if (reason === '' || reason.length > REASON_MAX_CHARS)
    throw new BadSetting(`--reason is not a text of 1 to ${REASON_MAX_CHARS} characters`)
  const store = await books.store()
  const event = await eventOf(store, id)
  if (!event) throw new CommandFailure(`the log has no event ${id}`)
  const { stream, revision, type } = event
  const place = `event ${revision} of ${stream}`
  if (type === FOREIGN)
    throw new CommandFailure(
      `${place} is another program's: everybody passes over it already, and nothing has to be done`,
    )
  if (type === SET_ASIDE) return out.tell({ event: id, stream, fresh: false }, `${place} was set aside before.`)
  const fault = event.unreadable ?? (await faultOf(books, store, event))
  if (fault === undefined)
    throw new CommandFailure(
      `${place} (${type}) can be read, and nobody stops at it: only what cannot be read is set aside. ` +
        'Look at /readyz of the service for the event that stops a follower',
    )
  const ledger = await openOperatorLedger(books)
  const by = userInfo().username
  await ledger.quarantine.setAside(QUARANTINE_ID, {
    event: id,
    stream,
    revision: String(revision),
    type,
    fault: fault.slice(0, FAULT_MAX_CHARS),
    by,
    reason,
  })
  const sql = await databaseOf(books)
  if (sql) await forgetSnapshot(sql, stream)
  await out.tell(
    { event: id, stream, revision, type, fault, by, reason, fresh: true },
    `${place} (${type}) is set aside: ${fault}. It stays in the log and under its seals. Whoever stopped at it goes on within seconds.`,
  )
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const REASON_MAX_CHARS = 500
const FAULT_MAX_CHARS = 1_000
/** A follower that stands still for so long before an event stops at it. */
const STANDING_MS = 3_000

/** The store finds events by place alone, so the whole log is read for an id. */
const eventOf = async (store: EventStore, id: string): Promise<RecordedEvent | undefined> => {
  for await (const page of store.readAll(-1n)) {
    const found = page.find((event) => event.id === id)
    if (found) return found
  }
  return undefined
}

/** Why an event of the right form cannot be used: its stream cannot be folded over it, or a follower stands at it. */
const faultOf = async (books: Books, store: EventStore, event: RecordedEvent): Promise<string | undefined> =>
  (await foldFault(store, event)) ?? (await standingFault(books, event))

const foldFault = async (store: EventStore, { id, stream }: RecordedEvent): Promise<string | undefined> => {
  const decider = deciderOf(stream)
  if (!decider) return undefined
  try {
    let state = decider.initial
    for await (const page of store.read(stream)) state = foldRecorded(decider, page, state)
    return undefined
  } catch (error) {
    return error instanceof UnreadableEvent && error.event.id === id ? error.reason : undefined
  }
}

/**
 * A follower stands before an event when that is the next one it handles, and it does not move while a service runs.
 */
const standingFault = async (books: Books, event: RecordedEvent): Promise<string | undefined> => {
  const sql = books.running ? await databaseOf(books) : undefined
  if (!sql) return undefined
  const before = await placesOf(sql)
  await pause(STANDING_MS)
  const after = await placesOf(sql)
  const store = await books.store()
  for (const { name, handles } of followers) {
    const at = before.get(name) ?? -1n
    if (!handles(event.type) || at >= event.position || after.get(name) !== at) continue
    if ((await nextOf(store, at, handles))?.id === event.id) return `${name} cannot go past it`
  }
  return undefined
}

type Follower = { readonly name: string; handles(type: string): boolean }

const followers: readonly Follower[] = [
  ...projections.map(({ name, on }) => ({ name, handles: (type: string) => Object.hasOwn(on, type) })),
  ...policies.map((policy) => ({
    name: policy.name,
    handles: (type: string) =>
      'types' in policy ? policy.types.some((own) => own === type) : Object.hasOwn(policy.on, type),
  })),
  ...effects.map(({ name, on }) => ({ name, handles: (type: string) => Object.hasOwn(on, type) })),
]

const placesOf = async (sql: Sql): Promise<ReadonlyMap<string, bigint>> => {
  const places = new Map(await (await createCheckpoints(sql)).all())
  for (const { name } of projections) places.set(name, (await checkpointOf(sql, SERVING, name))?.position ?? -1n)
  return places
}

const nextOf = async (store: EventStore, after: bigint, handles: Follower['handles']) => {
  for await (const page of store.readAll(after)) {
    const found = page.find(({ type }) => handles(type))
    if (found) return found
  }
  return undefined
}

/** The database of the books; undefined where none was made yet. */
const databaseOf = async (books: Books): Promise<Sql | undefined> => {
  try {
    return await books.sql()
  } catch (error) {
    if (error instanceof NoReadModels) return undefined
    throw error
  }
}
