/**
 * The key that pays the gas. Its signatures are the same each time, so that a transaction can be made again from what
 * was written down.
 */

import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ContractCall } from './calls.ts'
import type { Fees, GasPrice } from './relay-chain.ts'

export type RelayWallet = ReturnType<typeof createWallet>

/** The parts of a transaction besides the call. */
export type Envelope = GasPrice & {
  readonly nonce: number
  readonly gas: bigint
}

export const createWallet = (key: Hex, chainId: number) => {
  const account = privateKeyToAccount(key)
  return {
    /** The address in EIP-55 form. */
    address: account.address as string,
    async sign({ to, data }: ContractCall, envelope: Envelope): Promise<{ raw: Hex; hash: Hex }> {
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        to: to as Hex,
        data,
        value: 0n,
        ...envelope,
      })
      return { raw, hash: keccak256(raw) }
    },
  }
}

/** Twice the base fee, so that it may rise for six full blocks before the transaction falls behind. */
export const feesFor = ({ baseFee, tip }: Fees): GasPrice => ({
  maxFeePerGas: 2n * baseFee + tip,
  maxPriorityFeePerGas: tip,
})

/**
 * A price at least an eighth higher than before, which every node takes for a replacement, or the usual one of now
 * where that is higher.
 */
export const raisedGasPrice = (before: GasPrice, now: Fees): GasPrice => {
  const fresh = feesFor(now)
  const more = (fee: bigint) => fee + fee / 8n + 1n
  const max = (a: bigint, b: bigint) => (a > b ? a : b)
  return {
    maxFeePerGas: max(more(before.maxFeePerGas), fresh.maxFeePerGas),
    maxPriorityFeePerGas: max(more(before.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas),
  }
}
