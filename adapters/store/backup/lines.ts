/** Lines of text in pieces, and pieces in lines; both at flat memory. */

/** A line of a backup that is longer is none: an event has a megabyte at most, and a picture a few. */
const LINE_CHARACTERS_MAX = 64 * 1_024 * 1_024
/** Characters that are handed on together. */
const PIECE_CHARACTERS = 65_536

/** The lines, joined into pieces that are worth to be compressed. */
export async function* textOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let [held, size]: [string[], number] = [[], 0]
  for await (const line of lines) {
    held.push(line, '\n')
    size += line.length
    if (size < PIECE_CHARACTERS) continue
    yield held.join('')
    held = []
    size = 0
  }
  if (held.length > 0) yield held.join('')
}

/** The lines of a text. Throws when a line does not end. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_CHARACTERS_MAX) throw new Error('a line is too long')
    yield* lines
  }
  if (rest !== '') throw new Error('the last line does not end')
}
