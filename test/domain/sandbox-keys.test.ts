import test from 'ava'
import fc from 'fast-check'
import { isUseNoted, sandboxKeys } from '../../domain/account/sandbox-keys.ts'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { given, NOW } from '../support/given.ts'

type Event = EventsOf<typeof sandboxKeys>

const START = Date.parse(NOW)
const at = (ms: number) => new Date(START + ms).toISOString()
const HOUR_MS = 3_600_000

const kept = (n: number | string) => ({ keyId: `k${n}`, keyHash: `h${n}`, hint: `sk_test_…${n}` })
const wish = (n: number) => ({ ...kept(n), kind: 'secret' as const, label: null })
const issued = (number: number, issuedAt = NOW): Event => ({
  type: 'SandboxKeyIssued',
  data: { ...wish(number), number, issuedAt },
})
const revoked = (number: number): Event => ({ type: 'SandboxKeyRevoked', data: { number, keyId: `k${number}` } })
const used = (number: number, usedAt: string): Event => ({
  type: 'SandboxKeyUsed',
  data: { number, keyId: `k${number}`, usedAt },
})
const rotated = (number: number): Event => ({
  type: 'SandboxKeyRotated',
  data: { number, ...kept('new'), replacedKeyId: `k${number}` },
})

test('sandbox keys are numbered from 1, and a number is never given twice', (t) => {
  given(t, sandboxKeys).when('issue', wish(1)).yields(issued(1))
  given(t, sandboxKeys, issued(1), revoked(1)).when('issue', wish(2)).yields(issued(2))
  given(t, sandboxKeys, issued(1)).when('issue', wish(1)).yieldsNothing()
})

test('L-JSN-01 K-SBX-04 the eleventh key within an hour is refused with the time to wait, and made after it', (t) => {
  const ten = Array.from({ length: 10 }, (_, n) => issued(n + 1, at(n * 60_000)))
  given(t, sandboxKeys, ...ten)
    .when('issue', wish(11), at(HOUR_MS - 1))
    .isRefused('rate-limited')
  given(t, sandboxKeys, ...ten)
    .when('issue', wish(11), at(HOUR_MS))
    .yields(issued(11, at(HOUR_MS)))
  given(t, sandboxKeys, ...ten, revoked(1), revoked(2))
    .when('issue', wish(11), at(600_000))
    .isRefused('rate-limited')
  const early = () => sandboxKeys.decide.issue(fold(sandboxKeys, ten), wish(11), at(600_000))
  t.is(t.throws(early, { instanceOf: Refusal })?.retryAfterS, 3_000)
})

test('L-JSN-01 in no hour are more than ten keys made, whenever they are asked for', (t) => {
  const gap = fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 2 * HOUR_MS }), fc.constantFrom(0, HOUR_MS / 10, HOUR_MS))
  fc.assert(
    fc.property(fc.array(gap, { minLength: 12, maxLength: 60 }), (gaps) => {
      let now = 0
      let state = sandboxKeys.initial
      const made: number[] = []
      for (const [n, each] of gaps.entries()) {
        now += each
        const within = made.filter((time) => now - time < HOUR_MS).length
        try {
          const events = sandboxKeys.decide.issue(state, wish(n), at(now))
          state = fold(sandboxKeys, events, state)
          made.push(now)
          t.true(within < 10)
        } catch (error) {
          t.true(error instanceof Refusal && error.code === 'rate-limited' && (error.retryAfterS ?? 0) > 0)
          t.is(within, 10)
        }
      }
    }),
  )
})

test('no more than 100 keys are active at once', (t) => {
  const hundred = Array.from({ length: 100 }, (_, n) => issued(n + 1, at(-(200 - n) * HOUR_MS)))
  given(t, sandboxKeys, ...hundred)
    .when('issue', wish(101))
    .isRefused('too-many-keys')
  given(t, sandboxKeys, ...hundred, revoked(50))
    .when('issue', wish(101))
    .yields(issued(101))
})

test('K-SBX-03 X-ROT-01 a rotated key keeps its number and has another secret; one that is gone cannot be rotated', (t) => {
  const command = { number: 1, ...kept('new') }
  given(t, sandboxKeys, issued(1)).when('rotate', command).yields(rotated(1))
  given(t, sandboxKeys, issued(1), rotated(1)).when('rotate', command).yieldsNothing()
  given(t, sandboxKeys).when('rotate', command).isRefused('sandbox-key-not-found')
  given(t, sandboxKeys, issued(1), revoked(1)).when('rotate', command).isRefused('sandbox-key-not-found')
})

test('K-SBX-05 E-404-04 a key is revoked once, and quietly again; one that never was is not found', (t) => {
  given(t, sandboxKeys, issued(1)).when('revoke', { number: 1 }).yields(revoked(1))
  given(t, sandboxKeys, issued(1), revoked(1)).when('revoke', { number: 1 }).yieldsNothing()
  for (const number of [0, 2, -1])
    given(t, sandboxKeys, issued(1)).when('revoke', { number }).isRefused('sandbox-key-not-found')
})

test('K-SBX-10 use is written down once an hour a key, and that of a key that does not work never', (t) => {
  given(t, sandboxKeys, issued(1)).when('noteUse', { keyId: 'k1' }).yields(used(1, NOW))
  const again = given(t, sandboxKeys, issued(1), issued(2), used(1, NOW))
  again.when('noteUse', { keyId: 'k1' }, at(HOUR_MS - 1)).yieldsNothing()
  again.when('noteUse', { keyId: 'k1' }, at(HOUR_MS)).yields(used(1, at(HOUR_MS)))
  again.when('noteUse', { keyId: 'k2' }).yields(used(2, NOW))
  for (const history of [[issued(1), revoked(1)], [issued(1), rotated(1)], []])
    given(t, sandboxKeys, ...history)
      .when('noteUse', { keyId: 'k1' })
      .isRefused('key-invalid')
  const state = fold(sandboxKeys, [issued(1), used(1, NOW)])
  t.deepEqual([isUseNoted(state, 'k1', at(1)), isUseNoted(state, 'k1', at(HOUR_MS))], [true, false])
  t.false(isUseNoted(state, 'k2', NOW))
})
