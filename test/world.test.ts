import test from 'ava'
import fc from 'fast-check'
import { world } from '../src/settings/world.ts'
import { anyCharacter } from './support/any-character.ts'

test('an id is its prefix and 26 characters of base32, and no two are the same', (t) => {
  const ids = Array.from({ length: 10_000 }, () => world.id('acc'))
  for (const id of ids) t.regex(id, /^acc_[a-z2-7]{26}$/)
  t.is(new Set(ids).size, ids.length)
  const used = new Set(ids.flatMap((id) => [...id.slice(4)]))
  t.is(used.size, 32)
  for (let place = 4; place < 30; place++) t.is(new Set(ids.map((id) => id[place])).size, 32, `place ${place}`)
})

test('an id made from parts is the same for the same parts, and tells where one part ends', (t) => {
  t.regex(world.idFrom('res', 'a', 'b'), /^res_[a-z2-7]{26}$/)
  t.is(world.idFrom('res', 'a', 'b'), world.idFrom('res', 'a', 'b'))
  const apart = [['ab', 'c'], ['a', 'bc'], ['abc'], ['', 'abc'], ['abc', ''], ['2:ab', 'c'], ['é'], ['e', '\u0301'], []]
  for (const make of [world.uuidFrom, world.numberFrom, (...p: string[]) => world.idFrom('x', ...p)])
    t.is(new Set(apart.map((parts) => make(...parts))).size, apart.length)
})

test('a UUID made from parts is a valid one of version 8', (t) => {
  const valid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (parts) => void t.regex(world.uuidFrom(...parts), valid)),
  )
})

test('a number made from parts has 52 bits: exact in JSON, and 16 digits long', (t) => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const number = world.numberFrom(...parts)
      t.true(Number.isSafeInteger(number) && number >= 2 ** 51 && number < 2 ** 52)
      t.is(String(number).length, 16)
      t.is(JSON.parse(JSON.stringify(number)), number)
    }),
  )
})

test('a secret has two hex characters a byte, and no two are the same', (t) => {
  for (const bytes of [1, 8, 32]) t.regex(world.secret(bytes), new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
  t.is(new Set(Array.from({ length: 1_000 }, () => world.secret(16))).size, 1_000)
})

test('what is stored of a secret is its SHA-256', (t) => {
  t.is(world.digest('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('the clock is that of this machine, and a pause lets the process end', async (t) => {
  const before = Date.now()
  await Promise.all([world.pause(20), new Promise((resolve) => setTimeout(resolve, 30))])
  t.true(world.now().getTime() - before >= 19)
})
