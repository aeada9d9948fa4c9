/** The fee that a network takes, besides gas, for putting a transaction's data on the layer below. */

import { decodeFunctionResult, encodeFunctionData, type Hex, keccak256, parseAbi, serializeTransaction } from 'viem'
import { callWithParts } from '../x402/eip3009.ts'

/** The data fee of one payment: a sum of its own in wei, or additional units of gas. */
export type DataFee = { readonly wei: bigint; readonly gas: bigint }

const NONE: DataFee = { wei: 0n, gas: 0n }

/** Calls a contract; undefined when the call is reverted. */
type ContractQuestion = (question: { readonly to: string; readonly data: Hex }) => Promise<Hex | undefined>

/**
 * The fee of now for one payment by signature; nothing on a network that has no such fee. Rejects when the network does
 * not say. A chain that only bears its network's name, and has no oracle, has no such fee.
 */
export const askDataFee = async (network: string, chainId: number, ask: ContractQuestion): Promise<DataFee> =>
  (await oracles[network]?.(chainId, ask)) ?? NONE

/** The OP stack's `GasPriceOracle`: what the data of a transaction that is not signed yet will cost, in wei. */
const opStack = async (chainId: number, ask: ContractQuestion): Promise<DataFee | undefined> => {
  const { to, data } = usual
  const raw = serializeTransaction({ type: 'eip1559', chainId, nonce: 1_000_000, to, data, ...envelope })
  const answer = await answerOf(ask, OP_ORACLE, encodeFunctionData({ abi, functionName: 'getL1Fee', args: [raw] }))
  return answer && { wei: decodeFunctionResult({ abi, functionName: 'getL1Fee', data: answer }), gas: 0n }
}

/** Arbitrum's `NodeInterface`: the gas that pays for the data, which a transaction's limit has to hold as well. */
const arbitrum = async (_: number, ask: ContractQuestion): Promise<DataFee | undefined> => {
  const functionName = 'gasEstimateL1Component'
  const args = [usual.to, false, usual.data] as const
  const answer = await answerOf(ask, ARBITRUM_NODE, encodeFunctionData({ abi, functionName, args }))
  return answer && { wei: 0n, gas: decodeFunctionResult({ abi, functionName, data: answer })[0] }
}

/** Keyed by network; a network that is missing takes nothing for data. */
const oracles: Readonly<Record<string, typeof opStack>> = { base: opStack, op: opStack, arb: arbitrum }

const OP_ORACLE = '0x420000000000000000000000000000000000000F'
const ARBITRUM_NODE = '0x00000000000000000000000000000000000000C8'

const answerOf = async (ask: ContractQuestion, to: string, data: Hex): Promise<Hex | undefined> => {
  const answer = await ask({ to, data })
  if (answer === undefined) throw new Error('the oracle of data fees does not answer')
  return answer === '0x' ? undefined : answer
}

const abi = parseAbi([
  'function getL1Fee(bytes data) view returns (uint256)',
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64, uint256, uint256)',
])

/** Bytes like those of a payment, which are hardly smaller when they are compressed. */
const digits = (n: number): Hex => keccak256(`0x${n.toString(16).padStart(2, '0')}`)
const address = (n: number): Hex => `0x${digits(n).slice(-40)}`
const usual = {
  to: address(1),
  data: callWithParts(
    {
      from: address(2),
      to: address(3),
      value: '123456789',
      validAfter: '1772449000',
      validBefore: '1772449600',
      nonce: digits(4),
    },
    `${digits(5)}${digits(6).slice(2)}1b`,
  ) as Hex,
}
const envelope = { gas: 150_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
