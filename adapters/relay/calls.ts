import { MULTICALL3 } from '../chains/evm/multicall.ts'
/** The calls of a relayer: one of a token, or several of its calls together through Multicall3. */

import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { AcceptedAuthorization } from '../../domain/gasless/authorization.ts'
import { callWithBytes, callWithParts } from '../x402/eip3009.ts'
import type { Fees } from './relay-chain.ts'

/** Payments of one transaction. */
export const BATCH_MAX = 50

export type ContractCall = { readonly to: string; readonly data: Hex }
type CallableAuthorization = Pick<AcceptedAuthorization, 'authorization' | 'byContract'>

/** A payer with code gets its signature as it is; one without, in the parts that every version of the token takes. */
export const tokenCall = ({ authorization, byContract }: CallableAuthorization): ContractCall => {
  const { signature } = authorization
  const data = byContract ? callWithBytes(authorization, signature) : callWithParts(authorization, signature)
  if (data === undefined) throw new Error('a signature was taken that no token would take')
  return { to: authorization.contract, data: data as Hex }
}

/** One call that makes all of them; one that fails does not stop the others. */
export const batchCall = (calls: readonly ContractCall[]): ContractCall => ({
  to: MULTICALL3,
  data: encodeFunctionData({
    abi,
    args: [calls.map(({ to, data }) => ({ target: to as Hex, allowFailure: true, callData: data }))],
  }),
})

/** The outcome of each call of a batch. */
export const eachOf = (data: Hex): readonly { readonly success: boolean; readonly returnData: Hex }[] =>
  decodeFunctionResult({ abi, data })

/**
 * Gas that is allowed for, and not estimated: inside a batch a call that runs out fails alone, so an estimate would
 * come out too low. A first transfer to an address takes some 96,000 gas with Circle's token, all else some 77,000.
 */
const gasOf = (calls: number): bigint => (calls === 1 ? 150_000n : 50_000n + 120_000n * BigInt(calls))
/** The gas that one payment usually takes, from which its price is made. */
export const GAS_USUAL = 80_000n
/** A wallet that is a contract may do more before it says yes; beyond this it is not sponsored. */
const GAS_BY_CONTRACT_MAX = 500_000n

type GasFactors = Pick<AcceptedAuthorization, 'byContract' | 'code'>

/**
 * The gas that is allowed for some payments in one transaction; for none, that of one that only uses a nonce up. A
 * contract gets half as much again as it took when it was tried, and so does the gas of data, which rises and falls.
 */
export const gasFor = (group: readonly GasFactors[], { data }: Pick<Fees, 'data'>): bigint => {
  const contract = group.find(({ byContract }) => byContract)
  if (!contract) return gasOf(Math.max(1, group.length)) + BigInt(Math.max(1, group.length)) * generous(data.gas)
  const allowed = contract.code ? generous(BigInt(contract.code.gas)) : GAS_BY_CONTRACT_MAX + generous(data.gas)
  return allowed < GAS_BY_CONTRACT_MAX + generous(data.gas) ? allowed : GAS_BY_CONTRACT_MAX + generous(data.gas)
}

const generous = (gas: bigint): bigint => (gas * 3n) / 2n

const abi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
])
