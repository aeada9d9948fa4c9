import { collectDefaultMetrics, Registry } from 'prom-client'

/**
 * Milliseconds between two looks at how late the event loop is; the lags that are told have them in them. The library
 * looks each 10 ms, which was half of what a process cost that had nothing to do.
 */
const LAG_LOOK_MS = 100

let registry: Registry | undefined

/**
 * What Node tells of this process: memory, event loop, collections of garbage. It is one for all services that a
 * process starts, since the library never stops to look, and would keep alive the whole service whose registry it has.
 */
export const nodeMetrics = (): Registry => {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_LOOK_MS })
  return registry
}
