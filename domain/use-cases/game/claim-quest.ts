import { periodOf } from '../../game/world/periods.ts'
import { questOf } from '../../game/world/quests.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/**
 * Gives a member a quest's reward (G-QST-01). `progressIn` counts what was done within a time, from rows: when the rows
 * lag, they prove too little and the claim is refused. The claim decides once more which period it is for. Refuses
 * `not-found`, `state-forbids`, `already-claimed`.
 */
export const claimQuest = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  member: string,
  slug: string,
  progressIn: (startsAt: string, endsAt: string) => Promise<number>,
): Promise<void> => {
  const { every, target } =
    questOf(slug) ?? refuse('not-found', 'There is no such quest. Choose one of those on the page.')
  const period = periodOf(every, world.now().toISOString())
  const progress = await progressIn(period.startsAt, period.endsAt)
  if (progress < target)
    refuse('state-forbids', `This quest is not done yet: ${progress} of ${target}. Come back when it is.`)
  await ledger.gameMember.claimQuest(member, { slug, period: period.slug })
}
