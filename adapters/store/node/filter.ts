/** Server-side filters of the whole log: by stream name or event type, by prefix or regular expression. */
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { StoredEvent } from './stored-event.ts'

export type EventFilter = {
  shows(event: StoredEvent): boolean
  /** A checkpoint is sent after this many events were looked at. */
  readonly checkpointEvery: number
}

/** Undefined when nothing is to be filtered. Throws SyntaxError on an expression that is none. */
export const eventFilter = (options: ReadReq.Options.FilterOptions | undefined): EventFilter | undefined => {
  const expression = options?.getStreamIdentifier() ?? options?.getEventType()
  if (!options || !expression) return undefined
  const name = options.hasStreamIdentifier() ? (event: StoredEvent) => event.stream : (event: StoredEvent) => event.type
  const prefixes = expression.getPrefixList()
  const pattern = regularExpression(expression.getRegex())
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW_EVENTS
  return {
    shows: (event) => (pattern ? pattern.test(name(event)) : prefixes.some((prefix) => name(event).startsWith(prefix))),
    checkpointEvery: Math.max(1, window * Math.max(1, options.getCheckpointintervalmultiplier())),
  }
}

/** Events that a filter looks at before it reports where it is, when the client names no window. */
const DEFAULT_WINDOW_EVENTS = 32
const MAX_PATTERN_LENGTH = 1_000

const regularExpression = (text: string): RegExp | undefined => {
  if (text.length > MAX_PATTERN_LENGTH) throw new SyntaxError(`a filter has at most ${MAX_PATTERN_LENGTH} characters`)
  return text ? new RegExp(text, 'u') : undefined
}
