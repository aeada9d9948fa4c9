/**
 * Finds the owners of jetton wallets: an account claims an owner and a master, and only the master can confirm the
 * claim.
 */

import { Address, beginCell, Cell } from '@ton/core'
import { recentMap } from '../../../domain/kernel/recent-map.ts'
import { ProviderRefusal, ProviderUnavailable } from '../rpc/providers.ts'
import type { RawGetMethodResult, RawJettonWallet } from './answers.ts'
import type { TonApi } from './api.ts'

/** Accounts asked for in one call, so that its address stays below 8 KB. */
const ACCOUNTS_PER_CALL = 80
/** Claims, and answers of masters, kept in memory, up to twice as many; those not asked for longest go first. */
const KEPT = 100_000
/**
 * Milliseconds after which the state of accounts that a provider tells includes a block. Until then an unknown wallet
 * may be one that this very payment made; after that, an account that cannot be told no longer holds up the chain.
 */
const STATE_LAG_MS = 30_000

/** An account that took units, if it is a wallet. `at` is the time, in milliseconds. */
export type Taker = { readonly account: string; readonly at: number }

/** The claim of an account. Addresses are raw and in capitals, as the API writes them. */
type Claim = {
  readonly owner: string
  readonly master: string
  /** Whether the index says so: it asked the master itself. */
  readonly isIndexed: boolean
}

export type JettonWallets = {
  /** The claims of those accounts that say they are wallets of a jetton. Rejects while one of them cannot be told. */
  claims(takers: readonly Taker[]): Promise<ReadonlyMap<string, Claim>>
  /** Whether the master confirms the claim. */
  isGenuine(taker: Taker, claim: Claim): Promise<boolean>
}

export const createJettonWallets = (network: string, api: TonApi): JettonWallets => {
  const kept = recentMap<Claim | typeof NO_WALLET>(KEPT)
  const words = recentMap<string>(KEPT)

  return {
    async claims(takers) {
      const unknown = new Map(takers.map((taker) => [taker.account, taker]))
      const claims = new Map<string, Claim>()
      const learn = (account: string, claim: Claim | typeof NO_WALLET) => {
        kept.set(account, claim)
        unknown.delete(account)
        if (claim !== NO_WALLET) claims.set(account, claim)
      }
      for (const account of [...unknown.keys()]) {
        const claim = kept.get(account)
        if (claim) learn(account, claim)
      }
      for (const { address, owner, jetton } of await listed(api, [...unknown.keys()]))
        learn(address, { owner, master: jetton, isIndexed: true })
      for (const taker of [...unknown.values()]) {
        const claim = await claimOf(network, api, taker)
        if (claim) learn(taker.account, claim)
      }
      return claims
    },
    async isGenuine({ account, at }, { owner, master, isIndexed }) {
      const key = `${master} ${owner}`
      if (words.get(key) === account) return true
      try {
        // A master that named another wallet is asked again: it may have been given other code, and then means other
        // wallets.
        const word = await walletAddress(api, master, owner)
        if (word) words.set(key, word)
        return word === account
      } catch (error) {
        if (!isUntold(error) || (!isIndexed && isFresh(at))) throw error
        return isIndexed
      }
    },
  }
}

const NO_WALLET = 'no wallet'

const isFresh = (at: number): boolean => Date.now() - at < STATE_LAG_MS

/** The wallets that the index lists. It writes a wallet down together with the block that made it. */
const listed = async (api: TonApi, accounts: readonly string[]): Promise<RawJettonWallet[]> => {
  const found: RawJettonWallet[] = []
  for (let n = 0; n < accounts.length; n += ACCOUNTS_PER_CALL) {
    const address = accounts.slice(n, n + ACCOUNTS_PER_CALL)
    const query = { address, limit: ACCOUNTS_PER_CALL }
    const answer = await api.get<{ jetton_wallets: readonly RawJettonWallet[] }>('/jetton/wallets', query)
    found.push(...(answer?.jetton_wallets ?? []))
  }
  return found
}

/**
 * The claim of an account that the index does not list: it is no wallet, or one of an unusual kind, or the index lags
 * behind its blocks.
 */
const claimOf = async (network: string, api: TonApi, { account, at }: Taker) => {
  try {
    const { exit_code, stack } = await run(api, account, 'get_wallet_data', [])
    // A number below zero says that there is no code; any other number comes from the code.
    if (exit_code < 0 && isFresh(at)) throw new Error(`${network}: the state of an account is not there yet`)
    const [owner, master] = isDone(exit_code) ? [addressIn(stack[1]), addressIn(stack[2])] : []
    if (owner && master) return { owner, master, isIndexed: false }
    return exit_code < 0 ? undefined : NO_WALLET
  } catch (error) {
    if (isFresh(at) || !isUntold(error)) throw error
    return undefined
  }
}

const isUntold = (error: unknown) => error instanceof ProviderRefusal || error instanceof ProviderUnavailable

const walletAddress = async (api: TonApi, master: string, owner: string): Promise<string | undefined> => {
  const slice = beginCell().storeAddress(Address.parse(owner)).endCell().toBoc().toString('base64')
  const { exit_code, stack } = await run(api, master, 'get_wallet_address', [{ type: 'slice', value: slice }])
  return isDone(exit_code) ? addressIn(stack[0]) : undefined
}

const run = (api: TonApi, address: string, method: string, stack: readonly object[]): Promise<RawGetMethodResult> =>
  api.post<RawGetMethodResult>('/runGetMethod', { address, method, stack })

/** Code ends well with 0, and also with 1. */
const isDone = (exitCode: number): boolean => exitCode === 0 || exitCode === 1

/** Undefined for what is no address: any contract may answer anything. */
const addressIn = (entry: { readonly value: unknown } | undefined): string | undefined => {
  try {
    const { workChain, hash } = Cell.fromBase64(String(entry?.value)).beginParse().loadAddress()
    return `${workChain}:${hash.toString('hex').toUpperCase()}`
  } catch {
    return undefined
  }
}
