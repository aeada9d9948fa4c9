/** The sizes that all contestants of the append sets have in common. */

/** Bytes of one event's data as JSON. */
export const EVENT_BYTES = 1_048
/** Streams that spread appends go to; a lane of those in flight has its share of them to itself. */
export const ACCOUNTS = 1_024
