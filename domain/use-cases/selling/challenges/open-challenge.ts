import { inStore } from '../../../kernel/in-store.ts'
import { mulDivFloor, RATE_DECIMALS } from '../../../kernel/money.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import type { ChallengeEvents, RequestRef } from '../../../selling/challenge-events.ts'
import { requiredConfirmations } from '../../../selling/required-confirmations.ts'
import { mustSell } from '../../account/owner-keys.ts'
import { nothingPays, whyUnpayable } from '../../account/payable-coins.ts'
import { thoseAvailable, type UseCaseContext } from '../../context.ts'
import { goodsOf, holderOf } from '../stock/goods.ts'
import { lendPieces } from '../stock/lend-pieces.ts'
import { entryFor } from './challenge-entry.ts'
import { offersFor } from './offers.ts'
import { ownPriceOf } from './own-price.ts'
import { testEntries, testOffers } from './test-entries.ts'

/** How long a challenge stays valid (N-10). */
export const CHALLENGE_MINUTES = 60
/** How long its amounts stay its own afterwards, so that a late payment does not count for another challenge. */
export const HOLD_HOURS = 2
/**
 * Hours in which an amount that was held is lent after all others, told as `address_reuse_cooldown`. A re-scan looks
 * for late payments as long.
 */
export const COOLDOWN_HOURS = 24

const NO_PRICE = 'Nothing can be paid here right now: no coin of the seller has a price. Try again in a moment.'

/** What a set asks for; its state says the same, so that it can be shown again. */
export type OpenedChallenge = Readonly<
  Pick<
    ChallengeEvents['ChallengeOpened'],
    'accountId' | 'resId' | 'amount' | 'currency' | 'usd' | 'test' | 'entries' | 'expiresAt'
  > & {
    /** Set only for a set that was opened just now: a coin is missing, because its rate or chain did not answer. */
    incomplete?: true
  }
>

/** An open set with its id. */
export type ChallengeOffer = OpenedChallenge & { readonly setId: string }

export type OpeningOptions = {
  /** The caller is not known. Such callers share what a known caller is given alone. */
  anonymous: boolean
  /**
   * A keyed hash of the network that such a caller comes from: each network may hold a limited number of unpaid
   * challenges.
   */
  network?: string
  /** The id of the set, when a repeat has to meet the one it opened before, and the mark of the request (X-IDEM-01). */
  setId?: string
  request?: string
  /** A set without any coin is opened, too: what it is for can also be paid by card. */
  mayBeEmpty?: boolean
  /** No piece is lent to whoever only looks: there has to be one, and it may be gone when it is paid for (N-98). */
  lendsNone?: boolean
}

/**
 * Mints a set of challenges for a resource: one for each accepted asset that has an active wallet and a connected
 * chain, its price locked at today's rate, its confirmations and what may be missing as the seller's settings have them
 * now. Refuses `resource-not-found`, as `openSet` does, and `id-taken` when the id that `opening` names is another
 * set's.
 */
export const openChallenge = async (
  flow: UseCaseContext,
  resId: string,
  opening: OpeningOptions,
  /** The one coin that a person chose; all that are accepted unless given. */
  chosen?: string,
): Promise<ChallengeOffer> => {
  const resource = await flow.ledger.resource.recent(resId)
  if (resource.status !== 'active') return refuse('resource-not-found')
  const { accountId, storeId, amount, currency, webhookUrl, test, testConfirmations } = resource
  const acceptedAssets = resource.acceptedAssets.filter((code) => chosen === undefined || code === chosen)
  const sold = { accountId, ...inStore(storeId), resId, amount, currency, acceptedAssets }
  return openSet(flow, { ...sold, webhookUrl, test, testConfirmations }, opening)
}

/** The terms that a set is opened on. */
export type SetTerms = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  resId: string | null
  paymentRequest?: RequestRef
  /** Fiat price in millionths, and the VAT in it. */
  amount: string
  vat?: string
  /** The price in coin, when that is what was agreed. */
  assetAmount?: string
  currency: string
  acceptedAssets: readonly string[]
  webhookUrl: string | null
  test: boolean
  /** Confirmations that a test asks for; 1 unless given. */
  testConfirmations?: number
  /** When the set ends (ISO 8601), where that is sooner than usual. */
  until?: string
}

/**
 * Opens a set of challenges on these terms, once the pieces of what it is for are lent to it. Refuses `out-of-stock`;
 * `unavailable` when there is no rate or chain for any coin, or none of the currency, the account is suspended, or its
 * seller can be paid in none of the coins; `no-free-amount` when no payment could be told from somebody else's, and
 * `rate-limited` when the caller's network holds as many unpaid challenges, or pieces, as it may, both with the seconds
 * until that may have changed.
 */
export const openSet = async (
  flow: UseCaseContext,
  terms: SetTerms,
  { lendsNone = false, setId = flow.world.id('ch'), ...opening }: OpeningOptions,
): Promise<ChallengeOffer> => {
  const { ledger } = flow
  await mustSell(flow, terms.accountId)
  const goods = lendsNone ? [] : await goodsOf(ledger, terms)
  const expiresAt = endOf(flow, terms)
  const wish = { holder: holderOf(terms, setId), goods, endsAt: expiresAt, network: opening.network }
  const giveBack = await lendPieces(ledger, wish)
  try {
    return await openOn(flow, terms, { ...opening, setId, expiresAt })
  } catch (error) {
    // Another call has opened the very set.
    if (!isRefusal(error, 'id-taken')) await giveBack()
    throw error
  }
}

const endOf = ({ world }: UseCaseContext, { until }: SetTerms): string => {
  const latest = new Date(world.now().getTime() + CHALLENGE_MINUTES * 60_000).toISOString()
  return until !== undefined && until < latest ? until : latest
}

type LentSet = Omit<OpeningOptions, 'lendsNone'> & { readonly setId: string; readonly expiresAt: string }

const openOn = async (
  flow: UseCaseContext,
  terms: SetTerms,
  { anonymous, network, setId, expiresAt, mayBeEmpty = false, ...mark }: LentSet,
): Promise<ChallengeOffer> => {
  const { ledger } = flow
  const { acceptedAssets: _, assetAmount: __, until: ___, testConfirmations = 1, ...kept } = terms
  const { accountId } = kept
  const { price, offers } = await offersFor(flow, terms)
  const { confirmations, payment } = await ledger.settings.recent(accountId)
  const usd = mulDivFloor(price.amount, price.fiatRate, 10n ** BigInt(RATE_DECIMALS))
  const heldUntil = new Date(Date.parse(expiresAt) + HOLD_HOURS * 3_600_000).toISOString()
  const { underpaymentBasisPoints } = payment
  const buyer = { setId, accountId, endsAt: expiresAt, heldUntil, anonymous, ...(network && { network }) }
  const { there: entries, incomplete } = kept.test
    ? await testEntries(flow, await testOffers(flow, terms, offers), {
        price,
        confirmations: testConfirmations,
        underpaymentBasisPoints,
      })
    : await thoseAvailable(
        offers.map((o) => {
          const rules = { confirmations: requiredConfirmations(confirmations, o.asset, usd), underpaymentBasisPoints }
          return entryFor(flow, { ...o, ...rules, price, usd, ...buyer })
        }),
      )
  if (entries.length === 0 && !mayBeEmpty)
    throw nothingPays((await whyUnpayable(flow, accountId, terms.acceptedAssets)) ?? NO_PRICE)
  const opened = { ...kept, usd: String(usd), entries, expiresAt }
  const ownPrice = kept.test ? {} : await ownPriceOf(flow, opened)
  await ledger.challenge.open(setId, { ...opened, ...ownPrice, ...mark })
  return { setId, ...opened, ...(incomplete && { incomplete }) }
}
