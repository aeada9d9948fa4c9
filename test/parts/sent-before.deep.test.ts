/** Going on knowingly with a log that has lost its end. */
import { existsSync, readdirSync } from 'node:fs'
import test from 'ava'
import { accept, arrived, eventsOf, examined, grant, live, lived, refused } from './lives.ts'

test.serial('what was sent before the cut arrives once, though its arrival was lost', async (t) => {
  const { place } = await lived(t, 'embedded')
  await grant(place, '1')
  await arrived(place, 'BalanceReceived')
  await live(place, 1)
  const sent = (await eventsOf(place)).find(({ type }) => type === 'CreditGrantSent')
  await place.cutLog(sent?.position ?? 0n)
  t.regex((await refused(t, place)).message, /daybook log accept-older --reason/)
  const { told } = await accept(place)
  t.true(told.gone > 0)
  await arrived(place, 'BalanceReceived')
  const events = await eventsOf(place)
  t.is(events.filter(({ type }) => type === 'BalanceReceived').length, 1)
  const fellBack = events.find(({ position }) => position > (sent?.position ?? 0n))
  t.like(fellBack, { type: 'LogFellBack', data: { reason: 'a disk broke', gone: told.gone, head: { id: sent?.id } } })
  t.is(events.filter(({ type }) => type === 'LogFellBack').length, 1)
  // What had seen more is kept beside, by how far it had come, and everything fits again.
  for (const file of told.kept) t.true(existsSync(file), file)
  t.true(readdirSync(place.config().dataDir).some((name) => /^mirror-\d+$/.test(name)))
  t.true(readdirSync(place.config().dataDir).some((name) => /^heads-\d+\.jsonl$/.test(name)))
  await live(place, 1)
  t.like(await examined(place), { ok: true })
  await t.throwsAsync(accept(place), { message: /nothing to accept/ })
})
