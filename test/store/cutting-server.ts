/**
 * A server that cuts and deletes streams as EventStoreDB 23.10.6 was seen to do it, call by call, over a node of ours,
 * which does neither: what hides events is laid over the node, and the events by which a server tells of it stand in
 * the node's log under other names.
 */

import { status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import type { ProposedEvent } from '../../adapters/store/node/appends.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import type { StoredEvent, StoredText } from '../../adapters/store/node/stored-event.ts'
import { packedStatus, refusal, streamName } from '../../adapters/store/node/wire.ts'
import type { Answer } from './answers.ts'
import { type Faults, faultyServer, type ReadCall } from './faulty-server.ts'
import { newCore } from './open.ts'

type Metadata = Readonly<Record<string, unknown>>

export type CuttingServer = Awaited<ReturnType<typeof cuttingServer>>

/** Serves a core with what a server does to streams; `url` is its connection string. */
export const cuttingServer = async (
  t: ExecutionContext,
  faults: Omit<Faults, 'core'> = {},
  core: Core = newCore(t),
) => {
  const cutting = cuttingCore(core)
  let lies = 0
  const served = await faultyServer(t, {
    ...faults,
    core: cutting.core,
    append: (attempt, answer, ...rest) => {
      const told: Answer = (error, response) => {
        const landed = response?.getSuccess()
        if (landed && lies-- > 0) landed.setCurrentRevision(String(Number(landed.getCurrentRevision()) + 5))
        if (isGone(response?.getError()?.getMessage())) response?.setError(GONE)
        answer(error, response)
      }
      return faults.append?.(attempt, told, ...rest) ?? told
    },
    read: (call) => refuseGone(call, cutting.isTombstoned) || (faults.read?.(call) ?? false),
  })
  return {
    ...served,
    ...cutting,
    /** The next append is taken, and its answer names another revision. */
    lieOnce: () => {
      lies = 1
    },
  }
}

/** What the server keeps of its own in the log of the node, which takes no names with `$`. */
const HIDDEN = 'server~'
const shownName = (name: string) => (name.startsWith(HIDDEN) ? name.slice(HIDDEN.length) : name)
const hiddenName = (name: string) => (name.startsWith('$') ? `${HIDDEN}${name}` : name)
const DELETED = 'is deleted.'

/** A core that takes what is the server's own as well, and hides what that says. */
export const cuttingCore = (core: Core) => {
  const metadata = new Map<string, Metadata>()
  const tombstones = new Set<string>()
  const write = (stream: string, type: string, data: string, expected: number | 'any' = 'any') =>
    core.append(hiddenName(stream), expected, [proposed(hiddenName(type), data)])
  const learn = async (stream: string, fields: Metadata, text = JSON.stringify(fields)) => {
    metadata.set(stream, fields)
    await write(`$$${stream}`, '$metadata', text)
  }
  const isDeleted = (stream: string) => Number(metadata.get(stream)?.$tb ?? 0) >= Number(DELETED_BEFORE)
  const shows = (stream: string, revision: number) => {
    const { $tb = 0, $maxCount = Number.MAX_SAFE_INTEGER } = metadata.get(stream) ?? {}
    return revision >= Number($tb) && revision > core.head(stream) - Number($maxCount)
  }
  const renamed = <E extends StoredEvent | StoredText>(event: E): E => ({
    ...event,
    stream: shownName(event.stream),
    type: shownName(event.type),
  })
  const taught: Core = {
    ...core,
    head: (stream) => (isDeleted(stream) ? -1 : core.head(hiddenName(stream))),
    readStream: (stream, from, count, direction) =>
      core
        .readStream(hiddenName(stream), from, Number.MAX_SAFE_INTEGER, direction)
        .filter(({ revision }) => shows(stream, revision))
        .slice(0, count)
        .map(renamed),
    readAll: (...given) => core.readAll(...given).map(renamed),
    readText: (...given) => core.readText(...given).map(renamed),
    append: async (stream, expected, events) => {
      if (tombstones.has(stream)) throw new Error(`Event stream '${stream}' ${DELETED}`)
      if (stream.startsWith('$$'))
        metadata.set(stream.slice(2), JSON.parse(Buffer.from(events[0]?.data ?? []).toString()))
      const named = events.map((event) => ({ ...event, type: hiddenName(event.type) }))
      if (!isDeleted(stream) || expected !== -1) return core.append(hiddenName(stream), expected, named)
      const head = core.head(stream)
      const committed = await core.append(stream, head, named)
      await learn(stream, { $tb: head + 1 })
      return committed
    },
  }
  return {
    core: taught,
    isTombstoned: (stream: string) => tombstones.has(stream),
    /** An operator sets the metadata of a stream. */
    setMetadata: (stream: string, fields: Metadata) => learn(stream, fields),
    softDelete: (stream: string) => learn(stream, { $tb: Number(DELETED_BEFORE) }, `{"$tb":${DELETED_BEFORE}}`),
    /** The tombstone comes in the stream's own name; `renamed` shows it there. */
    tombstone: async (stream: string) => {
      tombstones.add(stream)
      await core.append(stream, core.head(stream), [proposed(hiddenName('$streamDeleted'), '{}')])
    },
  }
}

const DELETED_BEFORE = 9_223_372_036_854_775_807n

const proposed = (type: string, data: string): ProposedEvent => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.alloc(0),
})

const streamDeleted = (stream: string) =>
  refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' ${DELETED}`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  })

const GONE = packedStatus(status.NOT_FOUND, 'StreamDeleted', 'StreamDeleted', new Uint8Array())

const isGone = (message: string | undefined): boolean => /Event stream '(.+)' is deleted\./.test(message ?? '')

const refuseGone = (call: ReadCall, isTombstoned: (stream: string) => boolean): boolean => {
  const stream = streamName(call.request.getOptions()?.getStream()?.getStreamIdentifier())
  if (!isTombstoned(stream)) return false
  call.emit('error', streamDeleted(stream))
  return true
}
