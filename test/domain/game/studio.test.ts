/** The studio without a service: options, quotes, pictures, and fees that come to an end whatever happens. */
import test from 'ava'
import fc from 'fast-check'
import { localArtist } from '../../../adapters/studio/artist.ts'
import { type Artist, isPicture } from '../../../domain/game/studio/artist.ts'
import { chosenWork, optsText } from '../../../domain/game/studio/options.ts'
import { quoteEnds, quoteFor, signedQuote } from '../../../domain/game/studio/quote.ts'
import { CLASSES } from '../../../domain/game/world/classes.ts'
import { works } from '../../../domain/game/world/works.ts'
import type { EventStore, RecordedEvent } from '../../../domain/kernel/ports.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { drawStudioWorks } from '../../../domain/reactions/effects/draw-studio-works.ts'
import { pictureOf } from '../../../domain/use-cases/game/studio.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { around, ledgerOn, runPolicies } from '../../support/ledger.ts'
import { openVault } from '../../support/open-vault.ts'
import { checkStudio, checkStudioRest, MEMBER, orderOn, quoteOn, studioMember } from '../../support/studio.ts'
import { fixedWorld } from '../../support/world.ts'
import { codeOf } from '../flow-setup.ts'

const UNITS = 60
const GRANT = 45
const world = fixedWorld()
const signing = { world, vault: openVault(world) }

/** Any work with any of its options, and some left out. */
const wish = fc.constantFrom(...Object.keys(works)).chain((slug) => {
  const options = Object.entries(works[slug]?.options ?? {}).map(([name, option]) => [
    name,
    'values' in option
      ? fc.constantFrom(...Object.keys(option.values))
      : fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)),
  ])
  return fc.record({ slug: fc.constant(slug), opts: fc.record(Object.fromEntries(options), { requiredKeys: [] }) })
})
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('</text><script>', '"><a href=x>', '\u0000&amp;', ']]>'),
)

test('G-STU-02 what is left out is the first of its values, and to say it again costs the same', (t) => {
  fc.assert(
    fc.property(wish, ({ slug, opts }) => {
      const { opts: all, priceUnits } = chosenWork(slug, opts as Record<string, string>)
      t.deepEqual(chosenWork(slug, all), { opts: all, priceUnits })
      t.is(optsText(Object.fromEntries(Object.entries(all).reverse())), optsText(all))
      t.deepEqual(Object.keys(all).sort(), Object.keys(works[slug]?.options ?? {}).sort())
      t.true(Number.isSafeInteger(priceUnits) && priceUnits >= (works[slug]?.units ?? 1e9))
    }),
  )
})

test('G-STU-02 a quote is good for what it says, to its link, for five minutes of one day', async (t) => {
  const quoted = { slug: 'emblem', characterId: 7, priceUnits: 15, expiresAt: '2026-03-02T10:05:00.000Z', opts: 'o' }
  const quote = signedQuote(signing, 'gln_1', quoted)
  const { opts: _, ...said } = quoted
  t.deepEqual(quoteFor(signing, 'gln_1', quote, quoted), said)
  const ask = async (link: string, text: string, order: object = {}) =>
    codeOf((async () => quoteFor(signing, link, text, { ...quoted, ...order }))())
  t.is(await ask('gln_2', quote), 'quote-mismatch')
  for (const order of [{ slug: 'banner' }, { characterId: 8 }, { opts: 'p' }])
    t.is(await ask('gln_1', quote, order), 'quote-mismatch')
  for (let i = 0; i < quote.length; i++) {
    const other = quote[i] === '1' ? '2' : '1'
    const tampered = `${quote.slice(0, i)}${other}${quote.slice(i + 1)}`
    t.true(['quote-mismatch', 'invalid-request'].includes(await ask('gln_1', tampered)), tampered)
  }
  for (const rest of ['', '.', 'q1', quote.slice(0, -1), `${quote}0`, `${quote}.`])
    t.not(await ask('gln_1', rest), 'done', rest)
  t.is(quoteEnds('2026-03-02T10:00:00.000Z'), '2026-03-02T10:05:00.000Z')
  t.is(quoteEnds('2026-03-02T23:57:00.000Z'), '2026-03-03T00:00:00.000Z')
})

test('G-STU-02 every work of every character is a picture, whatever it is named, and the same each time', async (t) => {
  const work = fc.record({
    jobId: fc.string(),
    wish,
    words: text,
    sitter: fc.record({ name: text, class: fc.constantFrom(...CLASSES), level: fc.integer({ min: 1, max: 99 }) }),
  })
  await fc.assert(
    fc.asyncProperty(work, async ({ jobId, wish, words, sitter }) => {
      const { opts } = chosenWork(wish.slug, wish.opts as Record<string, string>)
      const asked = { jobId, slug: wish.slug, sitter, opts: { ...opts, ...('words' in opts && { words }) } }
      const picture = await localArtist.draw(asked)
      t.true(isPicture(picture), picture)
      t.is(await localArtist.draw(asked), picture)
      // Every `<` begins an element of ours, every `&` a character that was escaped.
      t.notRegex(picture, /<(?!\/?(?:svg|title|g|clipPath|path|rect|circle|ellipse|text)[ />])|&(?!#\d+;)/)
    }),
    { numRuns: 300 },
  )
})

test('G-STU-02 a picture that was drawn once is drawn the same for ever', async (t) => {
  const sitter = { name: 'Ada', class: 'envoy', level: 3 } as const
  const drawn: Record<string, string> = {}
  for (const slug of Object.keys(works))
    drawn[slug] = world
      .digest(await localArtist.draw({ jobId: 'job_1', slug, sitter, ...chosenWork(slug, {}) }))
      .slice(0, 16)
  // Orders of long ago are drawn by today's artist: another digest here is a broken picture there.
  t.deepEqual(drawn, DRAWN)
})

test('G-STU-02 what is no picture, runs, fetches or is too long is not shown', (t) => {
  const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`
  t.true(isPicture(svg('<rect/>')))
  const bad = [
    '<script>',
    '<image/>',
    '<a >',
    '<g onload="x">',
    '<g href="x">',
    '<g fill="url(https://x)">',
    '<!DOCTYPE>',
  ]
  for (const inside of [...bad, 'x'.repeat(70_000)]) t.false(isPicture(svg(inside)), inside.slice(0, 40))
  for (const answer of ['', 'no', undefined, 5, {}, '<html></html>']) t.false(isPicture(answer))
})

const artists: Readonly<Record<string, Artist['draw']>> = {
  draws: localArtist.draw,
  fails: async () => Promise.reject(new Error('no colours left')),
  throws: () => {
    throw new Error('at once')
  },
  hangs: () => new Promise(() => {}),
  babbles: async () => 'a lovely picture',
  empties: async () => undefined as unknown as string,
}

/** Draws what waits, in a process that may die; none reads the log as it is being written. */
const drawAll = async (store: EventStore, events: readonly RecordedEvent[], draw: Artist['draw']) => {
  const own = fixedWorld(`artist ${events.length}`)
  const context = { ledger: ledgerOn(store, own), world: own, vault: openVault(own), artist: { draw } }
  const react = drawStudioWorks.on.StudioOrdered
  for (const event of events) if (event.type === 'StudioOrdered') await react?.(event as never, context as never)
}

for (const [how, draw] of Object.entries(artists))
  test(`G-STU-02 of an artist that ${how} the fee goes where it belongs, and the day’s grant with it`, async (t) => {
    const store = await studioMember(UNITS, GRANT)
    const on = { ledger: ledgerOn(store, world), world }
    const { jti } = await orderOn(on, (await quoteOn(on)).quote)
    await drawAll(store, store.events(), draw)
    await runPolicies(store, on.ledger, world)
    await drawAll(store, store.events(), draw)
    const job = await on.ledger.gameStudioJob.read(jti)
    const { balance, spending } = await on.ledger.gameMember.read(MEMBER)
    const done = how === 'draws'
    t.is(job.status, done ? 'done' : 'refunded')
    t.deepEqual([balance, spending.used], [done ? UNITS - 15 : UNITS, { 'gln_1 game.studio.spend': done ? 15 : 0 }])
    checkStudioRest(store.events(), UNITS)
  })

test('G-STU-02 a picture is known by its digest without being drawn, and of an erased member there is none', async (t) => {
  const store = await studioMember(UNITS, GRANT)
  const on = { ledger: ledgerOn(store, world), world }
  const { jti } = await orderOn(on, (await quoteOn(on)).quote)
  await drawAll(store, store.events(), localArtist.draw)
  const never = { draw: () => Promise.reject(new Error('drawn')) }
  const seen = { ...on, vault: openVault(world), artist: never }
  const { sha256, draw } = await pictureOf(seen, jti)
  t.is(sha256, world.digest(await (await pictureOf({ ...seen, artist: localArtist }, jti)).draw()))
  await t.throwsAsync(draw(), { message: 'drawn' })
  const erased = { ...openVault(world), open: async () => undefined }
  await t.throwsAsync(pictureOf({ ...seen, vault: erased }, jti), { code: 'not-found' })
})

test('G-STU-02 a work whose artist takes its process down is given up after three beginnings and paid back', async (t) => {
  const store = await studioMember(UNITS, GRANT)
  const on = { ledger: ledgerOn(store, world), world }
  const { jti } = await orderOn(on, (await quoteOn(on)).quote)
  for (let n = 0; n < 5; n++) await on.ledger.gameStudioJob.start(jti, {})
  await runPolicies(store, on.ledger, world)
  const started = store.events().filter(({ type }) => type === 'StudioJobStarted')
  t.is(started.length, 3)
  checkStudioRest(store.events(), UNITS)
})

const fates = fc.infiniteStream(fc.constantFrom(...Array<'well'>(8).fill('well'), 'lost', 'landed'))
const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('order' as const), nth: fc.nat(3) }),
    fc.record({ act: fc.constant('wait' as const), nth: fc.constantFrom(1, 4, 6, 900) }),
    fc.record({ act: fc.constant('policies' as const), nth: fc.constant(0) }),
    fc.record({ act: fc.constantFrom(...Object.keys(artists)), nth: fc.constant(0) }),
  ),
  { minLength: 4, maxLength: 30 },
)

test('I-GAM-01 G-GEN-03 whatever is ordered, drawn and refunded and wherever processes die, no unit is made or lost', async (t) => {
  const property = fc.asyncProperty(acts, fates, async (asked, fates) => {
    const store = await studioMember(UNITS, GRANT)
    const clock = fixedWorld('orders')
    const dying = around(store, (go) => async (...call) => {
      const fate = fates.next().value
      if (fate === 'lost') throw new Error('the process dies')
      const appended = await go(...call)
      if (fate === 'landed') throw new Error('the process dies')
      return appended
    })
    const quotes: string[] = []
    for (const [n, { act, nth }] of asked.entries()) {
      const alive = { ...clock, ...seeded(n) }
      const on = { ledger: ledgerOn(dying, alive), world: alive }
      const doing = async () => {
        if (act === 'order') {
          quotes[nth] ??= (await quoteOn(on)).quote
          await orderOn(on, quotes[nth])
        } else if (act === 'wait') clock.step(nth * 60_000)
        else if (act === 'policies') await runPolicies(store, on.ledger, alive)
        else await drawAll(dying, store.events(), artists[act] ?? localArtist.draw)
      }
      await doing().catch((error: unknown) => {
        if (!(error instanceof Refusal || (error instanceof Error && /dies/.test(error.message)))) throw error
        if (error instanceof Refusal && error.code === 'quote-expired') delete quotes[nth]
      })
      checkStudio(store.events(), UNITS)
    }
    const ledger = ledgerOn(store, clock)
    await runPolicies(store, ledger, clock)
    await drawAll(store, store.events(), localArtist.draw)
    await runPolicies(store, ledger, clock)
    checkStudioRest(store.events(), UNITS)
  })
  await fc.assert(property, { numRuns: 150 })
  t.pass()
})

/** Chance of its own for each process, and the clock that all share. */
const seeded = (n: number) => {
  const { id, secret } = fixedWorld(`process ${n}`)
  return { id, secret }
}

const DRAWN = {
  banner: 'c483c3c71a7b637e',
  emblem: '37e344599e7a4466',
  portrait: 'a65bc34cb63f8bf6',
  poster: 'e9deba3f287d6b69',
  'ship-paint': '85120910fd2b3d7c',
  'star-map': 'b8361defefae31a9',
}
