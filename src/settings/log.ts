import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/**
 * Lines are written together once there are this many bytes of them, or after this many milliseconds: a write for each
 * would cost more than its request.
 */
const WRITE_BYTES = 8_192
const WRITE_AFTER_MS = 250

/**
 * The service's log: JSON lines on the output, without secrets. A kill loses at most the last quarter of a second of
 * it.
 */
export const createLog = ({ logLevel }: Pick<Config, 'logLevel'>): { log: Logger; close(): void } => {
  const output = pino.destination({ dest: 1, sync: false, minLength: WRITE_BYTES })
  const timer = setInterval(() => output.flush(), WRITE_AFTER_MS).unref()
  const log = pino(
    {
      level: logLevel,
      base: { service: 'daybook' },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['*.password', '*.apiKey', '*.secret', '*.token', 'headers["x-api-key"]', 'headers.authorization'],
    },
    output,
  )
  return {
    log,
    close() {
      clearInterval(timer)
      output.flushSync()
    },
  }
}
