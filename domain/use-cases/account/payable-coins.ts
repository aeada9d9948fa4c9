import type { CustomToken } from '../../account/custom-tokens.ts'
import type { Wallet } from '../../account/wallet.ts'
import { type PlainRefusalCode, Refusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { onOwnAddresses } from './address-claims.ts'
import { type OwnAsset, ownAssets, walletOf } from './own-assets.ts'

/** Whether an account can be paid in a coin, and if not, what is missing and what to do about it. */

/** What keeps a coin from being received, in the order in which it is looked for. */
type CoinFault = 'unknown' | 'no-wallet' | 'paused' | 'no-price' | 'price-silent' | 'no-chain' | 'not-held'

type UnpayableCoin = { readonly code: string; readonly fault: CoinFault }

type PayableContext = Pick<UseCaseContext, 'ledger' | 'prices' | 'chains'>

/** Those of some coins that the account cannot be paid in now, each with the first thing that is missing. */
const unpayableCoins = async (
  { ledger, prices, chains }: PayableContext,
  accountId: string,
  codes: readonly string[],
  look: 'read' | 'recent',
): Promise<readonly UnpayableCoin[]> => {
  const [wallets, own] = await Promise.all([ledger.wallet[look](accountId), ownAssets(ledger, accountId, codes, look)])
  const faults = await Promise.all(
    codes.map(async (code): Promise<UnpayableCoin | undefined> => {
      const coin = own(code)
      const fault = walletFault(coin, wallets[code]) ?? (await priceFault(prices, coin?.token))
      if (fault || !coin) return { code, fault: fault ?? 'unknown' }
      if (!chains.has(coin.asset.network)) return { code, fault: 'no-chain' }
      return (await isHeld(ledger, accountId, coin, wallets[code])) ? undefined : { code, fault: 'not-held' }
    }),
  )
  return faults.filter((each) => each !== undefined)
}

const walletFault = (coin: OwnAsset | undefined, kept: Wallet | undefined): CoinFault | undefined => {
  if (!coin) return 'unknown'
  const wallet = walletOf(coin, kept)
  if (!wallet || wallet.addresses.length === 0) return 'no-wallet'
  return wallet.active ? undefined : 'paused'
}

/** Whether one of the coin's addresses is the account's alone: money at an address of two accounts is nobody's. */
const isHeld = async (
  ledger: PayableContext['ledger'],
  accountId: string,
  coin: OwnAsset,
  kept: Wallet | undefined,
): Promise<boolean> => {
  const { addresses = [] } = walletOf(coin, kept) ?? {}
  return (await onOwnAddresses(ledger, accountId, [{ chain: coin.asset, addresses }])).length > 0
}

const priceFault = async (
  prices: UseCaseContext['prices'],
  token: CustomToken | undefined,
): Promise<CoinFault | undefined> => {
  if (!token || token.rate !== null) return undefined
  if (token.rateUrl === null) return 'no-price'
  return (await prices.usdFrom(token.rateUrl)) === undefined ? 'price-silent' : undefined
}

/**
 * Whether an account can be paid in one of some coins, or of all its own, as far as this process knows. A token whose
 * price is asked elsewhere counts as one that has a price.
 */
export const isPayable = async (
  { ledger, chains }: Pick<PayableContext, 'ledger' | 'chains'>,
  accountId: string,
  some?: readonly string[],
): Promise<boolean> => {
  const wallets = await ledger.wallet.recent(accountId)
  const codes = some ?? Object.keys(wallets)
  const own = await ownAssets(ledger, accountId, codes, 'recent')
  for (const code of codes) {
    const coin = own(code)
    if (!coin || walletFault(coin, wallets[code])) continue
    const hasPrice = !coin.token || coin.token.rate !== null || coin.token.rateUrl !== null
    if (hasPrice && chains.has(coin.asset.network) && (await isHeld(ledger, accountId, coin, wallets[code])))
      return true
  }
  return false
}

/** Faults that are a mistake in what is being made. A pause, and what is the operator's to mend, may pass. */
const MISTAKES: Partial<Record<CoinFault, PlainRefusalCode>> = {
  unknown: 'unknown-asset',
  'no-wallet': 'wallet-missing',
  'no-price': 'rate-missing',
  'price-silent': 'unavailable',
}

/**
 * Refuses `unknown-asset`, `wallet-missing`, `rate-missing` or `unavailable` for the first coin that could not be paid.
 */
export const mustBePayable = async (
  flow: PayableContext,
  accountId: string,
  codes: readonly string[],
): Promise<void> => {
  for (const { code, fault } of await unpayableCoins(flow, accountId, codes, 'read')) {
    const refusal = MISTAKES[fault]
    if (refusal !== undefined) refuse(refusal, whatToDo(code, fault))
  }
}

/** Those of an account's own coins that could be paid. Refuses with what is missing when there is none. */
export const payableCoins = async (flow: PayableContext, accountId: string): Promise<readonly string[]> => {
  const codes = Object.keys(await flow.ledger.wallet.read(accountId)).sort()
  const faults = (await unpayableCoins(flow, accountId, codes, 'read')).filter(
    ({ fault }) => fault !== 'no-chain' && fault !== 'not-held',
  )
  const payable = codes.filter((each) => !faults.some(({ code }) => code === each))
  const [first] = faults
  if (payable.length > 0) return payable
  if (!first) return refuse('wallet-missing', 'There is no wallet to be paid at: set one first, by POST /v1/wallets.')
  return refuse(MISTAKES[first.fault] ?? 'wallet-missing', whatToDo(first.code, first.fault))
}

/** What the seller has to do so that a coin can be paid. */
const whatToDo = (code: string, fault: CoinFault): string => {
  const coin = JSON.stringify(code)
  switch (fault) {
    case 'unknown':
      return `There is no asset ${coin}: take a code of GET /v1/wallets, or add the token by POST /v1/custom-tokens.`
    case 'no-wallet':
      return `There is no wallet for ${coin}: set a wallet for ${code} first, by POST /v1/wallets.`
    case 'paused':
      return `The wallet for ${coin} is paused: resume it by PUT /v1/wallets.`
    case 'no-price':
      return `The token ${coin} has no price: delete it, and add it again with a rate or a rate_url.`
    case 'price-silent':
      return `The rate_url of the token ${coin} gives no price right now: try again later, or add the token with a rate.`
    case 'no-chain':
      return `The network of ${coin} is not connected here: choose another coin.`
    case 'not-held':
      return `Another account has the receive address of ${coin}, too: the operator has to say whose it is.`
  }
}

/** What keeps a coin from being received, as a buyer is told it. */
const REASONS: Readonly<Record<CoinFault, string>> = {
  unknown: 'is not known any more',
  'no-wallet': 'has no receive address any more',
  paused: 'is paused by the seller',
  'no-price': 'has no price',
  'price-silent': 'has no price right now',
  'no-chain': 'is on a network that is not connected here',
  'not-held': 'has a receive address that another account has, too',
}

/** Coins that one reason names. */
const NAMED_MAX = 5

/** Why nothing can be paid in these coins, as a buyer is told it; undefined when one of them can. */
export const whyUnpayable = async (
  flow: PayableContext,
  accountId: string,
  codes: readonly string[],
): Promise<string | undefined> => {
  if (codes.length === 0) return 'The seller has no receive address of any coin. Ask the seller.'
  const faults = await unpayableCoins(flow, accountId, codes, 'recent')
  if (faults.length < codes.length) return undefined
  const named = faults.slice(0, NAMED_MAX).map(({ code, fault }) => `${code} ${REASONS[fault]}`)
  const more = faults.length > NAMED_MAX ? `, and ${faults.length - NAMED_MAX} more` : ''
  return `Nothing can be paid here right now: ${named.join(', ')}${more}. Ask the seller.`
}

/** Seconds after which a seller may have mended it. */
const MENDED_S = 300

/** The refusal of a sale that no coin can pay: it is its seller's to mend, so that asking again at once is no help. */
export const nothingPays = (reason: string): Refusal => new Refusal('unavailable', reason, undefined, MENDED_S)
