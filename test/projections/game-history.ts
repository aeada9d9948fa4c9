import type { EventStore } from '../../domain/kernel/ports.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { arenaHistory } from './arena-history.ts'

/**
 * A member whose links were claimed, replaced and revoked, and what its character did, invented, had made, scanned and
 * played.
 */

const MEMBER = 'usr_game'
const MINUTE_MS = 60_000
const SITTER = { name: 'Ada', class: 'envoy', level: 1 } as const
const GRANTS = { 'game.pvp.wager': 9, 'game.studio.spend': 60 }

export const gameHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('game-history')
  const { gameMember, gameCharacter } = ledgerOn(store, world)
  await gameCharacter.create('7', { member: MEMBER, characterId: 7, name: 'Ada', class: 'envoy' })
  const terms = { scopes: ['game.read', 'game.pvp.wager', 'game.studio.spend'], grants: GRANTS, label: 'mine' } as const
  for (const linkId of ['gln_1', 'gln_2', 'gln_3']) {
    await gameMember.makeCode(MEMBER, { linkId, codeHash: `h-${linkId}`, minutes: 10, ...terms })
    if (linkId === 'gln_3') continue
    const holder = { accountId: 'acc_7', holder: 'acc_7' }
    await gameMember.claim(MEMBER, { linkId, ...holder, consumerId: 'gcu_1' })
  }
  await runPolicies(store, ledgerOn(store, world), world)
  const mission = { runId: 'grn_1', missionId: 'light-the-buoys', seed: 's', commit: 'c' }
  await gameCharacter.startMission('7', { ...mission, roll: 0, fragmentRoll: 0, fragment: 'hull-plate' })
  world.step(5 * MINUTE_MS)
  await gameCharacter.claimMission('7', { runId: 'grn_1' })
  await inventing(store, world)
  await ordering(store, world)
  const dice = { seed: 's', commit: 'c' }
  const scan = { ...dice, slug: 'tidal-shelf', roll: 0, fragment: 'ion-vane' } as const
  await gameCharacter.startScan('7', { scanId: 'gsc_1', ...scan })
  for (const runId of ['gpl_1', 'gpl_2', 'gpl_3'])
    await gameCharacter.startRun('7', { ...dice, runId, linkId: 'gln_2', slug: 'signal-echo', deal: ['ABC'] })
  world.step(5 * MINUTE_MS)
  await gameCharacter.claimScan('7', { slug: 'tidal-shelf' })
  for (const [n, input] of ['ABD', 'ABC', 'AAA'].entries()) {
    const moves = [{ t: 900, round: 1, input }]
    await gameCharacter.finishRun('7', { runId: `gpl_${n + 1}`, linkId: 'gln_2', moves })
  }
  await gameMember.revoke(MEMBER, { linkId: 'gln_2', by: 'member' })
  await runPolicies(store, ledgerOn(store, world), world)
  await arenaHistory(store)
}

/** One is accepted and paid, one is not. */
const inventing = async (store: EventStore, world: FixedWorld) => {
  const { gameCharacter } = ledgerOn(store, world)
  const mission = { missionId: 'light-the-buoys', seed: 's', commit: 'c', roll: 0, fragmentRoll: 0 }
  for (const fragment of ['trade-seal', 'seed-pod', 'trade-seal', 'hull-plate'] as const) {
    const runId = `grn_${fragment}_${world.now().getTime()}`
    await gameCharacter.startMission('7', { ...mission, runId, fragment })
    world.step(5 * MINUTE_MS)
    await gameCharacter.claimMission('7', { runId })
  }
  const said = { name: 'v1.n', thesis: 'v1.t', usedBefore: 0 }
  await gameCharacter.propose('7', { ...said, inventionId: 71, fragmentIds: [2, 3], skills: ['negotiation', 'botany'] })
  await gameCharacter.propose('7', { ...said, inventionId: 72, fragmentIds: [1, 4], skills: ['negotiation'] })
}

/** Of three works one is done, one comes to nothing, and one waits. */
const ordering = async (store: EventStore, world: FixedWorld) => {
  const { gameMember, gameStudioJob } = ledgerOn(store, world)
  await runPolicies(store, ledgerOn(store, world), world)
  const order = { slug: 'emblem', characterId: 7, priceUnits: 5, opts: 'v1.o', sitter: SITTER }
  for (const jti of ['job_1', 'job_2', 'job_3'])
    await gameMember.stake(MEMBER, {
      stakeId: jti,
      linkId: 'gln_2',
      scope: 'game.studio.spend',
      units: 5,
      to: `studio:${jti}`,
      for: { kind: 'studio', jti, order },
    })
  await runPolicies(store, ledgerOn(store, world), world)
  for (const jti of ['job_1', 'job_2']) await gameStudioJob.start(jti, {})
  await gameStudioJob.finish('job_1', { sha256: 'a'.repeat(64), bytes: 10 })
  await gameStudioJob.fail('job_2', { reason: 'artist-late' })
}
