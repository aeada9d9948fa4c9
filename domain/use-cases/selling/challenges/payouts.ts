import { assetOf } from '../../../kernel/assets.ts'
import { minorDigits } from '../../../kernel/currencies.ts'
import { inStore } from '../../../kernel/in-store.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { NO_PAYOUT, type Payout } from '../../../selling/payout.ts'
import { isGone } from '../../../selling/transactions/transaction.ts'
import { ownAssetNamed } from '../../account/own-assets.ts'
import type { UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'
import { newTransaction } from './new-transaction.ts'

/** Payouts that a seller makes by itself (J-PAY-01 to J-PAY-03): Daybook keeps the record, and moves nothing. */

export type PayoutWish = {
  readonly accountId: string
  readonly storeId: number
  /** A coin that the seller knows, or a currency. */
  readonly asset: string
  readonly details: string
}

export type FoundPayout = Payout & { readonly payoutId: string }

/**
 * Notes a payout with its transaction; a repeat of the same request answers the first one (X-IDEM-01). Refuses
 * `unknown-asset`.
 */
export const requestPayout = (flow: UseCaseContext, once: Once, wish: PayoutWish): Promise<FoundPayout> => {
  const { ledger, world, vault } = flow
  const payoutId = once.id('po')
  const read = async () => ({ ...(await ledger.payout.read(payoutId)), payoutId })
  return once.make(read, async () => {
    const { accountId, asset } = wish
    const currency = minorDigits(asset) === undefined || assetOf(asset) ? undefined : asset
    if (currency === undefined) await ownAssetNamed(ledger, accountId, asset)
    const requestedAt = world.now().toISOString()
    const details = await vault.seal(accountId, wish.details)
    const transactionId = await newTransaction(ledger, world, payoutId, {
      accountId,
      ...inStore(wish.storeId),
      challengeId: null,
      resId: null,
      payoutId,
      externalReference: '',
      type: 'payout',
      title: 'Payout',
      webhookUrl: null,
      test: false,
      cryptocurrency: currency === undefined ? asset : '',
      currency: currency ?? '',
      amount: '',
      amountFiat: '',
      hash: '',
      payer: '',
      createdAt: requestedAt,
      ...once.mark,
    })
    const facts = { accountId, ...inStore(wish.storeId), transactionId, asset, details, requestedAt, ...once.mark }
    const { state } = await ledger.payout.request(payoutId, facts)
    return state.status === 'none' ? refuse('not-found', NO_PAYOUT) : { ...state, payoutId }
  })
}

/** The payout that a link leads to; undefined when there is none, or its transaction was deleted. */
export const payoutAt = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  payoutId: string,
): Promise<Payout | undefined> => {
  const payout = /^po_[a-z2-7]{26}$/.test(payoutId) ? await ledger.payout.read(payoutId) : undefined
  if (payout === undefined || payout.status === 'none') return undefined
  return isGone(await ledger.transaction.read(payout.transactionId)) ? undefined : payout
}

/**
 * Notes where the payee wants to be paid, once; the same details again change nothing. Refuses `not-found`, and
 * `state-forbids` for other details.
 */
export const givePayoutDetails = async (flow: UseCaseContext, payoutId: string, details: string): Promise<void> => {
  const { ledger, vault } = flow
  const { accountId } = (await payoutAt(flow, payoutId)) ?? refuse('not-found', NO_PAYOUT)
  const print = vault.fingerprint('payout-details', `${payoutId}|${details}`)
  await ledger.payout.giveDetails(payoutId, { details: await vault.seal(accountId, details), print })
}

/**
 * Notes that the seller has paid. The transaction completes next, by a policy when this call breaks off before its end.
 */
export const completePayout = async ({ ledger }: UseCaseContext, payoutId: string, by: string): Promise<void> => {
  const { state } = await ledger.payout.complete(payoutId, { by })
  if (state.status === 'none' || state.completedAt === undefined) return refuse('not-found', NO_PAYOUT)
  await ledger.transaction.complete(state.transactionId, { hash: '', payer: '', confirmedAt: state.completedAt })
}
