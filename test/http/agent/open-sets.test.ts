import test from 'ava'
import { createOpenSets } from '../../../adapters/http/agent/common/open-sets.ts'
import { Refusal, type RefusalCode } from '../../../domain/kernel/refusal.ts'

/** When asking at a door opens a new set of challenges, and when the one that is open is told again (Q-22, N-21). */

const HALF_LIFE_MS = 1_800_000
const MINUTE_MS = 60_000
/** Fresh sets that one address may cause in a minute. */
const MINTS_MAX = 600
const asked = { resource: 'res_1', ip: '10.0.0.1', caller: 'a browser', terms: 'eth', now: 0 }
type Asked = typeof asked

/** Each set that is opened is the next number; the last paid ones are told to be so. */
const door = () => {
  const sets = createOpenSets<{ set: number; incomplete?: true }>(HALF_LIFE_MS)
  const paid = new Set<number>()
  let opened = 0
  const opens = async () => ({ set: ++opened })
  const unpaid = async ({ set }: { set: number }) => !paid.has(set)
  const ask = async (more: Partial<Asked> = {}, open: () => Promise<{ set: number; incomplete?: true }> = opens) =>
    (await sets.of({ ...asked, ...more }, open, unpaid)).set
  const code = (work: Promise<unknown>) => work.then(() => 'done', codeOf)
  return { ask, code, paid, next: () => ++opened }
}

const codeOf = (error: unknown): RefusalCode => {
  if (error instanceof Refusal) return error.code
  throw error
}
const refusing = (code: RefusalCode) => () => Promise.reject(new Refusal(code, undefined, undefined, 7))

test('Q-22 a set is told again to the same caller for half its life, and another is opened for whoever else asks', async (t) => {
  const { ask } = door()
  t.is(await ask(), 1)
  t.is(await ask({ now: HALF_LIFE_MS - 1 }), 1)
  t.is(await ask({ caller: 'another' }), 2)
  t.is(await ask({ resource: 'res_2' }), 3)
  t.is(await ask({ ip: '10.0.0.2' }), 1, 'who shares a set is said by the caller')
  t.is(await ask({ terms: 'eth and btc' }), 4)
  t.is(await ask(), 5, 'what it depends on has changed back')
  t.is(await ask({ now: HALF_LIFE_MS - 1 }), 5)
  t.is(await ask({ now: HALF_LIFE_MS }), 6)
})

test('Q-22 a set that is paid is told to nobody again, and one that lacks a coin for five minutes', async (t) => {
  const { ask, paid, next } = door()
  t.is(await ask(), 1)
  paid.add(1)
  t.is(await ask(), 2)
  const incomplete = async () => ({ set: next(), incomplete: true }) as const
  t.is(await ask({ caller: 'b' }, incomplete), 3)
  t.is(await ask({ caller: 'b', now: 299_999 }), 3)
  t.is(await ask({ caller: 'b', now: 300_000 }), 4)
})

test('Q-22 of many who look at a paid set at once one opens the next', async (t) => {
  const { ask, paid } = door()
  await ask()
  paid.add(1)
  t.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => ask()))), new Set([2]))
})

test('N-09 Q-22 one address causes a bounded number of new sets in a minute, whoever it says it is, and costs no other any', async (t) => {
  const { ask, code } = door()
  for (let n = 0; n < MINTS_MAX; n++) await ask({ caller: `robot ${n}`, resource: `res_${n % 7}`, now: n })
  const refused = await t.throwsAsync(ask({ caller: 'one more', now: 1_000 }), { instanceOf: Refusal })
  t.like(refused, { code: 'rate-limited', retryAfterS: 59 })
  t.is(await ask({ caller: 'robot 3', resource: 'res_3', now: 1_000 }), 4, 'what is open is told again')
  t.is(await ask({ caller: 'one more', ip: '10.0.0.2', now: 1_000 }), MINTS_MAX + 1)
  t.is(await code(ask({ caller: 'late', now: MINUTE_MS - 1 })), 'rate-limited')
  t.is(await ask({ caller: 'late', now: MINUTE_MS }), MINTS_MAX + 2)
})

test('Q-22 what failed is tried again at once, and a network that holds too much is told so for two seconds', async (t) => {
  const { ask, code } = door()
  t.is(await code(ask({}, refusing('unavailable'))), 'unavailable')
  t.is(await ask(), 1)
  const full = { resource: 'res_2' }
  t.is(await code(ask(full, refusing('rate-limited'))), 'rate-limited')
  t.is(await code(ask({ ...full, caller: 'another', now: 1_999 })), 'rate-limited')
  t.is(await ask({ ...full, ip: '10.0.0.2', caller: 'elsewhere' }), 2)
  t.is(await ask({ resource: 'res_3' }), 3)
  t.is(await ask({ ...full, now: 2_000 }), 4)
})
