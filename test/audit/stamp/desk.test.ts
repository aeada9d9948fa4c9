/** When a head is stamped, and which answers are kept. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { stampedBytes } from '../../../adapters/audit/stamp/ask-stamp.ts'
import { signNewestHead } from '../../../adapters/audit/witness/log-note.ts'
import { createOutbound } from '../../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../../adapters/outbound/url-rules.ts'
import { COSIGNATURES, type CosignatureEvents } from '../../../domain/audit/cosignatures.ts'
import { createStampDesk } from '../../../src/heads/stamp-desk.ts'
import { newDirectory } from '../../store/open.ts'
import { everything } from '../../support/ledger.ts'
import { sealedLog } from '../../support/sealed-log.ts'
import { isStamp, startStampAuthority } from '../../support/stamping.ts'
import { fixedWorld } from '../../support/world.ts'

/** A log with a head, and an authority; each look is that of a process that has just started. */
const place = async (t: ExecutionContext) => {
  const log = sealedLog(t)
  const authority = await startStampAuthority(newDirectory(t))
  t.teardown(() => authority.stop())
  const allow = parseAllowList(new URL(authority.url).host)
  const outbound = createOutbound({ allow, userAgent: 'Daybook-Test/1' })
  t.teardown(() => outbound.close())
  // The authority's clock is the machine's, and a minute behind ours.
  const world = fixedWorld('stamps', new Date(Date.now() + 60_000).toISOString())
  const parts = { exchange: outbound.exchange, world, log: { warn: () => {} } }
  const { ledger } = log.sealing
  return {
    log,
    authority,
    world,
    async grow() {
      await log.write(2)
      await log.seal()
      await signNewestHead(log.sealing, 'shop.example')
    },
    /** Why the stamp failed, if it did. */
    async look() {
      const desk = createStampDesk(parts, authority.url, 60)
      await desk.look(ledger, await ledger.cosignatures.read(COSIGNATURES), new AbortController().signal)
      return desk.failure()
    },
    async stamps() {
      const events = await everything(log.sealing.store)
      return events
        .filter(({ type }) => type === 'HeadStamped')
        .map(({ data }) => data as CosignatureEvents['HeadStamped'])
    },
  }
}

test('a head is stamped once, and the next one after the pause, whatever the clock of the authority says', async (t) => {
  const { authority, world, grow, look, stamps, log } = await place(t)
  await look()
  t.is(authority.asked.length, 0, 'there is no head yet')
  await grow()
  t.is(await look(), undefined)
  await grow()
  await look()
  t.is(authority.asked.length, 1, 'the next one is early')
  world.step(3_600_000)
  await look()
  t.is(authority.asked.length, 2)
  world.step(7_200_000)
  await look()
  t.is(authority.asked.length, 2, 'nothing new is there')
  const kept = await stamps()
  t.is(new Set(kept.map(({ checkpoint }) => checkpoint.size)).size, 2)
  const dir = newDirectory(t)
  for (const { checkpoint, response } of kept) {
    const [data, answer] = [join(dir, 'note'), join(dir, 'tsr')]
    writeFileSync(data, stampedBytes(checkpoint))
    writeFileSync(answer, Buffer.from(response, 'base64'))
    t.true(await isStamp(data, answer, authority.caFile))
  }

  await grow()
  const { checkpoints } = await log.sealing.ledger.cosignatures.read(COSIGNATURES)
  const [{ cosignatures: _, ...checkpoint } = { cosignatures: [] }] = checkpoints
  const ahead = { checkpoint, stampedAt: '2999-01-01T00:00:00.000Z', response: '' }
  await log.sealing.ledger.cosignatures.stamp(COSIGNATURES, ahead as CosignatureEvents['HeadStamped'])
  await grow()
  await look()
  t.is(authority.asked.length, 3)
})

test('an answer that is not the stamp of this head is not kept', async (t) => {
  const { authority, grow, look, stamps } = await place(t)
  await grow()
  await look()
  const [old] = await stamps()
  const before = Buffer.from(old?.response ?? '', 'base64')
  const fresh = await place(t)
  await fresh.grow()
  for (const [answer, says] of [
    [() => Buffer.alloc(0), /^it is no time stamp/],
    [() => Buffer.alloc(100_000, 0x30), /^no answer: answer-too-long$/],
    [() => before, /^it is of something else$/],
    [() => fresh.authority.reply(Buffer.from('3003020101', 'hex')), /^the authority refused, status 2$/],
  ] as const) {
    fresh.authority.answerWith(answer)
    t.regex((await fresh.look()) ?? '', says)
  }
  t.deepEqual(await fresh.stamps(), [])
  fresh.authority.answerWith(undefined)
  t.is(await fresh.look(), undefined)
  t.is((await fresh.stamps()).length, 1)
  await fresh.authority.stop()
  await fresh.grow()
  fresh.world.step(3_600_000)
  t.regex((await fresh.look()) ?? '', /^no answer: /)
  t.is(authority.asked.length, 1)
})
