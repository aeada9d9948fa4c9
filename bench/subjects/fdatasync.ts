/** Writes of 4 KB, one after the other, each made durable before the next. The argument is the file. */
import { fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { answering } from '../answering.ts'
import { type Flight, fly } from '../flight.ts'

const PAGE_BYTES = 4_096
/**
 * Bytes of the file, which are written once before, so that no measured write makes it longer: a database reuses its
 * write-ahead log too.
 */
const FILE_BYTES = 16_777_216

const fd = openSync(process.argv[2] ?? '', 'wx')
writeSync(fd, Buffer.alloc(FILE_BYTES, 1))
fsyncSync(fd)
const page = Buffer.alloc(PAGE_BYTES, 2)
let at = 0

await answering<Flight>((flight) =>
  fly(flight, async () => {
    writeSync(fd, page, 0, PAGE_BYTES, at)
    fdatasyncSync(fd)
    at = (at + PAGE_BYTES) % FILE_BYTES
  }),
)
