import type { StoredBytes } from '../base/bytes.ts'

/**
 * A stored event as one line of JSON, from which the same bytes come again at the same position. Unlike the line that
 * is sealed, it keeps what a copy of the log has added to the metadata.
 */
export const storedLine = (event: StoredBytes): string => {
  const { position, stream, revision, id, type, contentType, metadata, data } = event
  const place = { position: String(position), stream, revision: String(revision) }
  return JSON.stringify({ ...place, id, type, contentType, metadata: partOf(metadata), data: partOf(data) })
}

/** The event of a line. Throws when it is none. */
export const storedEvent = (line: string): StoredBytes => {
  const given = JSON.parse(line) as Readonly<Record<string, unknown>>
  const text = (name: string): string => {
    const value = given[name]
    if (typeof value !== 'string') throw new Error(`it has no ${name}`)
    return value
  }
  return {
    position: BigInt(text('position')),
    stream: text('stream'),
    revision: BigInt(text('revision')),
    id: text('id'),
    type: text('type'),
    contentType: text('contentType'),
    metadata: bytesOf(given.metadata, 'metadata'),
    data: bytesOf(given.data, 'data'),
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text where the bytes are UTF-8, as all that Daybook writes are; else base64 in an object. */
const partOf = (bytes: Uint8Array): string | { readonly base64: string } => {
  try {
    return decoder.decode(bytes)
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') }
  }
}

const bytesOf = (part: unknown, name: string): Uint8Array => {
  if (typeof part === 'string') return Buffer.from(part)
  const { base64 } = (part ?? {}) as { base64?: unknown }
  if (typeof base64 !== 'string') throw new Error(`it has no ${name}`)
  return Buffer.from(base64, 'base64')
}
