import type { EventStore } from '../../domain/kernel/ports.ts'
import { acceptDuel, cancelDuel, challengeDuel, declineDuel } from '../../domain/use-cases/game/duels.ts'
import { enterTournament, settleTournament } from '../../domain/use-cases/game/tournaments.ts'
import { arenaPolicies, callNamed, joins, player, playing } from '../support/arena.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** Duels that were fought, taken back, declined and left open, and a tournament that was too small. */

const DAY_MS = 86_400_000
const SPRINT = 'drift-sprint-2026-03-02'

export const arenaHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('arena-history')
  const ledger = ledgerOn(store, world)
  const on = { ledger, world }
  for (const [i, name] of ['one', 'two'].entries())
    await joins({ store, ledger, world }, name, { characterId: 70 + i, units: 50, grant: 40 })
  const [one, two] = [player('one'), player('two')]
  const duel = async (name: string, wagerUnits: number) =>
    challengeDuel(
      on,
      callNamed(world, name),
      await playing(ledger, one),
      { challenger: 70, defender: 71, wagerUnits },
      async () => 0,
    )
  const { duelId } = await duel('fought', 10)
  await acceptDuel(on, callNamed(world, 'yes'), two, duelId, undefined)
  await cancelDuel(on, one, (await duel('canceled', 5)).duelId)
  await declineDuel(on, two, (await duel('declined', 3)).duelId)
  await duel('open', 0)
  await enterTournament(on, callNamed(world, 'enter'), await playing(ledger, one), { slug: SPRINT, characterId: 70 })
  await runPolicies(store, ledger, world, arenaPolicies)
  world.step(2 * DAY_MS)
  await settleTournament(ledger, SPRINT)
  await runPolicies(store, ledger, world, arenaPolicies)
}
