import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'ava'
import fc from 'fast-check'
import { openedCsv } from '../adapters/csv/opened.ts'
import type { Queries } from '../projections/index.ts'

/** Sealed cells of a CSV are opened on the way to its reader. */

const vault = async () => ({ open: async (sealed: string) => (sealed === 'gone' ? undefined : sealed.toUpperCase()) })

/** A database that answers this CSV, with a sealed text in the place of each {…}, in pieces of these sizes. */
const answering = (csv: string, sizes: readonly number[]): Queries => {
  const pieces = (mark: string) => {
    const bytes = Buffer.from(csv.replace(/\{(.*?)\}/g, `${mark}$1${mark}`))
    const cut: Buffer[] = []
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length] ?? 1
      cut.push(bytes.subarray(at, at + size))
      at += size
    }
    return cut
  }
  return {
    sealsTransactions: async () => true,
    transactionsCsv: async (_account: string, _filter: object, { mark }: { mark: string }) =>
      Readable.from(pieces(mark), { objectMode: false }),
  } as unknown as Queries
}

test('M-TXN-07 J-TXN-05 a sealed cell is opened wherever the file is cut, quoted as it must be, and nothing else is touched', async (t) => {
  const csv = 'id,billing\n1,{ada}\n2,\n3,"{no"\n4,{=1+1},{a "b"},{gone}\n5,ünï{é}'
  const opened = 'id,billing\n1,"ADA"\n2,\n3,"{no"\n4,"\'=1+1","A ""B""","(erased)"\n5,ünï"É"'
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
      t.is(await text(await openedCsv(answering(csv, sizes), vault)), opened)
    }),
    { numRuns: 100 },
  )
})

test('a database that fails on the way fails the file', async (t) => {
  const failing = Object.assign(answering('', [1]), {
    transactionsCsv: async () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('id\n')
          throw new Error('the connection is gone')
        })(),
        { objectMode: false },
      ),
  })
  await t.throwsAsync(async () => text(await openedCsv(failing, vault)), { message: 'the connection is gone' })
})
