import { SpanKind as Kind, ROOT_CONTEXT, type SpanContext, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { inTime } from '../../adapters/timing/time-limit.ts'
import type { TraceSettings } from '../settings/observing.ts'
import { type SpanPlace, traceparentOf } from './places.ts'
import type { SpanKind, Tracer } from './tracer.ts'

/** Spans by OpenTelemetry, sent by OTLP over HTTP as JSON. This file alone loads its packages. */

const SERVICE = 'daybook'
/** Spans that wait to be sent at most; those beyond are dropped, and a request never waits for them. */
const QUEUE_MAX = 8_192
const BATCH_MAX = 512
const SEND_EVERY_MS = 1_000
const SEND_LIMIT_MS = 10_000
/** Milliseconds that a stop waits for the last spans. */
const CLOSE_LIMIT_MS = 3_000

export type TraceLog = { warn(fields: object, message: string): void }

/** @param instance tells this process from the others */
export const openTelemetry = ({ url, headers, ratio }: TraceSettings, instance: string, log: TraceLog): Tracer => {
  const exporter = telling(new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: SEND_LIMIT_MS }), log)
  const ids = chosenIds()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': SERVICE, 'service.instance.id': instance }),
    // Decided by the trace id alone, so that every process decides alike.
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: 256 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUE_MAX,
        maxExportBatchSize: BATCH_MAX,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_LIMIT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer(SERVICE)
  return {
    begin(name, kind, place, attributes = {}) {
      const begun = ids.at(place, () => tracer.startSpan(name, { kind: KINDS[kind], attributes }, parentContext(place)))
      const { traceId, spanId, traceFlags } = begun.spanContext()
      return {
        traceparent: traceFlags === TraceFlags.SAMPLED ? traceparentOf(traceId, spanId) : undefined,
        end(more, error) {
          if (more) begun.setAttributes(more)
          // The text of an error may repeat what a caller sent.
          if (error !== undefined)
            begun.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'failed' })
          begun.end()
        },
      }
    },
    async close() {
      await inTime(provider.shutdown(), undefined, CLOSE_LIMIT_MS)
    },
  }
}

const KINDS: Readonly<Record<SpanKind, Kind>> = { request: Kind.SERVER, inside: Kind.INTERNAL, call: Kind.CLIENT }

const parentContext = ({ traceId, parentId }: SpanPlace) => {
  if (parentId === undefined) return ROOT_CONTEXT
  const parent: SpanContext = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
  return trace.setSpanContext(ROOT_CONTEXT, parent)
}

/** The ids of a span are those of its place. A span is begun within one turn, so nobody comes between. */
const chosenIds = () => {
  const random = new RandomIdGenerator()
  let chosen: SpanPlace | undefined
  const generator: IdGenerator & { at<T>(place: SpanPlace, begin: () => T): T } = {
    generateTraceId: () => chosen?.traceId ?? random.generateTraceId(),
    generateSpanId: () => chosen?.spanId ?? random.generateSpanId(),
    at(place, begin) {
      chosen = place
      try {
        return begin()
      } finally {
        chosen = undefined
      }
    },
  }
  return generator
}

/** Says once when spans cannot be sent, and once when they can again. */
const telling = (exporter: SpanExporter, log: TraceLog): SpanExporter => {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && !isFailing)
          log.warn({ reason: result.error.message }, 'traces cannot be sent, trying again')
        isFailing = result.error !== undefined
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
