import { createHash } from 'node:crypto'
import test from 'ava'
import { scanChance } from '../../../../domain/game/characters/exploration.ts'
import { classes } from '../../../../domain/game/world/classes.ts'
import { RARITIES, slugsOf } from '../../../../domain/game/world/fragments.ts'
import { GAMES, type GameSlug, games } from '../../../../domain/game/world/games.ts'
import { type Node, nodes } from '../../../../domain/game/world/nodes.ts'
import type { Answer } from '../../../../src/demo/client.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { type Linked, openGame } from '../../../support/game.ts'
import { bestMoves, dealtAgain, diceAgain } from '../../../support/mini-games.ts'
import { activeSeller, ok } from '../../../support/seller.ts'

/** Exploration and mini-games as a linked key plays them. */

let shift = 0
const now = () => new Date(Date.now() + shift)
let app: TestApp
let game: Awaited<ReturnType<typeof openGame>>
test.before(async () => {
  // The middle of a day, so that none of these runs is of another one.
  shift = 43_200_000 - (Date.now() % 86_400_000)
  app = await startApp({ world: { now } })
  game = await openGame(app, { now })
})
test.after.always(async () => {
  await game?.stop()
  await app?.stop()
})

const MINUTE_MS = 60_000
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const said = ({ status, json }: Answer) => [status, json.error_code]

test.serial(
  'G-EXP-01 G-EXP-02 a scan takes its time, its find was committed to, and anybody can draw it again',
  async (t) => {
    const ada = await game.player()
    const explore = (action: string, slug: string) =>
      ada.call('POST', '/explore', { action, slug, character_id: ada.characterId })
    const { json: before } = await ok(ada.call('GET', '/explore'))
    t.deepEqual(before.progress, { found: 0, total: Object.keys(nodes).length })
    t.deepEqual([before.fragments, before.scanning], [[], null])
    const shelf = { slug: 'tidal-shelf', name: 'The tidal shelf', galaxy: 'lantern', danger: 4, scan_sec: 300 }
    t.deepEqual(before.nodes[0], { ...shelf, cooldown_until: null, locked: false })
    t.true(before.nodes.some(({ locked }: { locked: boolean }) => locked))

    t.deepEqual(said(await explore('scan', 'no-such-node')), [404, 'svc_not_found'])
    t.deepEqual(said(await explore('scan', 'glass-orchard')), [409, 'wrong_galaxy'])
    t.deepEqual(said(await explore('claim', 'tidal-shelf')), [404, 'svc_not_found'])
    const { json: scan } = await ok(explore('scan', 'tidal-shelf'))
    t.is(scan.scan_sec, 300)
    t.is(Date.parse(scan.ready_at) - now().getTime() > 290_000, true)
    t.deepEqual((await ok(ada.call('GET', '/explore'))).json.scanning, { slug: 'tidal-shelf', ready_at: scan.ready_at })
    t.deepEqual(said(await explore('claim', 'tidal-shelf')), [409, 'not_ready'])
    const busy = await explore('scan', 'hollow-buoy')
    t.deepEqual([...said(busy), busy.json.busy_until], [409, 'character_busy', scan.ready_at])

    shift += 5 * MINUTE_MS
    const { json: claimed } = await ok(explore('claim', 'tidal-shelf'))
    t.is(sha256(claimed.reveal), scan.commit)
    const drawn = drawnAgain('tidal-shelf', claimed.reveal, scan.run_id)
    t.is(claimed.success, drawn.roll < scanChance(classes.pathfinder.stats.luck, 4))
    t.is(claimed.find.fragment?.slug, claimed.success ? drawn.fragment : undefined)
    t.deepEqual([claimed.find.xp, claimed.find.units], claimed.success ? [15, 6] : [3, 0])
    t.deepEqual(said(await explore('claim', 'tidal-shelf')), [409, 'already_claimed'])
    t.deepEqual(said(await explore('scan', 'tidal-shelf')), [409, 'not_ready'])
    const { json: after } = await ok(ada.call('GET', `/explore?character_id=${ada.characterId}`))
    t.is(after.progress.found, claimed.success ? 1 : 0)
    t.true(after.nodes[0].cooldown_until > now().toISOString())
    await eventually('the units of the find', async () => (await game.balanceOf(ada.sub)) === claimed.find.units)
  },
)

/** What the dice of a seed say of a scan. */
const drawnAgain = (slug: keyof typeof nodes, seed: string, id: string) => {
  const below = diceAgain(seed, id)
  const roll = below(100)
  let left = below(100)
  const { finds }: Node = nodes[slug]
  for (const rarity of RARITIES) {
    const kinds = slugsOf(rarity)
    if (left < (finds[rarity] ?? 0)) return { roll, fragment: kinds[below(kinds.length)] }
    left -= finds[rarity] ?? 0
  }
  return { roll, fragment: undefined }
}

const start = (of: Linked, slug: GameSlug) =>
  of.call('POST', '/games', { action: 'start', slug, character_id: of.characterId })
const finish = (of: Linked, token: string, events: readonly object[]) =>
  of.call('POST', '/games', { action: 'finish', token, events })
const best = async (of: Linked, slug: GameSlug) =>
  (await ok(of.call('GET', '/games'))).json.games.find((each: { slug: string }) => each.slug === slug)

test.serial(
  'G-GAM-01 G-GAM-02 each game is played by what is shown, scored here, and dealt as its seed says',
  async (t) => {
    const ada = await game.player()
    const { json: listed } = await ok(ada.call('GET', '/games'))
    t.deepEqual(
      listed.games.map(({ slug }: { slug: string }) => slug),
      [...GAMES],
    )
    let units = 0
    for (const slug of GAMES) {
      const { kind, maxPlausible, playsPerDay } = games[slug]
      const told = { slug, kind, max_plausible: maxPlausible, plays_per_day: playsPerDay }
      t.deepEqual(await best(ada, slug), { ...told, plays_left: playsPerDay, my_best: null })
      const { json: run } = await ok(start(ada, slug))
      t.true(run.expires_at > now().toISOString())
      shift += MINUTE_MS
      const { json: done } = await ok(finish(ada, run.token, bestMoves(slug, run.rounds)))
      t.is(sha256(done.reveal), run.commit)
      const { rounds, opens } = dealtAgain(slug, done.reveal, run.run_id)
      t.deepEqual(run.rounds, rounds)
      if (slug !== 'three-doors') t.is(done.score, maxPlausible)
      else t.is(done.score, scoreOfDoors(run.rounds, opens))
      t.deepEqual([done.best, done.rank], [done.score, 1])
      t.deepEqual(await best(ada, slug), { ...told, plays_left: playsPerDay - 1, my_best: done.score })
      units += done.rewards.units
    }
    await eventually('the units of four runs', async () => (await game.balanceOf(ada.sub)) === units)
    const grace = await game.player({ name: 'Grace' })
    const { json: run } = await ok(start(grace, 'signal-echo'))
    const { json: done } = await ok(finish(grace, run.token, [{ t: 900, round: 1, input: run.rounds[0].signals }]))
    t.like(done, { score: 30, best: 30, rank: 2 })
  },
)

const scoreOfDoors = (rounds: readonly { round: number; doors: { prize: number }[] }[], opens: readonly number[]) =>
  bestMoves('three-doors', rounds).reduce((sum, { input }, n) => {
    return sum + (input === opens[n] ? (rounds[n]?.doors[Number(input)]?.prize ?? 0) : 0)
  }, 0)

test.serial(
  'G-GAM-02 X-REPLAY-01 a token is good once, for the link that began, in its time, and as it was made',
  async (t) => {
    const ada = await game.player()
    const other = await game.link(ada, { key: (await activeSeller(app)).key })
    const mallory = await game.player({ name: 'Mallory' })
    const { json: run } = await ok(start(ada, 'signal-echo'))
    const [text = '', mark] = String(run.token).split('.')
    const named = JSON.parse(Buffer.from(text, 'base64').toString())
    t.like(named, {
      run: run.run_id,
      link: ada.linkId,
      character: ada.characterId,
      slug: 'signal-echo',
      commit: run.commit,
    })
    shift += MINUTE_MS
    const moves = bestMoves('signal-echo', run.rounds)
    const forged = Buffer.from(JSON.stringify({ ...named, link: mallory.linkId }))
      .toString('base64')
      .replaceAll('=', '')
    for (const token of [`${forged}.${mark}`, `${text}.${'0'.repeat(64)}`, `${run.token}0`, text, 'x', '.', '..'])
      t.deepEqual(said(await finish(ada, token, moves)), [404, 'svc_not_found'], token)
    for (const stranger of [mallory, other])
      t.deepEqual(said(await finish(stranger, run.token, moves)), [403, 'svc_forbidden'])
    const answers = await Promise.all([1, 2, 3].map(() => finish(ada, run.token, moves)))
    t.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    t.deepEqual(said(await finish(ada, run.token, moves.slice(1))), [409, 'svc_conflict'])
    t.deepEqual(said(await finish(ada, run.token, [])), [409, 'svc_conflict'])

    const { json: late } = await ok(start(ada, 'signal-echo'))
    shift += 10 * MINUTE_MS
    t.deepEqual(said(await finish(ada, late.token, [])), [410, 'svc_gone'])
    await eventually('the units of one run', async () => (await game.balanceOf(ada.sub)) === 18)
  },
)

test.serial('G-GAM-02 what no person can have played is refused, burns the run and brings nothing', async (t) => {
  const ada = await game.player()
  const { json: run } = await ok(start(ada, 'three-doors'))
  const moves = bestMoves('three-doors', run.rounds)
  t.deepEqual(said(await finish(ada, run.token, [{ t: 'soon', round: 1, input: 0 }])), [400, 'svc_invalid_request'])
  const hasty = moves.map((move, n) => ({ ...move, t: 80 * (n + 1) }))
  t.deepEqual(said(await finish(ada, run.token, hasty)), [422, 'implausible_run'])
  shift += MINUTE_MS
  t.deepEqual(said(await finish(ada, run.token, moves)), [409, 'svc_conflict'])
  const { json: ahead } = await ok(start(ada, 'three-doors'))
  const early = await finish(ada, ahead.token, [{ t: MINUTE_MS, round: 1, input: 0 }])
  t.deepEqual(said(early), [422, 'implausible_run'])
  t.is((await best(ada, 'three-doors')).my_best, null)
  t.is(await game.balanceOf(ada.sub), 0)
})

test.serial('G-GAM-02 X-RATE-01 a character has so many runs a day, and is told how long to wait', async (t) => {
  const ada = await game.player()
  for (let n = 0; n < games['lane-drift'].playsPerDay; n++) await ok(start(ada, 'lane-drift'))
  const more = await start(ada, 'lane-drift')
  t.deepEqual(said(more), [429, 'no_plays_left'])
  const wait = Number(more.headers.get('retry-after'))
  t.true(Math.abs(wait - (86_400 - ((now().getTime() / 1_000) % 86_400))) < 30, String(wait))
})

test.serial(
  'G-GEN-02 N-50 X-IDEM-01 scopes are asked for, other members’ characters are not there, and a repeat is answered alike',
  async (t) => {
    const reader = await game.player({ scopes: ['game.read'] })
    const { characterId: mine } = reader
    for (const [path, body] of [
      ['/explore', { action: 'scan', slug: 'tidal-shelf', character_id: mine }],
      ['/games', { action: 'start', slug: 'lane-drift', character_id: mine }],
    ] as const)
      t.deepEqual(said(await reader.call('POST', path, body)), [403, 'game_scope_missing'])
    const ada = await game.player({ scopes: ['game.explore.act', 'game.games.act'] })
    for (const path of ['/explore', '/games']) {
      t.deepEqual(said(await ada.call('GET', path)), [403, 'game_scope_missing'])
      t.deepEqual(said(await reader.call('GET', `${path}?character_id=${ada.characterId}`)), [404, 'svc_not_found'])
    }
    const foreign = { action: 'start', slug: 'lane-drift', character_id: mine }
    t.deepEqual(said(await ada.call('POST', '/games', foreign)), [404, 'svc_not_found'])

    const again = (path: string, id: string, body: object) =>
      app.call('POST', `/v1/game${path}`, { key: ada.key, headers: { 'idempotency-key': id }, body })
    const scan = { action: 'scan', slug: 'tidal-shelf', character_id: ada.characterId }
    const { json: scanned } = await ok(again('/explore', 'k1', scan))
    const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')
    const rescanned = await ok(again('/explore', 'k1', scan))
    t.deepEqual([rescanned.json, replayed(rescanned)], [scanned, 'true'])
    const begun = { action: 'start', slug: 'signal-echo', character_id: ada.characterId }
    const { json: run } = await ok(again('/games', 'k2', begun))
    const rerun = await ok(again('/games', 'k2', begun))
    t.deepEqual([rerun.json, replayed(rerun)], [run, 'true'])
    shift += MINUTE_MS
    const end = { action: 'finish', token: run.token, events: bestMoves('signal-echo', run.rounds) }
    const first = await ok(again('/games', 'k3', end))
    t.deepEqual((await ok(again('/games', 'k3', end))).json, first.json)
    t.is((await again('/games', 'k4', end)).status, 409)
    t.is((await again('/games', 'k3', { ...end, events: [] })).status, 409)
  },
)
