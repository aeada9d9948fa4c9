import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { type Linked, openGame } from '../../../support/game.ts'

/** A seller's key has the studio make pictures for its member, and proposes inventions. */

let app: TestApp
let game: Awaited<ReturnType<typeof openGame>>
const clock = { shiftMs: 0 }
const world = { now: () => new Date(Date.now() + clock.shiftMs) }

test.before(async () => {
  app = await startApp({ world })
  game = await openGame(app, world)
})
test.after.always(async () => {
  await game.stop()
  await app.stop()
})

const banner = { slug: 'banner', opts: { palette: 'tide', words: '<b>Home</b> & dry' } }

const quoted = async (by: Linked, wish: object = banner) => {
  const body = { action: 'quote', character_id: by.characterId, ...wish }
  const { status, text, json } = await by.call('POST', '/studio', body)
  if (status !== 200) throw new Error(`the quote answered ${status}: ${text}`)
  return json as { price_units: number; quote: string; expires_at: string }
}

const order = (by: Linked, quote: string, wish: object = banner) =>
  by.call('POST', '/studio', { action: 'order', character_id: by.characterId, quote, ...wish })

test.serial('G-STU-01 G-STU-02 a work is quoted, ordered, made and shown, and its fee is the house’s', async (t) => {
  const by = await game.player({ units: 100, name: 'Ada & <Eve>', grants: { 'game.studio.spend': 50 } })
  const { price_units, quote, expires_at } = await quoted(by)
  t.is(price_units, 25 + [...banner.opts.words].length)
  const minutes = (Date.parse(expires_at) - world.now().getTime()) / 60_000
  t.true(minutes <= 5 && minutes > 0, expires_at)
  const first = await order(by, quote)
  t.is(first.status, 200, first.text)
  t.regex(first.json.jti, /^job_[a-z2-7]{26}$/)
  t.is((await order(by, quote)).json.jti, first.json.jti)

  const jobs = await eventually('the picture', async () => {
    const { json } = await by.call('GET', '/studio')
    return json.jobs[0].result_url && json.jobs
  })
  t.is(jobs.length, 1)
  const { result_url, created_at, ...rest } = jobs[0]
  t.deepEqual(rest, { jti: first.json.jti, slug: 'banner', state: 'done', price_units })
  t.is((await order(by, quote)).json.state, 'done')
  t.is(await game.balanceOf(by.sub), 100 - price_units)

  const shown = await fetch(new URL(new URL(result_url).pathname, app.served().origin))
  const picture = await shown.text()
  t.regex(picture, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
  t.true(picture.includes('&#60;b&#62;Home&#60;/b&#62; &#38; dry') && !picture.includes('<b>'))
  t.is(shown.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  t.is(shown.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  t.is(shown.headers.get('x-content-type-options'), 'nosniff')
  t.is(shown.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  const etag = shown.headers.get('etag') ?? ''
  const again = await fetch(shown.url, { headers: { 'if-none-match': etag } })
  t.deepEqual([again.status, await again.text()], [304, ''])
  for (const other of ['job_aaaaaaaaaaaaaaaaaaaaaaaaaa.svg', `${first.json.jti}.png`, '..%2f..%2fetc'])
    t.is((await fetch(new URL(`/assets/works/${other}`, app.served().origin))).status, 404, other)
})

test.serial(
  'G-STU-02 E-402-04 X-CLOSED-01 without a grant, beyond it and without units nothing is ordered',
  async (t) => {
    const member = await game.member({ units: 100 })
    const none = await game.link(member)
    const { quote } = await quoted(none)
    const refused = await order(none, quote)
    t.deepEqual([refused.status, refused.json.error_code], [402, 'grant-ceiling'])
    const few = await game.link(member, { grants: { 'game.studio.spend': 60 }, key: none.key })
    t.is((await order(few, quote)).status, 409, 'a quote of another link')
    t.is((await order(few, (await quoted(few)).quote)).status, 200)
    const beyond = await order(few, (await quoted(few)).quote)
    t.deepEqual([beyond.status, beyond.json.error_code], [402, 'grant-ceiling'])
    const poor = await game.player({ units: 5, grants: { 'game.studio.spend': 500 } })
    const unpaid = await order(poor, (await quoted(poor)).quote)
    t.deepEqual([unpaid.status, unpaid.json.error_code], [402, 'insufficient_units'])
    t.deepEqual((await poor.call('GET', '/studio')).json, { jobs: [] })
  },
)

test.serial('G-STU-02 an order is for what was quoted, to whom and as long as it was', async (t) => {
  const by = await game.player({ units: 500, grants: { 'game.studio.spend': 500 } })
  const { quote } = await quoted(by)
  const statusOf = async (answering: ReturnType<typeof order>) => (await answering).status
  t.is(await statusOf(order(by, quote, { ...banner, opts: { palette: 'tide' } })), 409)
  t.is(await statusOf(order(by, quote, { slug: 'emblem', opts: {} })), 409)
  t.is(await statusOf(order(by, quote.replace(/\.[0-9]{1,2}\./, '.1.'))), 409)
  t.is(await statusOf(order(by, 'something else')), 400)
  t.is(await statusOf(order(by, quote, { ...banner, character_id: 12 })), 404)
  for (const [opts, status] of [
    [{ palette: 'puce' }, 400],
    [{ constructor: 'x' }, 400],
    [{ words: 'x'.repeat(33) }, 400],
    [{ words: 'a\u0000b' }, 400],
    [{ words: 5 }, 400],
  ] as const)
    t.is((await by.call('POST', '/studio', { ...ask(by), opts })).status, status, JSON.stringify(opts))
  t.is((await by.call('POST', '/studio', { ...ask(by), slug: 'toString' })).status, 404)
  const unpaid = await game.link(by, { scopes: ['game.read'], key: by.key })
  t.deepEqual((await unpaid.call('POST', '/studio', ask(by))).json.error_code, 'game_scope_missing')

  const own = await game.link(by, { grants: { 'game.studio.spend': 500 }, key: by.key })
  const late = await quoted(own)
  clock.shiftMs += Date.parse(late.expires_at) - world.now().getTime() + 1
  t.is(await statusOf(order(own, late.quote)), 410)
  t.is(await game.balanceOf(by.sub), 500)
})

const ask = (by: Linked) => ({ ...banner, action: 'quote', character_id: by.characterId })

const idea = {
  name: 'A steadier vane',
  thesis: 'Two fragments that turn together hold a course that one alone cannot.',
  skills: ['piloting'],
}

test.serial(
  'G-INV-01 G-INV-02 L-JSN-16 an invention is judged once for its fragments, and a good one is paid',
  async (t) => {
    const by = await game.player({ fragments: ['gravity-knot', 'ion-vane', 'seed-pod', 'copper-coil'] })
    const propose = (fragments: readonly number[], more: object = {}, key?: string) =>
      app.call('POST', '/v1/game/inventions', {
        key: by.key,
        body: { ...idea, character_id: by.characterId, fragment_ids: fragments, ...more },
        ...(key && { headers: { 'Idempotency-Key': key } }),
      })
    t.is((await propose([1])).status, 400)
    t.is((await propose([1, 1])).status, 400)
    t.is((await propose([1, 9])).status, 400)
    t.is((await propose([1, 2], { skills: [] })).status, 400)
    t.is((await propose([1, 2], { skills: ['optics'] })).status, 400, 'a skill that it has not')
    t.is((await propose([1, 2], { name: 'ab' })).status, 400)
    t.is((await propose([1, 2], { thesis: 'too short' })).status, 400)

    const plain = await propose([3, 4])
    t.is(plain.status, 200, plain.text)
    t.deepEqual([plain.json.state, plain.json.score, plain.json.novelty], ['rejected', 34, 100])
    const rejected = { invention_id: plain.json.invention_id, name: idea.name, thesis: idea.thesis }
    const twice = await propose([4, 3])
    t.is(twice.status, 409, twice.text)

    const before = await game.balanceOf(by.sub)
    const good = await propose([1, 2], {}, 'once')
    t.is(good.status, 200, good.text)
    const { invention_id, ...judged } = good.json
    t.deepEqual(judged, {
      state: 'accepted',
      score: 79,
      novelty: 100,
      reasons: ['rare-fragments', 'skills-fit', 'novel'],
    })
    t.true(Number.isSafeInteger(invention_id))
    const repeated = await propose([1, 2], {}, 'once')
    t.deepEqual([repeated.json, repeated.headers.get('idempotency-replayed')], [good.json, 'true'])
    t.is((await propose([1, 2])).status, 409)

    const { json } = await by.call('GET', '/inventions')
    t.deepEqual(json.inventions, [
      { invention_id, name: idea.name, thesis: idea.thesis, state: 'accepted', score: 79, royalty_units: 67 },
      { ...rejected, state: 'rejected', score: 34, royalty_units: 0 },
    ])
    t.is(await game.balanceOf(by.sub), before + 67)
    const { json: sheet } = await by.call('GET', `/character?id=${by.characterId}`)
    t.deepEqual(
      sheet.fragments.map(({ id }: { id: number }) => id),
      [3, 4],
    )
  },
)

test.serial(
  'G-INV-02 the second invention of its kinds in the world is less new, and a stranger’s fragments make none',
  async (t) => {
    const by = await game.player({ fragments: ['gravity-knot', 'ion-vane', 'seed-pod', 'copper-coil'] })
    const proposal = { ...idea, character_id: by.characterId, fragment_ids: [1, 2] }
    const first = await by.call('POST', '/inventions', proposal)
    const other = await game.player({ fragments: ['ion-vane', 'gravity-knot'] })
    const known = await other.call('POST', '/inventions', {
      ...idea,
      character_id: other.characterId,
      fragment_ids: [1, 2],
    })
    t.is(known.json.novelty, first.json.novelty - 25)
    const foreign = await other.call('POST', '/inventions', {
      ...idea,
      character_id: by.characterId,
      fragment_ids: [3, 4],
    })
    t.is(foreign.status, 404)
  },
)
