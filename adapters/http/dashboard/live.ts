import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { actingMember } from '../../../domain/use-cases/account/members.ts'
import type { Queries } from '../../../projections/index.ts'
import { createStreams, EVENT_STREAM } from '../core/bounds/streams.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import type { MemberRequest } from './of-dashboard.ts'

/** Server-sent events that say which kinds of rows of the account have changed; a page then reads its parts anew. */

/** Streams at once in this process, and of one account. */
const STREAMS = { all: 2_000, each: 20 }
/** Milliseconds between two looks at an account, however many of its pages are open. */
const LOOK_MS = 1_000
/** Milliseconds between two looks whether the session goes on. */
const SESSION_MS = 3_000
/** Milliseconds between signs of life: proxies cut a stream that is silent for longer. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a stream ends; a page that is still open begins the next one. */
const STREAM_LIFE_MS = 3_600_000

export const liveEndpoints = () => {
  const streams = createStreams(STREAMS)
  const watches = createWatches()

  const live = endpoint({
    method: 'get',
    path: '/dashboard/live',
    summary: 'Which kinds of rows change, as server-sent events: `changed` with the categories of their streams',
    auth: 'member',
    reach: 'account',
    waits: 'before',
    ignores: 'query',
    returns: z.string(),
    produces: 'text/event-stream',
    refusals: ['busy'],
    answer: async ({ stopping, ...request }) =>
      new Reply(
        200,
        streams.start(request.actor.accountId, stopping, (left) => follow(request, watches, left)),
        EVENT_STREAM,
      ),
  })
  return [live]
}

type Watches = ReturnType<typeof createWatches>

/** Says what has changed until the listener leaves, the service stops or the session ends. */
async function* follow(request: MemberRequest, watches: Watches, left: AbortSignal): AsyncGenerator<string> {
  const { actor, queries } = request
  const changed = new Set<string>()
  const leave = watches.join(actor.accountId, queries, changed)
  const end = performance.now() + STREAM_LIFE_MS
  let [saidAt, seenAt] = [performance.now(), performance.now()]
  try {
    yield ':\n\n'
    while (!left.aborted && performance.now() < end) {
      if (changed.size > 0) {
        yield `event: changed\ndata: ${JSON.stringify([...changed])}\n\n`
        changed.clear()
        saidAt = performance.now()
      } else if (performance.now() - saidAt >= HEARTBEAT_MS) {
        yield ':\n\n'
        saidAt = performance.now()
      }
      if (performance.now() - seenAt >= SESSION_MS) {
        if (!(await goesOn(request))) {
          yield 'event: end\ndata:\n\n'
          return
        }
        seenAt = performance.now()
      }
      await pause(LOOK_MS, undefined, { signal: left }).catch(() => {})
    }
  } finally {
    leave()
  }
}

/** Whether the session was neither ended nor made void. An open page alone does not keep it alive. */
const goesOn = async ({ flow, signIn, actor }: MemberRequest): Promise<boolean> => {
  const row = await signIn.memberSessions.bySid(actor.sid, flow.world.now())
  const acting = row && (await actingMember(flow, actor.sub, row.accountId))
  // Whoever has gone on in another account is told nothing more of this one.
  return acting?.accountId === actor.accountId && acting.generation === row?.generation
}

/** Looks at each account once, for all of its pages that are open in this process. */
const createWatches = () => {
  const watches = new Map<string, Set<Set<string>>>()

  const watch = async (accountId: string, queries: Queries, listeners: Set<Set<string>>) => {
    let position: string | undefined
    while (listeners.size > 0) {
      const now = await queries.changesOf(accountId, position).catch(() => undefined)
      if (now && position !== undefined)
        for (const listener of listeners) for (const kind of now.kinds) listener.add(kind)
      position = now?.position ?? position
      await pause(LOOK_MS)
    }
    watches.delete(accountId)
  }

  return {
    /** Has the names of what changes from now on put into a set. @returns what ends that */
    join(accountId: string, queries: Queries, listener: Set<string>): () => void {
      const known = watches.get(accountId)
      const listeners = known ?? new Set()
      listeners.add(listener)
      if (!known) {
        watches.set(accountId, listeners)
        void watch(accountId, queries, listeners)
      }
      return () => void listeners.delete(listener)
    },
  }
}
