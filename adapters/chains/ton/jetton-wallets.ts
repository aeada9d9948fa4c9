/** Whose jetton wallets are: an account claims an owner and a master, and only the master's own word makes it true. */

import { Address, beginCell, Cell } from '@ton/core'
import { recentMap } from '../../../domain/kernel/recent-map.ts'
import { ProviderRefusal, ProviderUnavailable } from '../rpc/providers.ts'
import type { RawGetMethodResult, RawJettonWallet } from './answers.ts'
import type { TonApi } from './api.ts'

/** Accounts asked for in one call, so that its address stays below 8 KB. */
const ACCOUNTS_PER_CALL = 80
/** Claims, and words of masters, kept in memory, up to twice as many; what was not asked for longest goes first. */
const KEPT = 100_000
/**
 * Milliseconds after which whoever answers for the state of accounts knows what was in a block. Until then a wallet
 * that nobody knows may be one that this very payment made; after that, an account that nobody can tell of holds up the
 * chain no longer.
 */
const STATE_LAG_MS = 30_000

/** An account that took units, if it is a wallet. `at`: when, in milliseconds. */
export type Taker = { readonly account: string; readonly at: number }

/** Raw addresses in capitals, as the API writes them. */
type Claim = {
  readonly owner: string
  readonly master: string
  /** The index says so: it asked the master itself. */
  readonly isIndexed: boolean
}

export type JettonWallets = {
  /** What those of the accounts claim that say to be wallets of a jetton. Rejects while that cannot be told of one. */
  claims(takers: readonly Taker[]): Promise<ReadonlyMap<string, Claim>>
  /** Whether the master says so too. */
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
        // Asked again also where its word is known: a master may be given other code, and then means other wallets.
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

/** What the index lists. It writes a wallet down together with the block that made it. */
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
 * What an account says of itself that the index does not list: no wallet, or one of an unusual kind, or the index lags
 * behind its blocks.
 */
const claimOf = async (network: string, api: TonApi, { account, at }: Taker) => {
  try {
    const { exit_code, stack } = await run(api, account, 'get_wallet_data', [])
    // A number below zero says that there is no code; any other one is the word of the code.
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

/** 1 is the other way in which code ends well. */
const isDone = (exitCode: number): boolean => exitCode === 0 || exitCode === 1

/** Undefined for what is none: any contract may answer anything. */
const addressIn = (entry: { readonly value: unknown } | undefined): string | undefined => {
  try {
    const { workChain, hash } = Cell.fromBase64(String(entry?.value)).beginParse().loadAddress()
    return `${workChain}:${hash.toString('hex').toUpperCase()}`
  } catch {
    return undefined
  }
}
