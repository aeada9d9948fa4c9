/** What an address of an EVM chain holds, as of its newest block. */

import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { ChainCoin } from '../coin.ts'
import type { JsonRpc } from '../rpc/json-rpc.ts'
import { ProviderFault } from '../rpc/providers.ts'

/**
 * Gas of one call to a token. A token that a seller names may do anything when it is asked, and must not keep a node
 * busy.
 */
const TOKEN_CALL_GAS = 10_000_000

export const balanceAt = (rpc: JsonRpc, network: string, address: string, { contract }: ChainCoin): Promise<bigint> =>
  contract === undefined ? coinAt(rpc, address) : tokensAt(rpc, network, address, contract)

const coinAt = (rpc: JsonRpc, address: string): Promise<bigint> =>
  rpc.ask('eth_getBalance', async (client, signal) => {
    const answer = await client.call<unknown>('eth_getBalance', [address, 'latest'], signal)
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw new ProviderFault('no balance')
    return BigInt(answer)
  })

/** Something else than one number is what the token says, and no fault of the provider's. */
const tokensAt = async (rpc: JsonRpc, network: string, address: string, contract: string): Promise<bigint> => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as Hex] })
  const call = { to: contract, data, gas: `0x${TOKEN_CALL_GAS.toString(16)}` }
  const word = await rpc.ask('eth_call', async (client, signal) => {
    const answer = await client.call<unknown>('eth_call', [call, 'latest'], signal)
    if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer)) throw new ProviderFault('no usable answer')
    return answer
  })
  if (word.length !== 66) throw new Error(`${network}: a contract that tells no balance`)
  return BigInt(word)
}
