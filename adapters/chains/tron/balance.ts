/** What an address on Tron holds, as of the newest block. Coin that is staked is not among it. */

import { toHex } from 'tronweb/utils'
import type { ChainCoin } from '../coin.ts'
import { ProviderFault, type Providers } from '../rpc/providers.ts'
import type { TronClient } from './http.ts'

export const balanceAt = (
  providers: Providers<TronClient>,
  network: string,
  address: string,
  { contract }: ChainCoin,
): Promise<bigint> =>
  contract === undefined ? coinAt(providers, toHex(address)) : tokensAt(providers, network, toHex(address), contract)

/**
 * An account that nobody has paid yet is `{}`, and one that holds nothing has no balance: protobuf leaves out what is
 * 0.
 */
const coinAt = (providers: Providers<TronClient>, address: string): Promise<bigint> =>
  providers.ask('an account', async (client, signal) => {
    const answer = await client.ask('getaccount', { address }, signal)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      throw new ProviderFault('no usable answer')
    const account = answer as { readonly address?: unknown; readonly balance?: unknown }
    if (Object.keys(account).length === 0) return 0n
    if (account.address !== address) throw new ProviderFault('another account than the one asked for')
    const { balance = 0 } = account
    const isWhole = typeof balance === 'bigint' || Number.isSafeInteger(balance)
    if (!isWhole || (balance as number | bigint) < 0) throw new ProviderFault('no balance')
    return BigInt(balance as number | bigint)
  })

type RawResult = {
  /** `code` and `message` stand there only when the call failed. */
  readonly result?: { readonly result?: boolean; readonly code?: string; readonly message?: string }
  readonly constant_result?: readonly unknown[]
}

/** A call that fails, or something else than one number, is what the token says, and no fault of the provider's. */
const tokensAt = async (
  providers: Providers<TronClient>,
  network: string,
  owner_address: string,
  contract: string,
): Promise<bigint> => {
  const call = {
    owner_address,
    contract_address: toHex(contract),
    function_selector: 'balanceOf(address)',
    parameter: owner_address.slice(2).padStart(64, '0'),
  }
  const { result, constant_result } = await providers.ask('a token', async (client, signal) => {
    const answer = (await client.ask('triggerconstantcontract', call, signal)) as RawResult | null
    if (typeof answer?.result !== 'object' || answer.result === null) throw new ProviderFault('no usable answer')
    return answer
  })
  const word = constant_result?.[0]
  const hasRun = result?.result === true && result.code === undefined && result.message === undefined
  if (!hasRun || typeof word !== 'string' || !/^[0-9a-f]{64}$/i.test(word))
    throw new Error(`${network}: a contract that tells no balance`)
  return BigInt(`0x${word}`)
}
