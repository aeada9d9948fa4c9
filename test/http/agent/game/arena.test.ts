import { createHash } from 'node:crypto'
import test from 'ava'
import type { Sql } from '../../../../adapters/postgres/connect.ts'
import { createQueries } from '../../../../projections/index.ts'
import type { Answer } from '../../../../src/demo/client.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { type Linked, openGame } from '../../../support/game.ts'
import { connectBeside } from '../../../support/kept-database.ts'
import { bestMoves } from '../../../support/mini-games.ts'
import { ok } from '../../../support/seller.ts'

/** Duels and tournaments as linked keys play them, for units of their members. */

let shift = 0
const now = () => new Date(Date.now() + shift)
let app: TestApp
let sql: Sql
let game: Awaited<ReturnType<typeof openGame>>
test.before(async () => {
  // The middle of a day, so that none of it is of another one.
  shift = 43_200_000 - (Date.now() % 86_400_000)
  app = await startApp({ world: { now } })
  game = await openGame(app, { now })
  sql = connectBeside(app.databaseUrl)
})
test.after.always(async () => {
  await sql?.end()
  await game?.stop()
  await app?.stop()
})

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const WAGERS = { 'game.pvp.wager': 20 } as const
const said = ({ status, json }: Answer) => [status, json.error_code]
const pvp = (of: Linked, body: object) => of.call('POST', '/pvp', body)
const challenge = (by: Linked, of: Linked, wager_units: number) =>
  pvp(by, { action: 'create', character_id: by.characterId, defender_character_id: of.characterId, wager_units })
const answer = (by: Linked, action: string, challenge_id: string) => pvp(by, { action, challenge_id })
const has = (of: Linked, units: number) =>
  eventually(`${units} units`, async () => (await game.balanceOf(of.sub)) === units)

/**
 * What the journal says of the game's accounts that are not the members' or the house's; all that is over holds
 * nothing.
 */
const held = async () => {
  const rows = await createQueries(sql).trialBalance()
  return rows.filter(({ account, amount }) => /^(escrow|in-transit)/.test(account) && BigInt(amount) !== 0n)
}

test.serial(
  'G-PVP-01 G-PVP-02 a duel is fought for both wagers, by dice that were committed to, and moves both on the ladder',
  async (t) => {
    const ada = await game.player({ units: 50, grants: WAGERS })
    const grace = await game.player({ name: 'Grace', class: 'vanguard', units: 50, grants: WAGERS })
    const unfought = (await ok(ada.call('GET', '/pvp'))).json.ladder
    const fresh = { rating: 1000, wins: 0, losses: 0 }
    t.deepEqual(
      unfought.map(({ character_id, name, ...rest }: { character_id: number; name: string }) => rest),
      [1, 2].map((rank) => ({ rank, ...fresh })),
      'whom one may challenge is listed before the first duel',
    )
    t.true(unfought.some((each: object) => 'character_id' in each && each.character_id === grace.characterId))
    const { json: made } = await ok(challenge(ada, grace, 10))
    const { challenge_id: id, commit } = made
    t.like(made, { state: 'open', wager_units: 10, escrow_id: `escrow:pvp:${id}` })
    t.is(Date.parse(made.expires_at) > now().getTime() + DAY_MS - MINUTE_MS, true)
    t.is(await game.balanceOf(ada.sub), 40)
    const open = (await ok(grace.call('GET', '/pvp'))).json.challenges[0]
    t.like(open, { challenge_id: id, state: 'open', mine: false, wager_units: 10, commit })
    t.deepEqual([open.challenger.name, open.defender.name, open.reveal], ['Ada', 'Grace', undefined])

    const { json: fought } = await ok(answer(grace, 'accept', id))
    t.is(createHash('sha256').update(fought.reveal).digest('hex'), commit)
    t.is(fought.state, 'resolved')
    const { winner_character_id: winner, rounds, rating } = fought
    t.is(rounds.at(-1).winner_character_id, winner)
    const won = winner === null ? 10 : winner === grace.characterId ? 20 : 0
    t.is(fought.payout_units, won)
    t.deepEqual(rating, { before: 1000, after: 1000 + (winner === null ? 0 : won > 0 ? 12 : -12) })
    await has(grace, 40 + won)
    await has(ada, 60 - won)
    await eventually('the ladder', async () => {
      const { ladder } = (await ok(ada.call('GET', '/pvp'))).json
      return winner === null || (ladder[0].wins === 1 && ladder[1].losses === 1 && ladder[0].rank === 1)
    })
    const over = (await ok(ada.call('GET', '/pvp'))).json.challenges[0]
    t.like(over, { state: 'resolved', mine: true, winner_character_id: winner, reveal: fought.reveal })
    t.deepEqual(said(await answer(grace, 'accept', id)), [409, 'svc_conflict'])
    t.deepEqual(said(await answer(ada, 'cancel', id)), [409, 'svc_conflict'])
  },
)

test.serial(
  'G-PVP-03 E-402-05 E-403-05 a wager needs its scope and grant, and a duel is answered by whom it is aimed at',
  async (t) => {
    const ada = await game.player({ units: 50, grants: WAGERS })
    const grace = await game.player({ name: 'Grace', units: 5, grants: WAGERS })
    const poor = await game.link(grace, { scopes: ['game.read', 'game.pvp.act'] })
    t.deepEqual(said(await challenge(ada, grace, 21)), [402, 'wager-grant-ceiling'])
    t.deepEqual(said(await challenge(poor, ada, 1)), [403, 'game_scope_missing'])
    t.deepEqual(said(await challenge(grace, ada, 6)), [402, 'insufficient_units'])
    t.is((await challenge(ada, ada, 0)).status, 400)
    for (const wager of [-1, 0.5, 1001]) t.is((await challenge(ada, grace, wager)).status, 400, String(wager))
    t.is((await challenge({ ...ada, characterId: grace.characterId }, ada, 0)).status, 404)
    t.is((await challenge(ada, { ...grace, characterId: 7 }, 0)).status, 404)

    const { json: made } = await ok(challenge(ada, grace, 20))
    const { challenge_id: id } = made
    const mallory = await game.player({ name: 'Mallory' })
    t.deepEqual(said(await answer(mallory, 'accept', id)), [403, 'not-your-duel'])
    const { ladder } = (await ok(mallory.call('GET', '/pvp'))).json
    t.true(
      ladder.length > 2 && ladder.slice(2).every(({ rating }: { rating: number }) => rating === 1000),
      'fought or not',
    )
    t.deepEqual(said(await answer(ada, 'accept', id)), [403, 'not-your-duel'])
    t.deepEqual(said(await answer(ada, 'decline', id)), [403, 'not-your-duel'])
    t.deepEqual(said(await answer(grace, 'cancel', id)), [403, 'not-your-duel'])
    t.deepEqual(said(await answer(grace, 'accept', 'du_none')), [404, 'svc_not_found'])
    t.deepEqual(said(await answer(grace, 'accept', id)), [402, 'insufficient_units'])
    t.deepEqual(said(await answer(poor, 'accept', id)), [403, 'game_scope_missing'])
    t.is(await game.balanceOf(ada.sub), 30)
    t.deepEqual((await ok(answer(poor, 'decline', id))).json, { challenge_id: id, state: 'declined' })
    await has(ada, 50)
    const told = await eventually('the news', async () => {
      const { events } = (await ok(ada.call('GET', '/feed'))).json
      return events.find(({ kind }: { kind: string }) => kind === 'duel-declined')
    })
    t.is(told.character_id, ada.characterId)
    t.deepEqual(told.data, { challenge_id: id, challenger: ada.characterId, defender: grace.characterId })
    const again = (await ok(challenge(ada, grace, 20))).json.challenge_id
    t.deepEqual((await ok(answer(ada, 'cancel', again))).json, { challenge_id: again, state: 'canceled' })
    await has(ada, 50)
  },
)

test.serial(
  'G-GEN-03 X-CLOSED-01 of fifty wagers at once as many are made as the grant of the day has, and the next day has it anew',
  async (t) => {
    const ada = await game.player({ units: 500, grants: WAGERS })
    const grace = await game.player({ name: 'Grace' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => challenge(ada, grace, 2)))
    const codes = Map.groupBy(answers, ({ status, json }) => `${status} ${json.error_code ?? ''}`.trim())
    t.deepEqual([...codes].map(([code, { length }]) => [code, length]).sort(), [
      ['200', 10],
      ['402 wager-grant-ceiling', 40],
    ])
    t.is(await game.balanceOf(ada.sub), 480)
    t.deepEqual(said(await challenge(ada, grace, 1)), [402, 'wager-grant-ceiling'])
    const [first] = answers.filter(({ status }) => status === 200)
    shift += DAY_MS
    // Refused at once, before the sweep has come by.
    t.deepEqual(said(await answer(grace, 'accept', first?.json.challenge_id)), [409, 'svc_conflict'])
    t.is((await challenge(ada, grace, 20)).status, 200)
    await has(ada, 480)
    const expired = (await ok(ada.call('GET', '/pvp'))).json.challenges
    t.is(expired.filter(({ state }: { state: string }) => state === 'expired').length, 10)
    t.deepEqual(
      (await held()).map(({ amount }) => Number(amount)),
      [20],
    )
  },
)

test.serial(
  'G-TRN-01 G-TRN-02 E-402-06 a tournament holds its entries until its end, and pays them to the best of its window',
  async (t) => {
    const grants = { 'game.tournament.entry': 7 } as const
    const ada = await game.player({ units: 20, grants })
    const grace = await game.player({ name: 'Grace', units: 20, grants })
    const slug = `drift-sprint-${now().toISOString().slice(0, 10)}`
    const enter = (of: Linked, named = slug) =>
      of.call('POST', '/tournaments', { action: 'enter', slug: named, character_id: of.characterId })
    const shown = async () => {
      const { tournaments } = (await ok(ada.call('GET', '/tournaments'))).json
      t.is(tournaments.length, 12)
      return tournaments.find((each: { slug: string }) => each.slug === slug)
    }
    t.like(await shown(), { game: 'lane-drift', entry_units: 5, state: 'open', entries: 0, prize_pool: 0, board: [] })
    t.deepEqual((await ok(enter(ada))).json, { escrow_id: `escrow:tournament:${slug}`, entry_units: 5 })
    t.deepEqual(said(await enter(ada)), [409, 'svc_conflict'])
    t.deepEqual(said(await enter(ada, slug.replace('drift', 'no'))), [404, 'svc_not_found'])
    const next = new Date(now().getTime() + DAY_MS).toISOString().slice(0, 10)
    t.deepEqual(said(await enter(ada, `drift-sprint-${next}`)), [409, 'svc_conflict'])
    const cup = (await ok(ada.call('GET', '/tournaments'))).json.tournaments.find(
      (each: { slug: string; state: string }) => each.slug.startsWith('salvage-cup') && each.state === 'open',
    )
    t.deepEqual(said(await enter(ada, cup.slug)), [402, 'entry-grant-ceiling'])
    const watching = await game.link(grace, { scopes: ['game.read', 'game.tournaments.act'] })
    t.deepEqual(said(await enter(watching)), [403, 'game_scope_missing'])
    await ok(enter(grace))

    const { json: run } = await ok(
      grace.call('POST', '/games', { action: 'start', slug: 'lane-drift', character_id: grace.characterId }),
    )
    shift += MINUTE_MS
    const moves = bestMoves('lane-drift', run.rounds)
    const { json: done } = await ok(grace.call('POST', '/games', { action: 'finish', token: run.token, events: moves }))
    await has(grace, 15 + done.rewards.units)
    t.like(await shown(), { state: 'open', entries: 2, prize_pool: 10 })
    const [best, ...others] = (await shown()).board
    t.like(best, { rank: 1, character_id: grace.characterId, name: 'Grace', score: done.score })
    t.deepEqual(others, [])

    shift += DAY_MS / 2 + MINUTE_MS
    await eventually('the settlement', async () => (await shown()).state === 'settled')
    await has(grace, 25 + done.rewards.units)
    await has(ada, 15)
    t.deepEqual(
      (await held()).filter(({ account }) => account.includes('tournament')),
      [],
    )
  },
)
