import test from 'ava'
import { createPasswords } from '../adapters/crypto/passwords.ts'
import { Refusal } from '../domain/kernel/refusal.ts'
import { passwordFault } from '../domain/signin/password-rules.ts'

// One at a time: the flood keeps both hashing places busy.

test.serial('X-HASH-01 a password is kept as an argon2id hash with its own salt', async (t) => {
  const { hash } = createPasswords()
  const [one, two] = await Promise.all([hash('correct horse battery'), hash('correct horse battery')])
  t.regex(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.not(one, two)
  t.false(one.includes('correct'))
})

test.serial('the right password verifies and a wrong one does not', async (t) => {
  const { hash, verify } = createPasswords()
  const stored = await hash('correct horse battery')
  t.true(await verify(stored, 'correct horse battery'))
  for (const wrong of ['correct horse batterz', 'Correct horse battery', 'correct horse battery ', '']) {
    t.false(await verify(stored, wrong), wrong)
  }
})

test.serial('the same word typed in another Unicode form verifies', async (t) => {
  const { hash, verify } = createPasswords()
  const stored = await hash('Ångström ﬁle Ⅷ ｆｕｌｌ')
  t.true(await verify(stored, 'A\u030angstro\u0308m file VIII full'))
  t.false(await verify(stored, 'Angstrom file VIII full'))
})

test.serial('a flood of hashes is refused as busy beyond those that may wait, and passes', async (t) => {
  const { hash, verify } = createPasswords()
  const stored = await hash('correct horse battery')
  const flood = await Promise.allSettled(Array.from({ length: 150 }, () => verify(stored, 'correct horse battery')))
  const answered = flood.filter((outcome) => outcome.status === 'fulfilled')
  const refused = flood.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  t.is(answered.length, 102)
  t.true(answered.every((outcome) => outcome.value))
  t.true(refused.every((reason) => reason instanceof Refusal && reason.code === 'busy'))
  t.true(await verify(stored, 'correct horse battery'))
})

test.serial('a stored text that is no hash is an error and frees its place', async (t) => {
  const { hash, verify } = createPasswords()
  for (let n = 0; n < 3; n += 1) await t.throwsAsync(verify('plain', 'plain'))
  t.truthy(await hash('correct horse battery'))
})

test('N-59 a password has 8 to 256 characters and is none that is tried first', (t) => {
  for (const good of ['correct horse battery', 'ünïcödé', '😀😀🙂🙂😀😀🙂🙂', 'x1y2z3w4', 'ab'.repeat(128)])
    t.is(passwordFault(good.padEnd(8, '-'), 'ada@a.test'), undefined, good)
  for (const bad of [
    '1234567',
    'x'.repeat(257),
    'ADA.LOVELACE',
    'ada.lovelace@a.test',
    'Daybook2026',
    'ｐａｓｓｗｏｒｄ',
    'qwertyuiop',
    '11111111',
    '        ',
  ])
    t.not(passwordFault(bad, 'ada.lovelace@a.test'), undefined, bad)
})

test('N-59 a hash of nobody is as slow as one of somebody and never right, and one of an older cost is told apart', async (t) => {
  const passwords = createPasswords()
  t.false(await passwords.verify(undefined, 'correct horse battery'))
  const hash = await passwords.hash('correct horse battery')
  t.false(passwords.outdated(hash))
  t.true(passwords.outdated(hash.replace('m=19456', 'm=4096')))
  const took = async (known: string | undefined) => {
    const began = performance.now()
    await passwords.verify(known, 'wrong')
    return performance.now() - began
  }
  // The quickest of many, one after the other in turn: a busy machine makes some of them slow, and none quick.
  let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let n = 0; n < 20; n++) {
    known = Math.min(known, await took(hash))
    unknown = Math.min(unknown, await took(undefined))
  }
  t.true(unknown > known / 3 && unknown < known * 3, `${known} ms and ${unknown} ms`)
})
