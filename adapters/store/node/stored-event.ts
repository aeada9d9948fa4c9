/** An event as the node holds it. `created` is in ms since 1970; data and metadata are the bytes that were received. */
export type StoredEvent = {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly created: number
  readonly metadata: Uint8Array
  readonly data: Uint8Array
}

/**
 * An event whose data and metadata are shown as the text that they most likely are; bytes that are none become U+FFFD.
 */
export type StoredText = Omit<StoredEvent, 'metadata' | 'data' | 'created'> & {
  readonly metadata: string
  readonly data: string
}

/** The next free position after an event: positions grow by bytes, so nobody comes to rely on steps of one. */
export const positionAfter = (event: StoredEvent): number =>
  event.position + EVENT_OVERHEAD_BYTES + event.data.length + event.metadata.length

/** Bytes that count into a position for every event. */
const EVENT_OVERHEAD_BYTES = 64
