/** What callers sent, as far as a message repeats it: as much as helps them to find it, whatever its length. */

/** Bytes of a message in all, in UTF-8. */
export const MESSAGE_MAX_BYTES = 2_048
/** Characters of a name or a value that are repeated. */
const NAME_MAX = 64

const CUT = '…'

/** A name or a value that a caller sent, as a message repeats it: quoted, and cut where it is long. */
export const quotedText = (text: string): string => JSON.stringify(cutText(text, NAME_MAX))

/** A text cut to at most `max` characters, the mark of the cut included; no character is cut in two. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - CUT.length).replace(HALF, '')}${CUT}`

/** The first half of a character, at the end of a text. */
const HALF = /[\uD800-\uDBFF]$/

/** A text cut to at most `max` bytes of UTF-8, the mark of the cut included; no character is cut in two. */
export const withinBytes = (text: string, max: number): string => {
  if (text.length * 3 <= max || Buffer.byteLength(text) <= max) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max - Buffer.byteLength(CUT)))
  return `${text.slice(0, read)}${CUT}`
}
