import { categoryOf } from '../../domain/kernel/decider.ts'
import type { EventStore, NewEvent, RecordedEvent } from '../../domain/kernel/ports.ts'
import { appendPlace, reactionPlace, requestPlace, type SpanPlace } from './places.ts'

/** Something that takes time, and is told to whoever collects traces. */
export type Span = {
  /** The header by which a server that is called joins the trace; undefined where it is not recorded. */
  readonly traceparent: string | undefined
  /** Ends the span; with an error it has failed. */
  end(attributes?: Attributes, error?: unknown): void
}

type Attributes = Readonly<Record<string, string | number>>

export type SpanKind = 'request' | 'inside' | 'call'

/** Begins spans; undefined in a service that is not told where to send them. */
export type Tracer = {
  begin(name: string, kind: SpanKind, place: SpanPlace, attributes?: Attributes): Span
  /** Sends what has ended and is not sent yet, for at most some seconds. */
  close(): Promise<void>
}

/** The span of a request, by the name that it goes by. */
export const beginRequest = (tracer: Tracer | undefined, method: string, requestId: string): Span | undefined =>
  tracer?.begin(method, 'request', requestPlace(requestId), {
    'http.request.method': method,
    'daybook.correlation_id': requestId,
  })

/** The store, with a span for each event that is appended. One append may hold what several requests wrote. */
export const tracedStore = <S extends EventStore>(store: S, tracer: Tracer | undefined): S =>
  tracer
    ? {
        ...store,
        append: (stream: string, expected: bigint, events: readonly NewEvent[]) =>
          together(
            events.map((event) => beginAppend(tracer, stream, event)),
            () => store.append(stream, expected, events),
          ),
      }
    : store

const beginAppend = (tracer: Tracer, stream: string, { id, type, meta }: NewEvent): Span =>
  tracer.begin(`append ${type}`, 'inside', appendPlace({ id, cause: meta.cause }), {
    'daybook.event_type': type,
    'daybook.event_id': id,
    'daybook.stream_category': categoryOf(stream),
  })

/** Events whose reaction has failed and that are remembered; a span of theirs is begun with an id of its own. */
const FAILED_MAX = 1_000

/** Makes each reaction to an event a span. An attempt after one that failed has an id of its own. */
export const tracedReactions = (tracer: Tracer | undefined) => {
  const failed = new Set<string>()
  return async <T>(
    name: string,
    kind: 'policy' | 'effect',
    events: readonly RecordedEvent[],
    work: () => Promise<T>,
  ): Promise<T> => {
    if (!tracer) return work()
    const keys = events.map(({ id }) => `${name} ${id}`)
    const begun = events.map((event, n) => {
      const { spanId, ...place } = reactionPlace(name, event)
      const isAgain = failed.has(keys[n] ?? '')
      return tracer.begin(
        `${kind} ${name}`,
        'inside',
        { ...place, spanId: isAgain ? undefined : spanId },
        { 'daybook.event_type': event.type, 'daybook.event_id': event.id },
      )
    })
    try {
      const done = await together(begun, work)
      for (const key of keys) failed.delete(key)
      return done
    } catch (error) {
      if (failed.size < FAILED_MAX) for (const key of keys) failed.add(key)
      throw error
    }
  }
}

const together = async <T>(begun: readonly Span[], work: () => Promise<T>): Promise<T> => {
  try {
    const done = await work()
    for (const span of begun) span.end()
    return done
  } catch (error) {
    for (const span of begun) span.end({}, error)
    throw error
  }
}
