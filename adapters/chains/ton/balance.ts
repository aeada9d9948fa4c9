/** What an address on TON holds, as of the newest block that the index knows. */

import { Address } from '@ton/core'
import type { ChainCoin } from '../coin.ts'
import { ProviderFault } from '../rpc/providers.ts'
import type { RawJettonWallet } from './answers.ts'
import type { TonApi } from './api.ts'

/**
 * Wallets of one owner and master that are read: there is one, and another for each time that the master was given
 * other code.
 */
const WALLETS_MAX = 100

export const balanceAt = (api: TonApi, address: string, { contract }: ChainCoin): Promise<bigint> =>
  contract === undefined ? coinAt(api, rawOf(address)) : jettonsAt(api, rawOf(address), rawOf(contract))

/** An account that nobody has paid yet is not listed. */
const coinAt = (api: TonApi, address: string): Promise<bigint> =>
  api.ask('/accountStates', async (client, signal) => {
    const query = { address, include_boc: 'false' }
    const answer = await client.get<{ accounts?: unknown }>('/accountStates', query, signal)
    if (!Array.isArray(answer?.accounts)) throw new ProviderFault('no accounts')
    const [account, ...more] = answer.accounts as readonly Partial<RawAccount>[]
    if (account === undefined) return 0n
    if (more.length > 0 || account.address !== address)
      throw new ProviderFault('another account than the one asked for')
    return unitsIn(account.balance)
  })

type RawAccount = { readonly address: string; readonly balance: unknown }

/** The index lists only wallets that the master itself calls this owner's; no wallet, no units. */
const jettonsAt = (api: TonApi, owner_address: string, jetton_address: string): Promise<bigint> =>
  api.ask('/jetton/wallets', async (client, signal) => {
    const query = { owner_address, jetton_address, limit: WALLETS_MAX }
    const answer = await client.get<{ jetton_wallets?: unknown }>('/jetton/wallets', query, signal)
    if (!Array.isArray(answer?.jetton_wallets)) throw new ProviderFault('no wallets')
    let sum = 0n
    for (const { owner, jetton, balance } of answer.jetton_wallets as readonly RawHolding[]) {
      if (owner !== owner_address || jetton !== jetton_address)
        throw new ProviderFault('another wallet than those asked for')
      sum += unitsIn(balance)
    }
    return sum
  })

type RawHolding = RawJettonWallet & { readonly balance: unknown }

/** Whole numbers beyond 53 bits are text. */
const unitsIn = (balance: unknown): bigint => {
  if (typeof balance !== 'string' || !/^\d{1,78}$/.test(balance)) throw new ProviderFault('no balance')
  return BigInt(balance)
}

/** Raw, in capitals, as the API writes it. */
const rawOf = (address: string): string => Address.parse(address).toRawString().toUpperCase()
