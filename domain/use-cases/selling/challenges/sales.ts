import { assetOf } from '../../../kernel/assets.ts'
import { inStore } from '../../../kernel/in-store.ts'
import { FIAT_DECIMALS, mulDivFloor, RATE_DECIMALS, toUnits, type Units } from '../../../kernel/money.ts'
import type { UseCaseContext } from '../../context.ts'
import { rateOf } from './challenge-entry.ts'
import type { Sale } from './keep-challenge.ts'

/** What a signed payment can buy. */

/** The sale of a resource; undefined for one that nobody can buy for money: it is disabled, or a test, or not there. */
export const saleOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, resId: string): Promise<Sale | undefined> => {
  const resource = await ledger.resource.recent(resId)
  if (resource.status !== 'active' || resource.test) return undefined
  const { accountId, storeId, amount, currency, acceptedAssets, webhookUrl, maxPerCaller } = resource
  return { accountId, ...inStore(storeId), resId, amount, currency, acceptedAssets, webhookUrl, cap: maxPerCaller }
}

/**
 * The sale of what a seller sells on a server of its own, in one of its stores, for so much of a coin in smallest
 * units. Undefined when there is no such coin, or the amount is worth nothing. Refuses `unavailable` while the coin has
 * no price.
 */
export const saleElsewhere = async (
  flow: UseCaseContext,
  { accountId, storeId }: Pick<Sale, 'accountId' | 'storeId'>,
  code: string,
  assetAmount: Units,
): Promise<Sale | undefined> => {
  const asset = assetOf(code)
  const rate = asset && (await rateOf(flow, { asset, token: undefined }))
  if (!asset || rate === undefined) return undefined
  const micros = 10n ** BigInt(RATE_DECIMALS - FIAT_DECIMALS + asset.decimals)
  const amount = mulDivFloor(BigInt(assetAmount), toUnits(rate, RATE_DECIMALS), micros)
  if (amount === 0n) return undefined
  return {
    accountId,
    ...inStore(storeId),
    resId: null,
    amount: String(amount),
    assetAmount,
    currency: 'USD',
    acceptedAssets: [code],
    webhookUrl: null,
    cap: null,
  }
}
