/** What a contract wallet says of a signature (EIP-1271). */

import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { JsonRpc } from '../rpc/json-rpc.ts'
import { ProviderFault, ProviderRefusal } from '../rpc/providers.ts'

const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** The word of a contract that agrees, with nothing behind it. */
const AGREED = `0x1626ba7e${'0'.repeat(56)}`
/** Gas of the question: whoever wrote the contract may do anything when it is asked, and must not keep a node busy. */
const CALL_GAS = 3_000_000

/** An account without code, and a contract that reverts, do not agree. */
export const isSignedByContract = async (
  rpc: JsonRpc,
  address: string,
  hash: string,
  signature: string,
): Promise<boolean> => {
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash as Hex, signature as Hex] })
  const call = { to: address, data, gas: `0x${CALL_GAS.toString(16)}` }
  try {
    const word = await rpc.ask('eth_call', async (client, signal) => {
      const answer = await client.call<unknown>('eth_call', [call, 'latest'], signal)
      if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer)) throw new ProviderFault('no usable answer')
      return answer
    })
    return word.toLowerCase() === AGREED
  } catch (error) {
    if (error instanceof ProviderRefusal) return false
    throw error
  }
}
