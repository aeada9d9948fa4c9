/** Bounds that both stores keep, so that each takes what the other takes. */

/** Most events that one page holds. */
export const PAGE_EVENTS = 500

/**
 * Largest append, in bytes of data, metadata and type name of all its events; the default of an EventStoreDB server.
 */
export const MAX_APPEND_BYTES = 1_048_576

/** Largest single event, in the same bytes. Events are facts, not files: most are below 2,000 bytes. */
export const MAX_EVENT_BYTES = 262_144

/**
 * Largest event that the embedded node takes: an event of the largest size that was written elsewhere must still fit
 * when a copy adds its place in the order.
 */
export const MAX_STORED_EVENT_BYTES = MAX_EVENT_BYTES + 64
