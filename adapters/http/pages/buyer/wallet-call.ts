import type { WalletChain } from '../../../../domain/chains/wallet-chains.ts'

/** What a wallet in the browser is asked to send: whole numbers in hex, made here and never by a script. */
export type WalletCall = {
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string | undefined
  /** How a wallet that does not know the chain may add it; undefined where nobody should. */
  readonly add?: WalletChain | undefined
}

type CoinTransfer = {
  /** The chain's id of EIP-155. */
  readonly chainId: number
  readonly payTo: string
  /** The amount in the coin's smallest unit. */
  readonly units: bigint
  /** The contract of a token; undefined for the coin of the network itself. */
  readonly contract: string | undefined
}

export const walletCall = ({ chainId, payTo, units, contract }: CoinTransfer): WalletCall => {
  const there = hexOf(BigInt(chainId))
  if (contract === undefined) return { chainId: there, to: payTo, value: hexOf(units), data: undefined }
  const data = TRANSFER + word(BigInt(payTo)) + word(units)
  return { chainId: there, to: contract, value: hexOf(0n), data }
}

/** The selector of `transfer(address,uint256)`, ERC-20. */
const TRANSFER = '0xa9059cbb'
/** Hex digits of one argument. */
const WORD_DIGITS = 64

const word = (value: bigint): string => value.toString(16).padStart(WORD_DIGITS, '0')

const hexOf = (value: bigint): string => `0x${value.toString(16)}`
