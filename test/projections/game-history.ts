import type { EventStore } from '../../domain/ports.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** A member whose links were claimed, replaced and revoked, and what its character did, scanned and played. */

const MEMBER = 'usr_game'
const MINUTE_MS = 60_000

export const gameHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('game-history')
  const { gameMember, gameCharacter } = ledgerOn(store, world)
  await gameMember.enlist(MEMBER, { characterId: 7, name: 'Ada', class: 'envoy' })
  const terms = { scopes: ['game.read', 'game.pvp.wager'], grants: { 'game.pvp.wager': 9 }, label: 'mine' } as const
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
}
