import { gameMember } from '../../domain/game/members/member.ts'
import type { EventStore, World } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { streamOf } from './ledger.ts'

/** So many units from the house on top of what a member has: no quest brings just any number. */
export const giveUnits = async (
  { store, ledger, world }: { store: EventStore; ledger: Ledger; world: World },
  member: string,
  units: number,
): Promise<void> => {
  const stream = `${gameMember.category}-${member}`
  const { balance } = await ledger.gameMember.read(member)
  const revision = BigInt((await streamOf(store, stream)).length - 1)
  const [at, period] = [world.now().toISOString(), world.id('day')]
  const data = { slug: 'of-a-test', period, units, balance: balance + units, claimedAt: at }
  const meta = { v: 1, at, cause: { actor: 'test', correlationId: 'test' } }
  await store.append(stream, revision, [{ id: world.uuidFrom(period), type: 'QuestRewardClaimed', data, meta }])
}
