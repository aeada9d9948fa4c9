/** What is put back from a mirror is what the log held. */
import test from 'ava'
import { copyOf } from '../../adapters/store/base/bytes.ts'
import { mirroredBytes } from '../../adapters/store/mirror/stored-bytes.ts'
import { newDirectory } from './open.ts'
import { mirror, unusualLog } from './unusual-log.ts'

test('the events of a mirror are those of the log byte for byte, with their place in its order', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(30)
  const dir = newDirectory(t)
  await mirror(t, place, dir)
  const head = await place.store.head()
  const base = (await place.store.origin())?.base ?? 0n
  const expected = (await Array.fromAsync(place.bytes.readAll(-1n, head))).flat()
  const found = (await Array.fromAsync(mirroredBytes(dir).readAll(-1n, head))).flat()
  t.true(expected.length > 30)
  t.deepEqual(
    found.map(plain),
    expected.map((event) => plain(copyOf(event, base))),
  )
})

const plain = ({ id, stream, revision, position, type, contentType, data, metadata }: ReturnType<typeof copyOf>) => ({
  id,
  stream,
  revision,
  position,
  type,
  contentType,
  bytes: [Buffer.from(data).toString('base64'), Buffer.from(metadata).toString('base64')],
})
