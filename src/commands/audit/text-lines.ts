import { StringDecoder } from 'node:string_decoder'

/**
 * The lines of a text that are ended by line feeds alone; what stands behind the last one is a line as well.
 * `node:readline` also ends lines at U+2028 and U+2029, which the texts in events may hold as they are.
 */
export async function* textLines(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  for await (const lines of linesByPiece(pieces)) yield* lines
}

/** The same, as many lines at once as a piece of the text ends: a wait for each line costs more than to read it. */
export async function* linesByPiece(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let open = ''
  for await (const piece of pieces) {
    const lines = (open + (typeof piece === 'string' ? piece : decoder.write(piece))).split('\n')
    open = lines.pop() ?? ''
    yield lines
  }
  const rest = open + decoder.end()
  if (rest !== '') yield [rest]
}
