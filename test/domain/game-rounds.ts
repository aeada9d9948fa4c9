import { dealRounds } from '../../domain/game/games/judge.ts'
import { diceOf } from '../../domain/game/world/chance.ts'
import { GAMES } from '../../domain/game/world/games.ts'
import { world } from '../../src/settings/world.ts'

/** Rounds of the game's aggregates (small-states.test.ts). The clock steps a minute with each round. */

const SEED = '5e'.repeat(32)
/** What each game deals. */
const deals = Object.fromEntries(GAMES.map((slug) => [slug, dealRounds(slug, diceOf(world, SEED, 'run'))]))

const mission = (n: number) => ({
  runId: `r${n}`,
  missionId: 'light-the-buoys',
  seed: SEED,
  commit: SEED,
  roll: n % 100,
  fragmentRoll: 0,
  fragment: 'hull-plate',
})

const scan = (n: number) => ({
  scanId: `g${n}`,
  slug: 'tidal-shelf',
  seed: SEED,
  commit: SEED,
  roll: 0,
  fragment: 'ion-vane',
})

const run = (n: number, slug: (typeof GAMES)[number]) => ({
  runId: `p${n}`,
  slug,
  linkId: 'l',
  seed: SEED,
  commit: SEED,
  deal: deals[slug],
})

export const gameRounds = {
  gameMember: (n: number): (readonly [string, object])[] => [
    [
      'makeCode',
      {
        linkId: `l${n}`,
        codeHash: `h${n}`,
        minutes: 10,
        scopes: ['game.pvp.wager'],
        grants: { 'game.pvp.wager': 5 },
        label: 'x',
      },
    ],
    ['claim', { linkId: `l${n}`, accountId: 'a', holder: 'a', consumerId: `c${n}` }],
    ['changeLink', { linkId: `l${n}`, scopes: ['game.pvp.wager'], grants: { 'game.pvp.wager': 9 }, label: 'y' }],
    ['enlist', { characterId: n % 5, name: 'Ada', class: 'envoy' }],
    ['receive', { from: 'house', units: 3, returned: null, position: String(n) }],
    [
      'stake',
      {
        stakeId: `s${n}`,
        linkId: `l${n}`,
        scope: 'game.pvp.wager',
        units: 2,
        to: `escrow:pvp:${n}`,
        for: { kind: 'duel-accept', duelId: `d${n}`, requestId: 'r' },
      },
    ],
    ['claimQuest', { slug: 'two-errands', period: new Date(Date.UTC(2026, 2, 2, 10, n)).toISOString().slice(0, 10) }],
    ['noteCall', { call: { id: `c${n}`, request: 'r' } }],
    ['revoke', { linkId: `l${n}`, by: 'member' }],
  ],
  gameStudioJob: (): (readonly [string, object])[] => [
    [
      'order',
      {
        slug: 'emblem',
        characterId: 1,
        opts: 'v1.o',
        priceUnits: 15,
        member: 'usr_a',
        linkId: 'l1',
        sitter: { name: 'Ada', class: 'envoy', level: 1 },
      },
    ],
    ['start', {}],
    ['finish', { sha256: SEED, bytes: 9 }],
    ['fail', { reason: 'artist-late' }],
  ],
  gameHolder: (n: number): (readonly [string, object])[] => [
    ['hold', { member: 'usr_a', linkId: `l${n}`, claimedAt: String(n).padStart(6, '0') }],
  ],
  gameCharacter: (n: number): (readonly [string, object])[] => [
    ['create', { member: 'usr_a', characterId: 1, name: 'Ada', class: 'pathfinder' }],
    ['train', { stat: 'luck' }],
    ...(n % 400 === 399 ? ([['travel', { to: n % 800 === 399 ? 'meridian' : 'lantern' }]] as const) : []),
    ...(n % 20 === 0 ? ([['startMission', mission(n)]] as const) : []),
    ...(n % 20 === 9 ? ([['claimMission', { runId: `r${n - 9}` }]] as const) : []),
    ...(n % 20 === 10 ? ([['startScan', scan(n)]] as const) : []),
    ...(n % 20 === 16 ? ([['claimScan', { slug: 'tidal-shelf' }]] as const) : []),
    ['startRun', run(n, GAMES[n % GAMES.length] ?? GAMES[0])],
    ...(n % 3 === 0
      ? ([['finishRun', { runId: `p${n}`, linkId: 'l', moves: [{ t: 900, round: 1, input: 'A' }] }]] as const)
      : []),
    [
      'propose',
      {
        inventionId: n,
        name: 'v1.n',
        thesis: 'v1.t'.padEnd(3_000, 'x'),
        skills: ['piloting'],
        usedBefore: n % 5,
        fragmentIds: [Math.floor(n / 40) + 1, Math.floor(n / 40) + 2 + (n % 7)],
        call: { id: `c${n}`, request: 'r' },
      },
    ],
    [
      'countDuel',
      {
        duelId: `d${n}`,
        opponent: n,
        result: 'win',
        change: 12,
        position: String(n),
        foughtAt: new Date(Date.UTC(2026, 2, 2) + n * 60_000).toISOString(),
      },
    ],
  ],
  gameDuel: (n: number): (readonly [string, object])[] => [
    ['challenge', { member: 'usr_a', terms: duelTerms, stake: stakeOf(`c${n}`), position: String(2 * n) }],
    ['accept', { member: 'usr_b', ...fought, stake: stakeOf(`a${n}`), position: String(2 * n + 1) }],
    ['decline', { member: 'usr_b' }],
    ['cancel', { member: 'usr_a' }],
    ['expire', {}],
  ],
  gameTournament: (n: number): (readonly [string, object])[] => [
    [
      'enter',
      {
        slug: 'echo-cup-2026-w10',
        member: `usr_${'m'.repeat(26)}${n}`,
        characterId: 2 ** 52 + n,
        stake: { stakeId: `entry:echo-cup-2026-w10:2026-03-02`, units: 25 },
        position: String(n),
        call: { id: `gcl_${'c'.repeat(26)}`, request: 'r'.repeat(64) },
      },
    ],
    ['settle', { slug: 'echo-cup-2026-w10', scores: [] }],
  ],
}

const duelTerms = {
  challenger: 1,
  defender: 2,
  challengerMember: 'usr_a',
  defenderMember: 'usr_b',
  wagerUnits: 5,
  seed: SEED,
  commit: SEED,
}
const stakeOf = (stakeId: string) => ({ stakeId, units: 5 })
const fought = {
  requestId: 'rq',
  rounds: Array.from({ length: 3 }, () => ({ stat: 'luck', chance: 50, roll: 119, winner: null })),
  rating: { challenger: { before: 1000, after: 1000 }, defender: { before: 1000, after: 1000 } },
}
