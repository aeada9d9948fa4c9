import type { Session } from '../../commerce/session-state.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { coinsOf } from '../selling/challenges/open-request.ts'

/** What no coin can pay is refused before anything is made of it; `unknown-asset`. */
export const mustBePayable = async ({ ledger }: UseCaseContext, { accountId, assets }: Session): Promise<void> => {
  const coins = await coinsOf(ledger, { accountId, asset: null, ...(assets && { assets }) })
  if (coins.length === 0) refuse('unknown-asset', 'the seller takes no coin that this could be paid in')
}
