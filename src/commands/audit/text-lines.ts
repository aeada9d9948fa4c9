import { createReadStream } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

/**
 * The lines of a file that are ended by line feeds alone. `node:readline` also ends lines at U+2028 and U+2029, which
 * the texts in events may hold as they are.
 */
export async function* textLines(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let open = ''
  for await (const piece of createReadStream(file)) {
    const lines = (open + decoder.write(piece as Buffer)).split('\n')
    open = lines.pop() ?? ''
    yield* lines
  }
  const rest = open + decoder.end()
  if (rest !== '') yield rest
}
