import type { TraceSettings } from '../settings/observing.ts'
import type { TraceLog } from './open-telemetry.ts'
import type { Tracer } from './tracer.ts'

/** Opens the tracer that the settings ask for. Without one, not even its packages are loaded. */
export const openTracer = async (
  settings: TraceSettings | undefined,
  instance: string,
  log: TraceLog,
): Promise<Tracer | undefined> =>
  settings && (await import('./open-telemetry.ts')).openTelemetry(settings, instance, log)
