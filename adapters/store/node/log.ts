/**
 * The log on the disk: one SQLite file with every event, exactly as its bytes came in. It protects the order of the log
 * (a position is a primary key), one event per place in a stream (a unique index), and a single writer (an exclusive
 * lock on the file).
 */
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { recentMap } from '../../../domain/kernel/recent-map.ts'
import { newestEvents } from './newest-events.ts'
import type { StoredEvent, StoredText } from './stored-event.ts'

export type Direction = 'forwards' | 'backwards'

export type Log = {
  /** Newest durable position. */
  last(): number
  /** Newest durable revision of a stream, -1 when there is none. */
  head(stream: string): number
  /** The event at one place of a stream. */
  at(stream: string, revision: number): { readonly id: string; readonly position: number } | undefined
  /**
   * Writes events in one transaction; they are on the disk when this returns. A throw means that nothing is known about
   * them.
   */
  write(events: readonly StoredEvent[]): void
  /**
   * A page of a stream, from a revision on (included) in either direction. May be shorter than asked; an empty page is
   * the end.
   */
  readStream(stream: string, from: number, count: number, direction: Direction): readonly StoredEvent[]
  /**
   * A page of the log: positions above `from`, or below it when reading backwards. May be shorter than asked; an empty
   * page is the end.
   */
  readAll(from: number, count: number, direction: Direction): readonly StoredEvent[]
  /** Reads as `readAll` forwards, but as text, which takes a third of the time. */
  readText(from: number, count: number): readonly StoredText[]
  close(): void
}

/**
 * Opens a log or makes it. Throws when another process has it open, or when it is not a log of this version. `cacheMib`
 * of its pages stay in memory.
 */
export const openLog = (file: string, cacheMib = CACHE_MIB): Log => {
  const db = openFile(file, cacheMib)
  const statements = prepare(db)
  // A stream that is not there is remembered too: one that begins is asked for more than once before its first event is
  // written.
  const recent = recentMap<Head | 'none'>(HEADS_KEPT)
  const headOf = (stream: string): Head | undefined => {
    const known = recent.get(stream)
    if (known) return known === 'none' ? undefined : known
    const found = statements.head.get(stream) as Head | undefined
    recent.set(stream, found ?? 'none')
    return found
  }
  let last = (statements.last.get() as { position: number }).position
  const newest = newestEvents(last)

  return {
    last: () => last,
    head: (stream) => headOf(stream)?.revision ?? -1,
    at: (stream, revision) => {
      const id = headOf(stream)?.id
      return id === undefined
        ? undefined
        : (statements.at.get(id, revision) as { id: string; position: number } | undefined)
    },
    write: (events) => {
      statements.begin.run()
      for (const event of events) {
        const id = headOf(event.stream)?.id ?? (statements.addStream.get(event.stream) as { id: number }).id
        insert(statements.addEvent, id, event)
        recent.set(event.stream, { id, revision: event.revision })
      }
      statements.commit.run()
      newest.add(events)
      last = events.at(-1)?.position ?? last
    },
    readStream: (stream, from, count, direction) => {
      const id = headOf(stream)?.id
      const statement = direction === 'forwards' ? statements.streamForwards : statements.streamBackwards
      return id === undefined ? [] : page(statement.iterate(id, from, count))
    },
    readAll: (from, count, direction) =>
      direction === 'forwards'
        ? (newest.after(from, count) ?? page(statements.allForwards.iterate(from, count)))
        : page(statements.allBackwards.iterate(from, count)),
    readText: (from, count) => textPage(statements.allText.iterate(from, count)),
    close: () => db.close(),
  }
}

/** A stream's number in the tables and its newest durable revision. */
type Head = { readonly id: number; readonly revision: number }

/**
 * Streams whose head stays in memory, about 200 bytes each; up to twice as many. A log may hold millions, so the others
 * are looked up.
 */
const HEADS_KEPT = 50_000
/** Size of the cache: enough for the upper pages of the indexes when a log has millions of streams. */
const CACHE_MIB = 64
/** A page ends early once it holds this many bytes of data and metadata. */
const PAGE_BYTES = 4_194_304
/** Marks the file as a log of ours ("Dybk"), and the version of its tables. */
const APPLICATION_ID = 0x4479626b
const TABLES_VERSION = 1

const TABLES = `
CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE events (
  position INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES streams (id), revision INTEGER NOT NULL, id TEXT NOT NULL,
  type TEXT NOT NULL, content_type TEXT NOT NULL, created INTEGER NOT NULL, metadata BLOB NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${TABLES_VERSION};`

const openFile = (file: string, cacheMib: number): DatabaseSync => {
  // SQLite gives its side files the mode of the main file, so making that one first keeps all of them private.
  closeSync(openSync(file, 'a', 0o600))
  const db = new DatabaseSync(file)
  try {
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF',
    )
    const { journal_mode: mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
    if (mode !== 'wal') throw new Error(`the file system of ${file} cannot hold a log (journal mode ${mode})`)
    db.exec(`PRAGMA cache_size = -${cacheMib * 1_024}; PRAGMA wal_autocheckpoint = 4000; BEGIN EXCLUSIVE`)
    makeTables(db, file)
    db.exec('COMMIT')
    return db
  } catch (error) {
    db.close()
    if (!(error instanceof Error && /database is locked/.test(error.message))) throw error
    throw new Error(`the log ${file} is already in use by another process`, { cause: error })
  }
}

const makeTables = (db: DatabaseSync, file: string): void => {
  const pragma = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number }
  if (tables.n > 0) {
    if (pragma('application_id') === APPLICATION_ID && pragma('user_version') === TABLES_VERSION) return
    throw new Error(`${file} is not a log of version ${TABLES_VERSION}`)
  }
  db.exec(TABLES)
  // The log has one system event from the start, as every EventStoreDB log has some: whoever forgets to filter them
  // finds out at once.
  db.prepare('INSERT INTO streams (id, name) VALUES (1, ?)').run('$daybook')
  const created = Date.now()
  insert(db.prepare(ADD_EVENT), 1, {
    position: 0,
    stream: '$daybook',
    revision: 0,
    id: crypto.randomUUID(),
    type: '$log-created',
    contentType: 'application/json',
    created,
    metadata: new Uint8Array(),
    data: Buffer.from(JSON.stringify({ tables: TABLES_VERSION })),
  })
}

const ADD_EVENT = `INSERT INTO events (position, stream, revision, id, type, content_type, created, metadata, data)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const insert = (statement: ReturnType<DatabaseSync['prepare']>, stream: number, e: StoredEvent) =>
  statement.run(e.position, stream, e.revision, e.id, e.type, e.contentType, e.created, e.metadata, e.data)

const prepare = (db: DatabaseSync) => {
  const events = (where: string, payload = 'e.metadata, e.data, e.created') => {
    const statement = db.prepare(`SELECT e.position, s.name, e.revision, e.id, e.type, e.content_type, ${payload}
      FROM events e JOIN streams s ON s.id = e.stream WHERE ${where} LIMIT ?`)
    // Rows as arrays are read in two thirds of the time: rows as objects come with a dictionary each.
    statement.setReturnArrays(true)
    return statement
  }
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    last: db.prepare('SELECT max(position) AS position FROM events'),
    head: db.prepare(
      'SELECT id, (SELECT max(revision) FROM events e WHERE e.stream = s.id) AS revision FROM streams s WHERE s.name = ?',
    ),
    at: db.prepare('SELECT id, position FROM events WHERE stream = ? AND revision = ?'),
    addStream: db.prepare('INSERT INTO streams (name) VALUES (?) RETURNING id'),
    addEvent: db.prepare(ADD_EVENT),
    streamForwards: events('e.stream = ? AND e.revision >= ? ORDER BY e.revision'),
    streamBackwards: events('e.stream = ? AND e.revision <= ? ORDER BY e.revision DESC'),
    allForwards: events('e.position > ? ORDER BY e.position'),
    allText: events('e.position > ? ORDER BY e.position', 'CAST(e.metadata AS TEXT), CAST(e.data AS TEXT)'),
    allBackwards: events('e.position < ? ORDER BY e.position DESC'),
  }
}

type Row<P> = readonly [number, string, number, string, string, string, P, P, number]

/** A page of rows as the statements select them. */
const page = (rows: Iterable<unknown>) => {
  const events: StoredEvent[] = []
  let bytes = 0
  for (const row of rows as Iterable<Row<Uint8Array>>) {
    const [position, stream, revision, id, type, contentType, metadata, data, created] = row
    events.push({ position, stream, revision, id, type, contentType, created, metadata, data })
    bytes += data.length + metadata.length
    if (bytes >= PAGE_BYTES) break
  }
  return events
}

const textPage = (rows: Iterable<unknown>) => {
  const events: StoredText[] = []
  let length = 0
  for (const row of rows as Iterable<Row<string>>) {
    const [position, stream, revision, id, type, contentType, metadata, data] = row
    events.push({ position, stream, revision, id, type, contentType, metadata, data })
    length += data.length + metadata.length
    if (length >= PAGE_BYTES) break
  }
  return events
}
