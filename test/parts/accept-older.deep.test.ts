/** Nobody is told twice, and a fork is accepted in no other way. */
import test from 'ava'
import { startHook } from '../../src/demo/hook.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from '../support/app.ts'
import { SIMULATE, testSale } from '../support/sandbox.ts'
import { ok } from '../support/seller.ts'
import { accept, arrived, count, eventsOf, examined, grant, live, lived, refused } from './lives.ts'

test.serial('a merchant who was told of a payment is not told again, and nothing is booked twice', async (t) => {
  const receiver = await startHook()
  t.teardown(() => receiver.stop())
  const { place } = await lived(t, 'embedded', { OUTBOUND_ALLOW: receiver.hostPort })
  await place.start()
  const app = { call: place.call, receiver } as unknown as TestApp
  const { key, challengeId } = await testSale(app, {}, { webhook: true })
  await ok(app.call('POST', SIMULATE, { key, body: { challengeId } }))
  await eventually('the webhook', () => receiver.posts.length === 1)
  await place.close()
  await arrived(place, 'DeliveryAccepted')
  const before = await eventsOf(place)
  const completed = before.find(({ type }) => type === 'TransactionCompleted')
  await place.cutLog(completed?.position ?? 0n)
  const { told } = await accept(place)
  t.is(told.told, 1)
  await place.start()
  await eventually('policies to have read everything', async () =>
    (await eventsOf(place)).some(({ type }) => type === 'LogSealed'),
  )
  const { json } = await place.call('GET', '/v1/transactions?is_test=1', { key })
  t.is(json.transactions.length, 1)
  await place.close()
  await live(place, 1)
  t.is(receiver.posts.length, 1)
  // Whoever signs up meanwhile is granted credit too.
  const known = new Set(before.map(({ stream }) => stream))
  const events = (await eventsOf(place)).filter(({ stream }) => known.has(stream))
  for (const type of ['TransactionCreated', 'TransactionCompleted', 'ChallengeSettled', 'CreditGranted'])
    t.is(count(events, type), count(before, type), type)
})

test.serial('a fork is accepted in no other way, and not without a reason', async (t) => {
  const { place } = await lived(t, 'embedded')
  const older = await place.copy()
  await live(place, 2)
  const newer = await place.copy()
  await place.putBackAll(older)
  for (let n = 0; n < 12; n++) await grant(place, `other-${n}`)
  await live(place, 0)
  for (const part of ['database', 'mirror', 'witness'] as const) await place.putBack(part, newer)
  t.regex((await refused(t, place)).message, /goes on otherwise[\s\S]*accept-older/)
  await t.throwsAsync(accept(place, '  '), { message: /--reason/ })
  await accept(place)
  await live(place, 1)
  t.like(await examined(place), { ok: true })
})
