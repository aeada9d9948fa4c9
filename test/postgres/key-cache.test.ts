import { createSecretKey, randomBytes } from 'node:crypto'
import test from 'ava'
import { createKeyCache } from '../../adapters/postgres/vault/key-cache.ts'

const newKey = () => createSecretKey(randomBytes(32))

test('A kept key is answered until it expires a minute later', (t) => {
  let now = 0
  const cache = createKeyCache(() => now)
  const key = newKey()
  t.is(cache.reading('a')(key), key)
  now = 59_999
  t.is(cache.get('a'), key)
  now = 60_000
  t.is(cache.get('a'), undefined)
})

test('A key that was read before an eviction is used once but not kept', (t) => {
  const cache = createKeyCache()
  const keep = cache.reading('a')
  cache.evict('a')
  const key = newKey()
  t.is(keep(key), key)
  t.is(cache.get('a'), undefined)
})

test('The key that was used longest ago leaves when ten thousand are kept', (t) => {
  const cache = createKeyCache()
  const key = newKey()
  for (let n = 0; n < 10_000; n++) cache.reading(`s${n}`)(key)
  cache.get('s0')
  cache.reading('one more')(key)
  t.is(cache.get('s0'), key)
  t.is(cache.get('s1'), undefined)
  t.is(cache.get('one more'), key)
})
