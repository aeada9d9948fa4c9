/** A file of an exported log is read line by line, whatever its texts hold. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { lastLinesIn, linesIn } from '../../src/commands/audit/verify.ts'
import { newDirectory } from '../store/open.ts'

const lines = Array.from({ length: 2_500 }, (_, n) =>
  JSON.stringify({ order: String(n), type: 'ThingDone', data: { text: 'a\u2028b\u2029c\u0085 ☃' } }),
)

for (const [name, end] of [
  ['line feeds', '\n'],
  ['carriage returns too', '\r\n'],
] as const)
  test(`a line ends with ${name}, and not at a separator within a text`, async (t) => {
    const file = join(newDirectory(t), 'log.jsonl')
    writeFileSync(file, lines.join(end) + end)
    const found = (await Array.fromAsync(linesIn(file))).flat()
    t.deepEqual(
      found.map(({ line }) => line),
      lines,
    )
    t.deepEqual(
      lastLinesIn(file, 7).map(({ line }) => line),
      lines.slice(-7),
    )
  })

test('a line that is no event is named', async (t) => {
  const file = join(newDirectory(t), 'log.jsonl')
  writeFileSync(file, `${lines.slice(0, 3).join('\n')}\nno event\n`)
  await t.throwsAsync(Array.fromAsync(linesIn(file)), { message: /^line 4 of .* is not an event of a log$/ })
})
