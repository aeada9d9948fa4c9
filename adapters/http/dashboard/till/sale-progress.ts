import type { OpenRequest } from '../../../../domain/selling/payment-request.ts'
import { statusAt } from '../../../../domain/selling/payment-request.ts'
import { isResourceId } from '../../../../domain/selling/resource.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { arePiecesThere } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Queries } from '../../../../projections/index.ts'
import { followedChallenge, type PaymentProgress, progressOf } from '../../buyer/progress.ts'
import type { SaleState } from '../../pages/dashboard/till/sale.ts'
import { type CoinView, coinOf } from '../../pages/plain-words.ts'

/** How far a sale at the counter is, over all coins that its buyer has chosen meanwhile. */

type SaleProgress = {
  readonly state: SaleState
  readonly hasParts: boolean
  /** The challenge, or the payment by card, that has paid it. */
  readonly paidBy: string | undefined
}
type CoinProgress = { readonly challengeId: string; readonly progress: PaymentProgress; readonly coin: CoinView }

export const saleProgress = async (
  { flow, queries }: { readonly flow: UseCaseContext; readonly queries: Queries },
  requestId: string,
  request: OpenRequest,
): Promise<SaleProgress> => {
  if (request.status === 'paid') return { state: { name: 'paid' }, hasParts: false, paidBy: request.paidBy }
  const coins = await coinsOf(flow, await queries.challengesOfRequest(requestId))
  const hasParts = coins.some(({ progress }) => progress.state === 'underpaid')
  // A payment that settles is told to the request a moment later.
  const paidBy = coins.find(({ progress }) => progress.state === 'settled')?.challengeId
  return { state: paidBy ? { name: 'paid' } : await stateOf(flow, requestId, request, coins), hasParts, paidBy }
}

const stateOf = async (
  flow: UseCaseContext,
  requestId: string,
  request: OpenRequest,
  coins: readonly CoinProgress[],
): Promise<SaleState> => {
  for (const { progress } of coins)
    if (progress.state === 'seen')
      return { name: 'seen', confirmations: progress.confirmations, required: progress.required }
  if (statusAt(request, flow.world.now().toISOString()) === 'expired')
    return { name: request.withdrawn ? 'canceled' : 'expired' }
  for (const { progress, coin } of coins)
    if (progress.state === 'underpaid' && !progress.isOver)
      return { name: 'underpaid', coin, paid: progress.paid, missing: progress.missing }
  for (const each of request.goods ?? [])
    if (!(await arePiecesThere(flow, [each], requestId)))
      return { name: 'soldOut', product: await titleOf(flow, each.productId) }
  return { name: 'waiting' }
}

const titleOf = async ({ ledger }: UseCaseContext, productId: string): Promise<string> => {
  const found = isResourceId(productId) ? undefined : await ledger.checkout.recent(productId)
  return found && found.status !== 'none' ? found.title : productId
}

const coinsOf = async (flow: UseCaseContext, challengeIds: readonly string[]): Promise<readonly CoinProgress[]> => {
  const all = await Promise.all(
    challengeIds.map(async (id) => {
      const known = await followedChallenge(flow, id)
      return known && { challengeId: id, progress: await progressOf(flow, known), coin: coinOf(known.entry) }
    }),
  )
  return all.filter((each) => each !== undefined)
}
