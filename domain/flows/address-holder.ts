import type { Flow } from './flow.ts'

/** One holder of an email address at a time, whatever kind of account the address is claimed for. */

/** A claim that came to nothing, because what it was made for broke off, may be taken over after this long; no request lives so long. */
const CLAIM_ABANDONED_MS = 60_000

/** Whether who has claimed an address came to use it. */
export type Uses = (holder: string) => Promise<boolean>

type Holding = Pick<Flow, 'ledger' | 'world'>

/** Who has claimed an address; `abandoned` when they never came to use it. */
export const holderOf = async (
  { ledger, world }: Holding,
  fingerprint: string,
  uses: Uses,
): Promise<{ id: string; abandoned: boolean } | undefined> => {
  const { holder: id, claimedAt } = await ledger.email.read(fingerprint)
  if (id === undefined) return undefined
  const isOld = world.now().getTime() - Date.parse(claimedAt) > CLAIM_ABANDONED_MS
  return { id, abandoned: isOld && !(await uses(id)) }
}

/** Makes the address theirs. Refuses `email-taken`. */
export const claimFor = async (flow: Holding, fingerprint: string, id: string, uses: Uses): Promise<void> => {
  const holder = await holderOf(flow, fingerprint, uses)
  if (holder?.abandoned) await flow.ledger.email.reclaim(fingerprint, { from: holder.id, accountId: id })
  else await flow.ledger.email.claim(fingerprint, { accountId: id })
}
