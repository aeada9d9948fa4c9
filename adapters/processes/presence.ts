/** Which processes serve one database, and are alive. */
import { randomUUID } from 'node:crypto'
import { createTables, type Sql } from '../postgres/connect.ts'
import { type Clocks, clocks, IDLE_LIMIT_MS, millisecondsSince, TRUST_MS } from '../postgres/watched-session.ts'
import type { Channels } from './channels.ts'

/** A process that has a place among those that serve. */
export type Member = {
  readonly id: string
  /** Where other processes reach it; undefined where they do not. */
  readonly address: string | undefined
  /** What it does of the service's work. */
  readonly parts: readonly string[]
  /** When it came, by the server's clock. */
  readonly since: Date
}

export type Presence = {
  readonly id: string
  /**
   * Who is alive by the server's clock, in the order of their ids, as of the last beat; this process is among them
   * while its own place is certain.
   */
  members(): readonly Member[]
  /**
   * Whether the place of this process is certain now. Asked by whoever is about to rely on it: a process that has hung
   * finds out by this, before any timer or message tells it.
   */
  isHere(): boolean
  /** Whether everybody who is alive has this process among the members. */
  isKnown(): boolean
  /** Whether nobody else is alive, for certain. */
  isAlone(): boolean
  /** Whether nobody else can ever be: the log or the database is this process's own. */
  readonly isSole: boolean
  /** Milliseconds for which somebody who does not know of this process may yet trust in being alone. */
  unknownMs(): number
  /** Tells the place of this process from those that it lost before; undefined while it has none for certain. */
  place(): string | undefined
  /** Calls the listener after each change of the members; answers how to end that. */
  changed(listener: () => void): () => void
  /** Takes the place away, so that the others need not wait for its end. */
  close(): Promise<void>
}

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.processes (
    id text primary key, number bigint generated always as identity, address text, parts json not null,
    since timestamptz not null default now(), until timestamptz not null, knows bigint not null);
`
/** Everybody looks at once who is there when somebody comes or goes. */
const CHANNEL = 'daybook_processes'
const BEAT_EVERY_MS = 2_000
/** A place ends so long after its last beat. The process itself trusts in it for TRUST_MS, which is shorter. */
const PLACE_MS = IDLE_LIMIT_MS
/** Who found nobody else trusts in being alone for so long after that beat. */
const ALONE_MS = 3_500
/** Milliseconds that a start waits for its place. */
const PLACE_WAIT_MS = 10_000
/** Milliseconds that a start waits until everybody knows of it; one that was killed is in the list yet, and silent. */
const KNOWN_WAIT_MS = 300
/** Places that ended so long ago are deleted by whoever comes. */
const FORGOTTEN_MS = 600_000

type Own = Pick<Member, 'address' | 'parts'> & {
  /** No other process can be alive: who has a place still has died without a word. */
  readonly isSole?: boolean
}

/** Takes a place, and resolves once everybody who is alive knows of it, or somebody is silent. */
export const joinProcesses = async (sql: Sql, channels: Channels, own: Own): Promise<Presence> => {
  await createTables(sql, TABLE)
  if (own.isSole) await sql`delete from daybook_run.processes`
  const id = randomUUID()
  const roster = createRoster(id)
  const listeners = new Set<() => void>()
  const changed = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const beating = repeatedly(BEAT_EVERY_MS, async (again) => {
    await beat({ channels, id, own, roster, again }).catch(() => {})
    if (roster.hasChanged()) for (const listener of listeners) listener()
  })
  const unlisten = channels.listen(CHANNEL, {
    heard: (from) => from !== id && beating.now(),
    renewed: beating.now,
  })
  await turnsTrue(changed, roster.isHere, PLACE_WAIT_MS)
  await turnsTrue(changed, roster.isKnown, KNOWN_WAIT_MS)
  return {
    id,
    members: roster.members,
    isHere: roster.isHere,
    isKnown: roster.isKnown,
    isAlone: () => own.isSole === true || roster.isAlone(),
    isSole: own.isSole === true,
    unknownMs: roster.unknownMs,
    place: roster.place,
    changed,
    async close() {
      unlisten()
      await beating.stop()
      roster.leave()
      // Without an answer the place ends by itself.
      const gone = channels.ask((connection) => connection`delete from daybook_run.processes where id = ${id}`)
      await gone.then(() => channels.tell(CHANNEL, id)).catch(() => {})
    },
  }
}

type Row = { id: string; number: string; address: string | null; parts: string[]; since: Date; knows: string }

/** Who was found alive, and whether this process was. */
const createRoster = (id: string) => {
  let rows: readonly Row[] = []
  let own: string | undefined
  let known = false
  let trusted: Clocks | undefined
  let joined: Clocks | undefined
  let before = ''
  const isHere = () => trusted !== undefined && millisecondsSince(trusted) < TRUST_MS
  const newest = () => rows.reduce((most, { number }) => (BigInt(number) > most ? BigInt(number) : most), 0n)
  // Whoever came later has looked when this process had its place already.
  const hasInList = (number: bigint) => (row: Row) =>
    row.id === id || BigInt(row.knows) >= number || BigInt(row.number) > number
  const isKnown = () => known && isHere()
  return {
    isHere,
    isKnown,
    newest,
    isAlone: () => rows.length === 1 && trusted !== undefined && millisecondsSince(trusted) < ALONE_MS,
    unknownMs: () => (isKnown() ? 0 : Math.max(0, ALONE_MS - (joined ? millisecondsSince(joined) : 0))),
    place: () => (isHere() ? own : undefined),
    members: () => rows.filter((row) => row.id !== id || isHere()).map(memberOf),
    /** A new place was taken. */
    joins() {
      joined = clocks()
    },
    found(those: readonly Row[], sentAt: Clocks) {
      rows = those
      own = those.find((row) => row.id === id)?.number
      known = those.every(hasInList(BigInt(own ?? 0)))
      trusted = sentAt
    },
    leave() {
      trusted = undefined
    },
    /** Whether anything is otherwise than at the last time that this was asked. */
    hasChanged() {
      const now = JSON.stringify([isHere(), isKnown(), rows.map(({ number }) => number)])
      const changes = now !== before
      before = now
      return changes
    },
  }
}

type Beat = {
  readonly channels: Channels
  readonly id: string
  readonly own: Own
  readonly roster: ReturnType<typeof createRoster>
  /** Asks for another beat at once. */
  again(): void
}

const beat = async ({ channels, id, own, roster, again }: Beat) => {
  const sentAt = clocks()
  const knows = roster.newest()
  const found = await channels.ask((connection) => beatAndLook(connection, id, knows))
  if (found.length === 0) {
    // The place is lost, or was never taken: the others may have gone on without this process.
    roster.leave()
    await channels.ask((connection) => takeNewPlace(connection, id, own))
    roster.joins()
    again()
    return channels.tell(CHANNEL, id)
  }
  const written = found.find((row) => row.id === id)?.knows
  roster.found(found, sentAt)
  // The newcomers wait until everybody says that they are known.
  if (roster.newest() !== knows) again()
  else if (written !== String(knows)) await channels.tell(CHANNEL, id)
}

/** Does work every so often, and at once when it is asked for; never twice at the same time. */
const repeatedly = (everyMs: number, work: (again: () => void) => Promise<void>) => {
  let stopped = false
  let due = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const run = async () => {
    clearTimeout(timer)
    while (due && !stopped) {
      due = false
      await work(now)
    }
    running = undefined
    if (!stopped) timer = setTimeout(now, everyMs).unref()
  }
  const now = () => {
    due = true
    running ??= run()
  }
  return {
    now,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Resolves once the condition holds, or the time is up. */
const turnsTrue = (changed: Presence['changed'], holds: () => boolean, waitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(late)
      unheard()
      resolve()
    }
    const late = setTimeout(end, waitMs)
    const unheard = changed(() => holds() && end())
    if (holds()) end()
  })

const memberOf = ({ id, address, parts, since }: Row): Member => ({ id, address: address ?? undefined, parts, since })

/**
 * Answers everybody who is alive, and nobody when the own place has ended. `knows` tells the others that this process
 * has everybody in its list who came up to that number; what it was before is in the own row of the answer.
 */
const beatAndLook = (sql: Sql, id: string, knows: bigint): PromiseLike<readonly Row[]> => sql<Row[]>`
  with beat as (
    update daybook_run.processes
    set until = now() + make_interval(secs => ${PLACE_MS / 1_000}), knows = ${String(knows)}
    where id = ${id} and until > now() returning id
  )
  select id, number, address, parts, since, knows from daybook_run.processes
  where until > now() and exists (select from beat) order by id collate "C"`

/**
 * Two who come at once come one after the other, so that the later one finds the other. It is one statement, because a
 * process that hangs in a transaction would hold everybody up.
 */
const takeNewPlace = (sql: Sql, id: string, { address, parts }: Own): PromiseLike<unknown> => sql`
  with turn as materialized (
    select pg_advisory_xact_lock(hashtextextended('daybook processes', 0))
  ), forgotten as (
    delete from daybook_run.processes
    where id <> ${id} and until < now() - make_interval(secs => ${FORGOTTEN_MS / 1_000})
  )
  insert into daybook_run.processes (id, address, parts, until, knows)
  select ${id}, ${address ?? null}, ${JSON.stringify(parts)}::text::json,
    now() + make_interval(secs => ${PLACE_MS / 1_000}), 0
  from turn
  on conflict (id) do update
  set number = default, since = excluded.since, until = excluded.until, knows = excluded.knows`
