/**
 * The rights of a user of an EventStoreDB: they are asked for without leaving a trace, and given in the streams in
 * which the server keeps them.
 */

import { isDeepStrictEqual } from 'node:util'
import {
  AccessDeniedError,
  BACKWARDS,
  END,
  type JSONType,
  jsonEvent,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { type Connection, openConnection } from '../client/connection.ts'
import { withinTime } from '../client/patience.ts'

export type ServerRights = {
  /** Tells what the user of the connection may do to a stream of ours. Nothing is written. */
  ofStreams(): Promise<StreamRights>
  /** Lets a user read the whole log, beside those who may. False when it may already. */
  letReadAll(login: string): Promise<boolean>
  /**
   * Makes the user the only one who writes to streams; only admins delete them or set their metadata. False when it is
   * so already.
   */
  setDefaults(login: string): Promise<boolean>
  close(): Promise<void>
}

export type StreamRights = { readonly appends: boolean; readonly setsMetadata: boolean; readonly deletes: boolean }

/** Milliseconds of one call to the server. */
const CALL_LIMIT_MS = 10_000

/**
 * Asks for and gives rights on the server of a connection string, as its user. Throws on a string that is not valid.
 */
export const openServerRights = (connectionString: string): ServerRights => {
  const closing = new AbortController()
  const connection = openConnection(connectionString, closing.signal)
  return {
    ofStreams: async () => {
      const stream = `daybook-check-${crypto.randomUUID()}`
      const { client, credentials } = connection
      return {
        appends: await may(write(connection, stream, 'Checked', {}, NEVER_REACHED)),
        setsMetadata: await may(write(connection, `$$${stream}`, METADATA, {}, NEVER_REACHED)),
        deletes: await may(
          withinTime(
            CALL_LIMIT_MS,
            'a deletion',
            client.deleteStream(stream, { expectedRevision: NEVER_REACHED, credentials }),
          ),
        ),
      }
    },
    letReadAll: (login) =>
      changed(connection, '$$$all', METADATA, (fields) => {
        const acl = { $r: ADMINS, ...(fields.$acl as { readonly $r?: string | readonly string[] } | undefined) }
        const readers = [acl.$r].flat()
        return readers.includes(login) ? fields : { ...fields, $acl: { ...acl, $r: [...readers, login] } }
      }),
    setDefaults: (login) => changed(connection, '$settings', 'update-default-acl', () => defaultsOf(login)),
    close: async () => {
      closing.abort(new Error('the connection is closed'))
      await connection.close()
    },
  }
}

/**
 * A new stream has not come so far, so an append that expects this revision changes nothing; the server checks the
 * right to append before that.
 */
const NEVER_REACHED = 999_999_999n
const METADATA = '$metadata'
const ADMINS = '$admins'

/** `$r` who reads, `$w` who appends, `$d` who deletes, `$mr` and `$mw` who reads and sets metadata. */
const defaultsOf = (login: string) => ({
  $userStreamAcl: { $r: [ADMINS, login], $w: [login], $d: [ADMINS], $mr: [ADMINS, login], $mw: [ADMINS] },
  $systemStreamAcl: { $r: ADMINS, $w: ADMINS, $d: ADMINS, $mr: ADMINS, $mw: ADMINS },
})

const may = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AccessDeniedError) return false
      if (error instanceof WrongExpectedVersionError) return true
      throw error
    },
  )

type Fields = Readonly<Record<string, unknown>>

const write = (
  { client, credentials }: Connection,
  stream: string,
  type: string,
  data: Fields,
  expectedRevision: bigint | typeof NO_STREAM,
) =>
  withinTime(
    CALL_LIMIT_MS,
    `an append to ${stream}`,
    client.appendToStream(stream, jsonEvent({ type, data: data as JSONType }), {
      expectedRevision,
      credentials,
      deadline: CALL_LIMIT_MS,
    }),
  )

/**
 * Changes the newest event of a type in a stream of the server by writing a new one, unless nothing would change;
 * nobody else's change is lost.
 */
const changed = async (connection: Connection, stream: string, type: string, change: (fields: Fields) => Fields) => {
  const newest = await newestOf(connection, stream, type)
  const wanted = change(newest.fields)
  if (isDeepStrictEqual(wanted, newest.fields)) return false
  await write(connection, stream, type, wanted, newest.revision)
  return true
}

/** Events of the server's own stream that are looked through for the newest of a type. */
const SETTINGS_READ_MAX = 500

const newestOf = async ({ client, access }: Connection, stream: string, type: string) => {
  const read = client.readStream(stream, {
    fromRevision: END,
    direction: BACKWARDS,
    maxCount: SETTINGS_READ_MAX,
    requiresLeader: true,
    ...access,
  })
  const found = (async () => {
    let revision: bigint | typeof NO_STREAM = NO_STREAM
    for await (const { event } of read) {
      if (!event) continue
      if (revision === NO_STREAM) revision = event.revision
      if (event.type === type) return { revision, fields: event.data as Fields }
    }
    return { revision, fields: {} }
  })()
  try {
    return await withinTime(CALL_LIMIT_MS, `a read of ${stream}`, found)
  } catch (error) {
    if (error instanceof StreamNotFoundError) return { revision: NO_STREAM, fields: {} } as const
    throw error
  } finally {
    await read.cancel().catch(() => undefined)
  }
}
