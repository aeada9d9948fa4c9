import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../settings/config.ts'
import { openTracer } from '../tracing/open.ts'
import { businessCounters } from './business.ts'

/** What counts and traces while the engine works, and the registry that its counts are in. */
export const openObservers = async (
  { traces }: Pick<Config, 'traces'>,
  log: Logger,
  closing: (close: () => unknown) => void,
) => {
  const registry = new Registry()
  const { count } = businessCounters(registry)
  const tracer = await openTracer(traces, `${hostname()}-${process.pid}`, log)
  closing(() => tracer?.close())
  return { registry, count, tracer }
}
