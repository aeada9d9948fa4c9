import test from 'ava'
import { eraseUser } from '../../../../domain/use-cases/signin/erase-user.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { claimed, linkCode } from '../../../support/game-pages.ts'
import { openOperator } from '../../../support/operator.ts'
import { type Person, person, signIn, withTotp } from '../../../support/people.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import { actingTests } from './acting.ts'

/** A member of the game on its own pages, and what keys may do for it by its links. */

let shift = 0
const now = () => Date.now() + shift
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(now()) } })
  operator = await openOperator(app, { now: () => new Date(now()) })
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

const PASSWORD = 'correct horse battery'

/** Somebody who is signed in, in a browser of their own. */
const member = async (): Promise<Person & { sub: string; again(): Promise<unknown> }> => {
  const user = await operator.user()
  const browser = person(app)
  await signIn(browser, user)
  return { ...browser, sub: user.sub, again: () => signIn(browser, user) }
}

const call = (key: string, path: string, body?: object) =>
  app.call(body ? 'POST' : 'GET', `/v1/game${path}`, { key, ...(body && { body }) })

test.serial(
  'G-LNK-01 G-GEN-01 G-ME-01 a key acts for whoever made the code that it claimed, and for nobody before',
  async (t) => {
    const { key } = await activeSeller(app)
    t.is((await app.call('GET', '/v1/game/me')).status, 401)
    const before = await call(key, '/me')
    t.deepEqual([before.status, before.json.error_code], [403, 'svc_forbidden'])

    const ada = await member()
    const made = await ada.send('/account/game', { name: 'Ada the Bold', class: 'envoy' })
    t.deepEqual([made.status, made.location], [303, '/account/game?done=character'])
    const code = await linkCode(
      ada,
      PASSWORD,
      { label: 'My agent', 'game.read': '1', 'game.pvp.wager': '1' },
      { 'game.pvp.wager': '25' },
    )
    t.regex(code, /^pl-[a-z2-7]{26}$/)
    t.false((await ada.open('/account/game/links')).text.includes(code), 'a code is shown once')
    const link = await ok(call(key, '/link', { code }))
    t.deepEqual(link.json.scopes, ['game.read', 'game.pvp.wager'])
    t.is((await call(key, '/link', { code })).status, 409)

    const me = await ok(call(key, '/me'))
    t.like(me.json, {
      link_id: link.json.link_id,
      consumer_id: link.json.consumer_id,
      scopes: ['game.read', 'game.pvp.wager'],
      grants: [{ scope: 'game.pvp.wager', units_per_day: 25, used_today: 0 }],
      memberships: [],
      highest_tier: null,
      champions: [],
    })
    const fields = ['link_id', 'consumer_id', 'scopes', 'since', 'grants', 'memberships', 'highest_tier', 'champions']
    t.deepEqual(Object.keys(me.json).sort(), [...fields, 'roster'].sort())
    t.like(me.json.roster, { length: 1, 0: { name: 'Ada the Bold', level: 1 } })
    t.true(Math.abs(Date.parse(me.json.since) - now()) < 60_000)
    const page = (await ada.open('/account/game/links')).text
    t.true(
      page.includes('My agent') &&
        page.includes('0 of 25 units used today') &&
        page.includes('a seller without a name'),
    )
  },
)

test.serial(
  'G-GEN-02 X-CLOSED-01 what a member takes from a link or takes back counts from the next call on',
  async (t) => {
    const { key } = await activeSeller(app)
    const ada = await member()
    await ada.send('/account/game', { name: 'Grace', class: 'engineer' })
    const { linkId, characterId } = await claimed(app, ada, key, PASSWORD, [
      'game.read',
      'game.characters.act',
      'game.characters.read',
    ])
    const train = { action: 'train', character_id: characterId, stat: 'wit' }
    t.is((await call(key, '/act', train)).status, 402)

    const path = `/account/game/links/change?link_id=${linkId}`
    const less = await ada.send(path, { label: 'Reader', 'game.read': '1' })
    t.deepEqual([less.status, less.location], [303, '/account/game/links?done=changed'], 'less needs no proof')
    t.is((await call(key, '/me')).status, 200)
    const refused = await call(key, '/act', train)
    t.deepEqual([refused.status, refused.json.error_code], [403, 'game_scope_missing'])
    t.is((await call(key, '/feed')).status, 403)

    const more = { label: 'Reader', 'game.read': '1', 'game.feed.read': '1' }
    const asked = await ada.send(path, more)
    t.true(asked.text.includes('Give this link more?'), 'more needs a proof')
    t.is((await call(key, '/feed')).status, 403, 'and is not given before')
    const wrong = await ada.send(path, { ...more, agreed: '1', password: 'a guess' })
    t.is(wrong.status, 422)
    t.is((await call(key, '/feed')).status, 403)
    t.is((await ada.send(path, { ...more, agreed: '1', password: PASSWORD })).status, 303)
    t.is((await call(key, '/feed')).status, 200)

    const eve = await member()
    t.is((await eve.open(path)).status, 404, 'a link of somebody else is not there')
    t.is((await eve.open('/account/game/links/change?link_id=gl_nothing')).status, 404)
    await eve.send('/account/game/links', { link_id: linkId }, '/account/game')
    t.is((await call(key, '/me')).status, 200, 'nor can somebody else take it back')
    const forged = await ada.post('/account/game/links', { link_id: linkId, csrf: 'x' })
    t.is(forged.status, 403)

    await ada.send('/account/game/links', { link_id: linkId })
    const revoked = await call(key, '/me')
    t.deepEqual([revoked.status, revoked.json.error_code], [403, 'svc_forbidden'])
  },
)

test.serial(
  'G-GEN-03 grants are whole numbers within bounds and for what the link may do, and are agreed to by the second factor',
  async (t) => {
    const ada = await member()
    const code = await withTotp(operator, ada.sub, now)
    const path = '/account/game/links/new'
    const wish = { label: 'Spender', 'game.studio.spend': '1' }
    for (const units of ['-1', '1.5', '1000001', 'many', '١٢'])
      t.is((await ada.send(path, { ...wish, 'game.studio.spend.units': units })).status, 422, units)
    t.is((await ada.send(path, { ...wish, 'game.pvp.wager.units': '5' })).status, 422, 'a grant for what it may not do')
    t.is((await ada.send(path, { label: 'Nothing' })).status, 422)
    t.is((await ada.send(path, { label: 'x'.repeat(61), 'game.read': '1' })).status, 422)

    const asked = await ada.send(path, { ...wish, 'game.studio.spend.units': '10' })
    t.true(asked.text.includes('at most 10 units a day'))
    const hidden = Object.fromEntries(
      [...asked.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    )
    const changed = { ...hidden, 'game.studio.spend.units': '1000', code: code() }
    t.is((await ada.post(path, changed)).status, 422, 'a proof is for what was shown')
    const again = await ada.send(path, { ...wish, 'game.studio.spend.units': '10' })
    const shown = Object.fromEntries(
      [...again.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    )
    const made = await ada.post(path, { ...shown, code: code() })
    t.regex(made.text, /pl-[a-z2-7]{26}/)
  },
)

test.serial('G-CHR-01 a character has a name of its own among all players', async (t) => {
  const [ada, eve] = [await member(), await member()]
  const make = (who: Person, name: string) => who.send('/account/game', { name, class: 'pathfinder' })
  t.is((await make(ada, 'Zoë O’Neill')).status, 303)
  t.is((await make(ada, 'Zoë O’Neill')).status, 303, 'the form sent twice makes one')
  const taken = await make(eve, 'zoe oneill')
  t.is(taken.status, 422)
  t.true(taken.text.includes('There is a character of this name'))
  for (const name of ['Z', ' ', 'x'.repeat(25), 'a  b', '<b>', '-a', 'a\u202Eb'])
    t.is((await make(eve, name)).status, 422, JSON.stringify(name))
  for (let n = 2; n <= 5; n++) t.is((await make(ada, `Zoë ${n}`)).status, 303)
  const sixth = await make(ada, 'Zoë 6')
  t.true(sixth.status === 422 && sixth.text.includes('the most there can be'))
  t.is((await make(eve, 'Zoë 6')).status, 303, 'a name that was not taken is free')
})

/** Somebody with a character whose link reads and acts, and who has done two things at noon of a day. */
let quester: Person & { sub: string; again(): Promise<unknown> }
let key = ''
let today = ''

test.serial('G-FED-01 what was done is told once, in order, a page at a time', async (t) => {
  key = (await activeSeller(app)).key
  quester = await member()
  await quester.send('/account/game', { name: 'Quester', class: 'vanguard' })
  const scopes = ['game.read', 'game.characters.act', 'game.characters.read', 'game.feed.read']
  const { characterId } = await claimed(app, quester, key, PASSWORD, scopes)
  // Noon, so that no midnight lies between.
  shift += 86_400_000 - ((now() - 12 * 3_600_000) % 86_400_000)
  today = new Date(now()).toISOString().slice(0, 10)
  const act = (body: object) => ok(call(key, '/act', { character_id: characterId, ...body }))
  await act({ action: 'train', stat: 'wit' })
  await act({ action: 'travel', galaxy: 'meridian' })
  const all = (await ok(call(key, '/feed'))).json.events as { kind: string; character_id: number }[]
  t.deepEqual(
    all.map(({ kind }) => kind),
    ['character-created', 'day-begun', 'stat-trained', 'travel-begun'],
  )
  t.true(all.every((event) => event.character_id === characterId))

  const first = await ok(call(key, '/feed?limit=1'))
  t.is(first.json.last_id, first.json.events[0].id)
  const rest = await ok(call(key, `/feed?since_id=${first.json.last_id}`))
  t.deepEqual([...first.json.events, ...rest.json.events], all)
  const none = await ok(call(key, `/feed?since_id=${rest.json.last_id}`))
  t.deepEqual(none.json, { events: [], last_id: rest.json.last_id })
  for (const query of ['limit=0', 'limit=201', 'since_id=-1', 'since_id=x', 'limit=x', `since_id=${'9'.repeat(16)}`])
    t.is((await call(key, `/feed?${query}`)).status, 400, query)
})

test.serial(
  'G-QST-01 what was done counts for quests, whose reward the member takes itself, once and in time',
  async (t) => {
    const take = async (slug: string) => {
      await quester.again()
      return await quester.send('/account/game/quests', { slug })
    }
    const quests = async () => (await ok(call(key, '/quests'))).json
    const quest = async (wanted: string) =>
      (await quests()).quests.find(({ slug }: { slug: string }) => slug === wanted) as object
    t.deepEqual(await quest('far-and-back'), {
      slug: 'far-and-back',
      title: 'Travel five times',
      progress: 1,
      target: 5,
      state: 'open',
      reward: { units: 30 },
    })
    t.deepEqual(Object.keys(await quests()).sort(), ['quests', 'season', 'streaks'])
    t.deepEqual((await quests()).streaks, { current: 1, best: 1, last_day: today })
    t.true([404, 405].includes((await call(key, '/quests', { slug: 'a-bit-stronger' })).status))
    t.is((await take('far-and-back')).status, 422, 'nothing is given for what is not done')
    t.is((await take('constructor')).status, 422)
    t.like(await quest('a-bit-stronger'), { progress: 1, target: 1, state: 'done' })
    t.is((await take('a-bit-stronger')).status, 303)
    const twice = await take('a-bit-stronger')
    t.true(twice.status === 422 && twice.text.includes('You have this reward already'))
    t.like(await quest('a-bit-stronger'), { state: 'claimed' })
    t.like((await quests()).season, { points: 15, tier: null })
    const page = (await quester.open('/account/game')).text
    t.true(page.includes('Quest: Train a stat') && page.includes('<p class="sum">5 units</p>'))
    const { events } = (await ok(call(key, '/feed'))).json
    t.like(events.at(-1), { kind: 'quest-claimed', data: { slug: 'a-bit-stronger', units: 5, balance: 5 } })

    shift += 86_400_000
    t.is((await take('a-bit-stronger')).status, 422, 'what was done on a day counts on no other')
    t.deepEqual((await quests()).streaks, { current: 1, best: 1, last_day: today }, 'there is still time today')
    shift += 86_400_000
    t.like((await quests()).streaks, { current: 0, best: 1 })
  },
)

test.serial('X-CLOSED-01 nobody plays for a user who was erased', async (t) => {
  t.is((await call(key, '/me')).status, 200)
  await eraseUser(operator.flow, quester.sub)
  const refused = await call(key, '/me')
  t.deepEqual([refused.status, refused.json.error_code], [403, 'svc_forbidden'])
})

const step = (ms: number) => {
  shift += ms
}
actingTests({ app: () => app, step, member, password: PASSWORD })
