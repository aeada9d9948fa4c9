/**
 * The test dollar of sandbox-dollar.sol, with the checks of Circle's, at Circle's address on Base Sepolia: for the
 * sandbox, the tests and the bench.
 */

import {
  createTestClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  publicActions,
  type TestActions,
} from 'viem'
import { MULTICALL3 } from '../evm/multicall.ts'
import contracts from '../sandbox-dollar.json' with { type: 'json' }

export const BASE_SEPOLIA = 84532
/** Address of Circle's own dollar on Base Sepolia. */
export const TEST_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

/** Smallest units for each holder: a trillion dollars, which no price exhausts. */
const HELD = 10n ** 18n

/** Puts the dollar on a sandbox chain with some for each holder; what a state file has brought along stays as it is. */
export const furnishSandbox = async (url: string, holders: readonly string[]): Promise<void> => {
  const chain = createTestClient({ mode: 'anvil', transport: http(url, { retryCount: 0 }) }).extend(publicActions)
  if (await chain.getCode({ address: TEST_USDC })) return
  for (const holder of holders) await mintDollars(chain, holder, HELD)
  await putDollar(chain)
}

/**
 * Puts the dollar on a chain, and Multicall3, through which batches of calls go; the dollar comes last, because whoever
 * finds it relies on both.
 */
export const putDollar = async (client: Pick<TestActions, 'setCode'>, at: Hex = TEST_USDC): Promise<void> => {
  await client.setCode({ address: MULTICALL3, bytecode: contracts.Multicall3Lite.deployed as Hex })
  await client.setCode({ address: at, bytecode: contracts.TestUSDC.deployed as Hex })
}

/**
 * Writes a balance straight into the storage, because a payer is needed faster than a block comes. `balanceOf` is the
 * mapping in slot 2.
 */
export const mintDollars = async (
  client: Pick<TestActions, 'setStorageAt'>,
  to: string,
  amount: bigint,
  at: Hex = TEST_USDC,
): Promise<void> => {
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [to as Hex, BALANCES_SLOT]))
  await client.setStorageAt({ address: at, index: slot, value: `0x${amount.toString(16).padStart(64, '0')}` })
}
const BALANCES_SLOT = 2n

/** Call data for the dollar. */
export const usdcCall = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: contracts.TestUSDC.abi, functionName, args })

/** The code of a wallet that is a contract and has one owner (EIP-1271); its owner is in slot 0. */
export const WALLET_CODE = contracts.TestWallet1271.deployed as Hex
