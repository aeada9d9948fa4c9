import { deserialize, serialize } from 'node:v8'

/**
 * What two processes write to each other: a length of four bytes, then values in the form of V8, which keeps whatever
 * a state may hold. It is read only from a peer that has proved to know the secret.
 */

/** Bytes of one frame. */
export const FRAME_BYTES_MAX = 4 * 1_024 * 1_024
const LENGTH_BYTES = 4

/** Undefined when the values are more than a frame takes, or nothing that can be sent. */
export const frameOf = (values: readonly unknown[]): Buffer | undefined => {
  const body = serialized(values)
  if (!body || body.length > FRAME_BYTES_MAX) return undefined
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, LENGTH_BYTES)
  return frame
}

const serialized = (values: readonly unknown[]): Buffer | undefined => {
  try {
    return serialize(values)
  } catch {
    return undefined
  }
}

/** Puts frames together from the pieces in which they come. */
export type FrameReader = {
  /** The values of all frames that are whole now. Throws at a frame that is too large, or that is none. */
  read(piece: Buffer): readonly unknown[]
  /** Whether a part of a frame is waited for. */
  isHalf(): boolean
}

export const createFrameReader = (): FrameReader => {
  let pieces: Buffer[] = []
  let held = 0
  const joined = (): Buffer => {
    const [only] = pieces
    const all = pieces.length === 1 && only ? only : Buffer.concat(pieces, held)
    pieces = [all]
    return all
  }
  /** Bytes up to the end of the frame that comes next, as far as that can be told. */
  const needed = (): number => {
    if (held < LENGTH_BYTES) return LENGTH_BYTES
    const first = pieces[0] as Buffer
    const length = (first.length >= LENGTH_BYTES ? first : joined()).readUInt32BE()
    if (length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes is more than ${FRAME_BYTES_MAX}`)
    return LENGTH_BYTES + length
  }
  return {
    read(piece) {
      pieces.push(piece)
      held += piece.length
      const values: unknown[] = []
      for (let length = needed(); held >= length && length > LENGTH_BYTES; length = needed()) {
        const all = joined()
        const body: unknown = deserialize(all.subarray(LENGTH_BYTES, length))
        if (!Array.isArray(body)) throw new Error('a frame holds no list')
        values.push(...body)
        held -= length
        pieces = held > 0 ? [all.subarray(length)] : []
      }
      return values
    },
    isHalf: () => held > 0,
  }
}
