import test from 'ava'
import fc from 'fast-check'
import { csvCell } from '../../adapters/csv/cell.ts'
import { CsvFault, readCsv } from '../../adapters/input/csv.ts'

/** The reader of CSV: what is written strictly comes back, and nothing else is taken. */

const BOUNDS = { rows: 50, columns: 20, cell: 200 }
const read = (text: string, bounds = BOUNDS) => readCsv(Buffer.from(text), bounds)
const cellsOf = (text: string) => read(text).map(({ cells }) => [...cells])
const faultOf = (file: string | Buffer, bounds = BOUNDS): string => {
  try {
    readCsv(Buffer.from(file as string), bounds)
    return 'taken'
  } catch (error) {
    if (error instanceof CsvFault) return error.message
    throw error
  }
}

test('N-106 cells come back as they were written, in quotes or without, whatever ends the lines', (t) => {
  t.deepEqual(cellsOf('a,b\r\n"c ""d"", e","f\r\ng"\n,\n'), [
    ['a', 'b'],
    ['c "d", e', 'f\ng'],
    ['', ''],
  ])
  t.deepEqual(cellsOf('\ufeffa,b'), [['a', 'b']], 'a mark at the beginning is no text')
  t.deepEqual(cellsOf('a\rb\n\n\nc'), [['a'], ['b'], ['c']])
  t.deepEqual(
    read('a\n\n"b\nc"\nd').map(({ row }) => row),
    [1, 3, 4],
    'rows are counted as a spreadsheet does',
  )
  t.deepEqual(cellsOf(''), [])
})

test('N-106 a file that two readers could understand differently, or that is too large, is refused with the row', (t) => {
  const wrong: readonly (readonly [file: string | Buffer, said: RegExp])[] = [
    ['a,b\nc,"d', /Row 2 .*not closed/],
    ['"', /Row 1 .*not closed/],
    ['a,b"c"', /Row 1 .*quote within/],
    ['"a"b,c', /Row 1 .*behind the quotes/],
    ['a\0b', /NUL/],
    [Buffer.from([0xff, 0xfe, 0x61, 0]), /UTF-8/],
    [`a\n${','.repeat(20)}`, /Row 2 .*20 columns/],
    [','.repeat(1_000_000), /Row 1 .*columns/],
    ['a'.repeat(201), /Row 1 .*200 characters/],
    [`"${'""'.repeat(200)}"`, /Row 1 .*200 characters/],
    ['a\n'.repeat(51), /more than 50 rows/],
    ['\n'.repeat(51), /more than 50 rows/],
  ]
  for (const [file, said] of wrong) t.regex(faultOf(file), said, JSON.stringify(file.toString().slice(0, 30)))
})

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é', '=', '😀'), maxLength: 12 })

test('N-106 what our own exports write is read back, cell by cell', (t) => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 8 }), (rows) => {
      const text = rows.map((row) => row.map(csvCell).join(',')).join('\r\n')
      const inert = rows.map((row) => row.map((each) => (/^[=\n]/.test(each) ? `'${each}` : each)))
      t.deepEqual(cellsOf(text), inert)
    }),
  )
})

test('N-106 any bytes at all are either read within the bounds, or refused', (t) => {
  const piece = fc.constantFrom('"', '""', ',', '\n', '\r\n', '\r', 'a', 'Handle', '\0', 'ÿ', '\ufeff', ' ')
  const file = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''))),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  )
  fc.assert(
    fc.property(file, (bytes) => {
      const bounds = { rows: 10, columns: 5, cell: 20 }
      try {
        for (const { row, cells } of readCsv(bytes, bounds)) {
          t.true(row >= 1 && row <= 10 && cells.length <= 5)
          t.true(cells.every((each) => each.length <= 20 && !each.includes('\0')))
        }
      } catch (error) {
        t.true(error instanceof CsvFault, String(error))
      }
    }),
    { numRuns: 1_000 },
  )
})
