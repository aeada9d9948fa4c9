import { createHash } from 'node:crypto'
import type { Cause, NewEvent, RecordedEvent } from '../../domain/kernel/ports.ts'

/**
 * Where a span stands in its trace. All of it follows from what the log says of an event (who wrote it, in answer to
 * what, under which correlation id), so every process puts what it does into the same trace, also hours later, and
 * nothing has to be handed on beside the log.
 */
export type SpanPlace = {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits; undefined where no other span stands below it. */
  readonly spanId: string | undefined
  /** Undefined: the span begins its trace. */
  readonly parentId: string | undefined
}

/** What a caller says of its own trace: `00-<trace id>-<span id>-01` (W3C Trace Context). */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f][13579bdf]$/

/**
 * The name of a request that joins the trace of its caller: trace id and span id. It becomes the correlation id of all
 * that follows, so that whatever follows joins that trace too. Undefined for a header that is broken, or that says that
 * the caller does not record its trace.
 */
export const nameOfTrace = (traceparent: string): string | undefined => {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? []
  return traceId === undefined ? undefined : `${traceId}-${spanId}`
}

export const traceparentOf = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`

const JOINED = /^([0-9a-f]{32})-([0-9a-f]{16})$/

/** The trace of everything under a correlation id. */
const traceOf = (correlationId: string): string => JOINED.exec(correlationId)?.[1] ?? digits(correlationId, 32)

/** The request with this name. */
export const requestPlace = (requestId: string): SpanPlace => ({
  traceId: traceOf(requestId),
  spanId: requestSpan(requestId),
  parentId: JOINED.exec(requestId)?.[2],
})

/** The append of an event, below the request or the reaction that wrote it. */
export const appendPlace = (event: Pick<NewEvent, 'id'> & { readonly cause: Cause }): SpanPlace => ({
  traceId: traceOf(correlationOf(event)),
  spanId: eventSpan(event.id),
  parentId: writerOf(event.cause),
})

/** The reaction of a policy or an effect to an event, below the append of the event. */
export const reactionPlace = (name: string, event: Pick<RecordedEvent, 'id' | 'cause'>): SpanPlace => ({
  traceId: traceOf(correlationOf(event)),
  spanId: reactionSpan(name, event.id),
  parentId: eventSpan(event.id),
})

/** Something that a reaction does outside. */
export const belowReaction = (name: string, event: Pick<RecordedEvent, 'id' | 'cause'>): SpanPlace => ({
  traceId: traceOf(correlationOf(event)),
  spanId: undefined,
  parentId: reactionSpan(name, event.id),
})

/**
 * The correlation id of what follows from an event. What a job of the service writes goes by the name of the job for
 * ever, so what follows from one of its events goes by the id of that event.
 */
export const correlationOf = ({ id, cause }: { readonly id: string; readonly cause: Cause }): string =>
  cause.correlationId === cause.actor ? id : cause.correlationId

/** The span of whoever wrote an event; undefined for a job. */
const writerOf = ({ actor, correlationId, causationId }: Cause): string | undefined => {
  if (causationId !== undefined) return reactionSpan(actor, causationId)
  return correlationId === actor ? undefined : requestSpan(correlationId)
}

const requestSpan = (requestId: string) => digits(`request ${requestId}`, 16)
const eventSpan = (eventId: string) => digits(`event ${eventId}`, 16)
const reactionSpan = (name: string, eventId: string) => digits(`reaction ${name} ${eventId}`, 16)

/** So many hex digits that always follow from a text. */
const digits = (text: string, count: number): string => createHash('sha256').update(text).digest('hex').slice(0, count)
