import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { gameHolder } from '../../../domain/game/characters/holder.ts'
import { CODE_MINUTES } from '../../../domain/game/members/links.ts'
import { CHARACTERS_MAX, gameMember, type MemberEvents } from '../../../domain/game/members/member.ts'
import { GRANT_MAX_UNITS } from '../../../domain/game/members/scopes.ts'
import type { Stake } from '../../../domain/game/members/stakes.ts'
import { addDays } from '../../../domain/kernel/calendar.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { secondsUntil } from '../../../domain/kernel/refusals/limits.ts'
import { given, NOW } from '../../support/given.ts'

const LATER = '2027-01-01T00:00:00.000Z'
const terms = {
  scopes: ['game.read', 'game.pvp.act', 'game.pvp.wager'],
  grants: { 'game.pvp.wager': 10 },
  label: 'mine',
} as const
const made = (expiresAt = LATER) =>
  ({
    type: 'GameLinkCodeMade',
    data: { linkId: 'gln_1', codeHash: 'h', expiresAt, madeAt: NOW, ...terms },
  }) as const
const holder = { accountId: 'acc_1', holder: 'acc_1', consumerId: 'gcu_1' }
const claimed = {
  type: 'GameLinkClaimed',
  data: { linkId: 'gln_1', ...holder, claimedAt: NOW },
} as const
const revoked = {
  type: 'GameLinkRevoked',
  data: { linkId: 'gln_1', holder: 'acc_1', by: 'member', revokedAt: NOW },
} as const
const rich = {
  type: 'GameUnitsReceived',
  data: { from: 'house', units: 1_000, returned: null, position: '1', balance: 1_000 },
} as const
const stake = (units: number, stakeId = 's1'): Stake => ({
  ...({ stakeId, linkId: 'gln_1', scope: 'game.pvp.wager', units, to: `escrow:pvp:${stakeId}` } as const),
  for: { kind: 'duel-accept', duelId: stakeId, requestId: 'r' },
})
const staked = (units: number, at = NOW, stakeId = 's1') =>
  ({
    type: 'GameUnitsStaked',
    data: { ...stake(units, stakeId), day: at.slice(0, 10), usedToday: units, balance: 1_000 - units, stakedAt: at },
  }) as const

test('G-LNK-01 G-LNK-02 a code links once: claimed, revoked, replaced or too late it links nothing', (t) => {
  given(t, gameMember, made())
    .when('claim', { linkId: 'gln_1', ...holder })
    .yields(claimed)
  for (const events of [[made(), claimed], [made(), revoked], []])
    given(t, gameMember, ...events)
      .when('claim', { linkId: 'gln_1', ...holder })
      .isRefused('link-code-used')
  given(t, gameMember, made(NOW))
    .when('claim', { linkId: 'gln_1', ...holder })
    .isRefused('link-code-expired')
})

test('G-GEN-02 G-GEN-03 L-JSN-10 a member sets what a link may do and spend a day, within bounds, and changes it at any time', (t) => {
  const wish = { linkId: 'gln_2', codeHash: 'h', minutes: CODE_MINUTES, ...terms }
  given(t, gameMember, made())
    .when('makeCode', { ...wish, linkId: 'gln_1' })
    .yieldsNothing()
  for (const units of [-1, 0.5, GRANT_MAX_UNITS + 1])
    given(t, gameMember)
      .when('makeCode', { ...wish, grants: { 'game.pvp.wager': units } })
      .isRefused('invalid-request')
  given(t, gameMember, made())
    .when('changeLink', { linkId: 'gln_1', ...terms, scopes: ['game.read'] })
    .yields({ type: 'GameLinkChanged', data: { linkId: 'gln_1', scopes: ['game.read'], grants: {}, label: 'mine' } })
  given(t, gameMember, made())
    .when('changeLink', { linkId: 'gln_1', ...terms })
    .yieldsNothing()
  given(t, gameMember)
    .when('changeLink', { linkId: 'gln_1', ...terms })
    .isRefused('link-not-found')
  given(t, gameMember, made(), claimed).when('revoke', { linkId: 'gln_1', by: 'member' }).yields(revoked)
  given(t, gameMember, made(), claimed, revoked).when('revoke', { linkId: 'gln_1', by: 'member' }).yieldsNothing()
  const many = Array.from({ length: 20 }, (_, n) => ({ ...made(), data: { ...made().data, linkId: `gln_${n}` } }))
  given(t, gameMember, ...many)
    .when('makeCode', { ...wish, linkId: 'gln_x' })
    .isRefused('too-many-links')
})

test('a key acts by the link that it claimed last, whichever news comes first', (t) => {
  const first = { member: 'usr_a', linkId: 'gln_1', claimedAt: '2026-03-02T10:00:00.000Z' }
  const last = { member: 'usr_b', linkId: 'gln_2', claimedAt: '2026-03-02T10:00:01.000Z' }
  const held = { type: 'GameLinkHeld', data: { ...last, replaced: null } } as const
  given(t, gameHolder).when('hold', last).yields(held)
  given(t, gameHolder, held).when('hold', first).yieldsNothing()
  given(t, gameHolder, { type: 'GameLinkHeld', data: { ...first, replaced: null } })
    .when('hold', last)
    .yields({ type: 'GameLinkHeld', data: { ...last, replaced: { member: 'usr_a', linkId: 'gln_1' } } })
})

test('X-CLOSED-01 G-GEN-03 no grant, a grant used up, a revoked link or a clock that went back: nothing is spent', (t) => {
  given(t, gameMember, made(), claimed, rich)
    .when('stake', stake(8))
    .yields({ ...staked(8), data: { ...staked(8).data, stakedAt: NOW } })
  given(t, gameMember, made(), claimed, rich, staked(8)).when('stake', stake(8)).yieldsNothing()
  given(t, gameMember, made(), claimed, rich, staked(8)).when('stake', stake(3, 's2')).isRefused('wager-grant-ceiling')
  given(t, gameMember, made(), claimed, rich, staked(8, '2026-03-01T23:59:59.000Z'))
    .when('stake', stake(10, 's2'))
    .yields({ type: 'GameUnitsStaked', data: { ...staked(10, NOW, 's2').data, usedToday: 10, balance: 982 } })
  given(t, gameMember, made(), claimed, rich, staked(1, LATER))
    .when('stake', stake(1, 's2'))
    .isRefused('wager-grant-ceiling')
  given(t, gameMember, made(), claimed, rich, revoked).when('stake', stake(1)).isRefused('game-not-linked')
  given(t, gameMember, made(), rich).when('stake', stake(1)).isRefused('game-not-linked')
  given(t, gameMember, made(), claimed, rich)
    .when('stake', { ...stake(1), scope: 'game.studio.spend' })
    .isRefused('game-scope-missing')
  const noGrant = { type: 'GameLinkChanged', data: { linkId: 'gln_1', ...terms, grants: {} } } as const
  given(t, gameMember, made(), claimed, rich, noGrant).when('stake', stake(1)).isRefused('wager-grant-ceiling')
  given(t, gameMember, made(), claimed).when('stake', stake(1)).isRefused('insufficient-units')
  for (const units of [0, -1, 0.5, Number.NaN])
    given(t, gameMember, made(), claimed, rich).when('stake', stake(units)).isRefused('invalid-request')
})

test('G-GEN-03 what one link has staked is no other link’s to use, and its stakes leave the others theirs', (t) => {
  const other = [
    { type: 'GameLinkCodeMade', data: { ...made().data, linkId: 'gln_2' } },
    { type: 'GameLinkClaimed', data: { linkId: 'gln_2', ...holder, holder: 'acc_2', claimedAt: NOW } },
  ] as const
  const both = [made(), claimed, ...other, rich] as const
  for (const linkId of ['gln_2', 'gln_3'])
    given(t, gameMember, ...both, staked(8))
      .when('stake', { ...stake(8), linkId })
      .isRefused('quote-mismatch')
  const state = fold(gameMember, [...both, staked(8)])
  const daily = { ...stake(8), linkId: 'gln_2', onDay: NOW.slice(0, 10) }
  const refused = t.throws(() => gameMember.decide.stake(state, daily, NOW), { instanceOf: Refusal })
  t.like(refused, { code: 'rate-limited', retryAfterS: secondsUntil(addDays(daily.onDay, 1), NOW) })
  const hundred = Array.from({ length: 100 }, (_, n) => staked(1, NOW, `of-${n}`))
  const more = { ...stake(1, 'more'), units: 1 }
  given(t, gameMember, ...both, ...hundred)
    .when('stake', more)
    .isRefused('rate-limited')
  given(t, gameMember, ...both, ...hundred)
    .when('stake', { ...more, linkId: 'gln_2' })
    .yields({
      type: 'GameUnitsStaked',
      data: { ...staked(1, NOW, 'more').data, linkId: 'gln_2', usedToday: 1, balance: 998 },
    })
})

test('N-41 a call that was noted is noted once, and its key with another body is refused', (t) => {
  const call = { id: 'gcl_1', request: 'r' }
  const noted = { type: 'GameCallNoted', data: { call } } as const
  given(t, gameMember).when('noteCall', { call }).yields(noted)
  given(t, gameMember, noted).when('noteCall', { call }).yieldsNothing()
  given(t, gameMember, noted)
    .when('noteCall', { call: { ...call, request: 's' } })
    .isRefused('idempotency-conflict')
})

test('what an event sent arrives once, and a reward is claimed once for its period', (t) => {
  const { balance, ...part } = rich.data
  given(t, gameMember).when('receive', part).yields(rich)
  given(t, gameMember, rich).when('receive', part).yieldsNothing()
  const quest = { slug: 'a-bit-stronger', period: '2026-03-02' }
  const taken = { type: 'QuestRewardClaimed', data: { ...quest, units: 5, balance: 1_005, claimedAt: NOW } } as const
  given(t, gameMember, rich).when('claimQuest', quest).yields(taken)
  given(t, gameMember, rich, taken).when('claimQuest', quest).isRefused('already-claimed')
  given(t, gameMember, rich)
    .when('claimQuest', { ...quest, period: '2026-03-01' })
    .isRefused('state-forbids')
  const five = Array.from({ length: CHARACTERS_MAX }, (_, n) => enlisted(n))
  given(t, gameMember, ...five)
    .when('enlist', { characterId: 3, name: 'Ada', class: 'envoy' })
    .yieldsNothing()
  given(t, gameMember, ...five)
    .when('enlist', { characterId: 9, name: 'Ada', class: 'envoy' })
    .isRefused('too-many-characters')
  t.is(balance, 1_000)
})

test('I-GAM-01 G-GEN-03 whatever is staked, given back and granted, a day never costs more than its grant, and nobody owes', (t) => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => keepsWithin(t, steps)))
})

const enlisted = (characterId: number) =>
  ({ type: 'CharacterEnlisted', data: { characterId, name: 'Ada', class: 'envoy', enlistedAt: NOW } }) as const

type Step = { kind: 'stake' | 'return' | 'grant' | 'fund'; units: number; minutes: number; pick: number }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('stake', 'stake', 'return', 'grant', 'fund'),
  units: fc.integer({ min: 1, max: 12 }),
  minutes: fc.integer({ min: 0, max: 600 }),
  pick: fc.nat(),
})

/** Carries the steps out and counts by itself what each day cost, and what was granted at most on it. */
const keepsWithin = (t: ExecutionContext, steps: readonly Step[]): void => {
  const events: { type: keyof MemberEvents; data: object }[] = [made(), claimed]
  const open = new Map<string, { day: string; units: number }>()
  const spent = new Map<string, number>()
  let [at, grant, position] = [Date.parse(NOW), 10, 0]
  for (const [n, { kind, units, minutes, pick }] of steps.entries()) {
    at += minutes * 60_000
    const now = new Date(at).toISOString()
    const day = now.slice(0, 10)
    const state = fold(gameMember, events)
    const attempt = (decide: () => readonly { type: keyof MemberEvents; data: object }[]) => {
      try {
        const decided = decide()
        events.push(...decided)
        return decided.length > 0
      } catch (error) {
        if (error instanceof Refusal) return false
        throw error
      }
    }
    if (kind === 'fund')
      attempt(() =>
        gameMember.decide.receive(state, { from: 'house', units, returned: null, position: String(++position) }, now),
      )
    if (kind === 'grant') {
      grant = units
      attempt(() =>
        gameMember.decide.changeLink(state, { linkId: 'gln_1', ...terms, grants: { 'game.pvp.wager': units } }, now),
      )
    }
    if (kind === 'stake' && attempt(() => gameMember.decide.stake(state, stake(units, `s${n}`), now))) {
      spent.set(day, (spent.get(day) ?? 0) + units)
      open.set(`s${n}`, { day, units })
      t.true((spent.get(day) ?? 0) <= grant)
    }
    const [stakeId, back] = [...open][pick % Math.max(open.size, 1)] ?? []
    if (kind === 'return' && stakeId && back) {
      open.delete(stakeId)
      const part = { from: 'escrow', units: back.units, returned: stakeId, position: String(++position) }
      attempt(() => gameMember.decide.receive(state, part, now))
      spent.set(back.day, (spent.get(back.day) ?? 0) - back.units)
    }
    t.true(fold(gameMember, events).balance >= 0)
  }
}
