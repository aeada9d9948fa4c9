/** A chain with the test dollar at Circle's address on Base Sepolia, a relayer's key, and payers who sign. */

import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  BASE_SEPOLIA,
  mintDollars,
  putDollar,
  TEST_USDC,
  usdcCall,
} from '../../adapters/chains/sandbox/sandbox-dollar.ts'
import type { Authorization } from '../../domain/selling/authorization-terms.ts'
import { startAnvil } from './anvil.ts'

export { BASE_SEPOLIA, TEST_USDC, usdcCall, WALLET_CODE } from '../../adapters/chains/sandbox/sandbox-dollar.ts'

export type GaslessChain = Awaited<ReturnType<typeof startGaslessChain>>
export type Payer = PrivateKeyAccount & { readonly key: Hex }

/** Blocks come with each transaction, or at a pace. Stop it in `test.after.always`. */
export const startGaslessChain = async (options: { blockTimeSeconds?: number } = {}) => {
  const anvil = await startAnvil({ chainId: BASE_SEPOLIA, ...options })
  await putDollar(anvil.client)
  const [relayer] = anvil.accounts
  if (!relayer) throw new Error('the chain has no accounts')
  return {
    ...anvil,
    relayer,
    /** What a service needs to sell there. */
    env: {
      CHAIN_BASE_RPC: anvil.url,
      CHAIN_BASE_ID: String(BASE_SEPOLIA),
      RELAYER_KEY: relayer.privateKey,
      RATES: 'fixed',
    },
    /** A payer with so many smallest units of the dollar. */
    payer: async (balance: bigint): Promise<Payer> => {
      const key = generatePrivateKey()
      const account = privateKeyToAccount(key)
      await mintDollars(anvil.client, account.address, balance)
      return { ...account, key }
    },
    mint: (to: string, amount: bigint) => mintDollars(anvil.client, to, amount),
    balance: async (of: string): Promise<bigint> => {
      const { data } = await anvil.client.call({ to: TEST_USDC, data: usdcCall('balanceOf', [of]) })
      return BigInt(data ?? '0x0')
    },
    /** Sends dollars of a payer who pays the gas himself; mined. */
    async transfer(payer: Payer, to: string, value: bigint): Promise<string> {
      await anvil.client.setBalance({ address: payer.address, value: 10n ** 18n })
      const request = { account: payer, chain: null, to: TEST_USDC, data: usdcCall('transfer', [to, value]) } as const
      const hash = await anvil.client.sendTransaction(request as never)
      await anvil.mined(hash)
      return hash
    },
    /** Sends a call of the dollar from the chain's own payer. */
    usdc: (functionName: string, args: readonly unknown[]) =>
      anvil.transact({ to: TEST_USDC, data: usdcCall(functionName, args) }),
  }
}

export type Signing = {
  to: string
  value: bigint
  /** Seconds from now. */
  validFor?: number
  validAfter?: bigint
  nonce?: Hex
  /** Whose money it is, when that is not the signer: a wallet that is a contract. */
  from?: string
}

/** Where the test dollar stands, and what signatures for it are bound to. */
export type Dollar = {
  readonly network: string
  readonly asset: string
  readonly chainId: number
  readonly contract: Hex
  readonly name: string
}

export const BASE_DOLLAR: Dollar = {
  network: 'base',
  asset: 'usdc_base',
  chainId: BASE_SEPOLIA,
  contract: TEST_USDC,
  name: 'USDC',
}

/** What a payer signs to pay in the test dollar. */
export const authorize = async (
  payer: PrivateKeyAccount,
  {
    to,
    value,
    validFor = 600,
    validAfter = 0n,
    nonce = `0x${randomBytes(32).toString('hex')}`,
    from = payer.address,
  }: Signing,
  { network, asset, chainId, contract, name }: Dollar = BASE_DOLLAR,
): Promise<Authorization> => {
  const validBefore = BigInt(Math.floor(Date.now() / 1_000) + validFor)
  const message = { from: from as Hex, to: to as Hex, value, validAfter, validBefore, nonce }
  const signature = await payer.signTypedData({
    domain: { name, version: '2', chainId, verifyingContract: contract },
    types: { TransferWithAuthorization: TRANSFER_TYPE },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return {
    network,
    asset,
    contract,
    from,
    to,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
    signature,
  }
}

const TRANSFER_TYPE = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** The call that gives up a nonce of a payer, for anybody to send. */
export const cancellation = async (
  payer: PrivateKeyAccount,
  nonce: string,
  { chainId, contract, name }: Dollar = BASE_DOLLAR,
): Promise<Hex> => {
  const signature = await payer.signTypedData({
    domain: { name, version: '2', chainId, verifyingContract: contract },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce: nonce as Hex },
  })
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
  return usdcCall('cancelAuthorization', [payer.address, nonce, v, r, s])
}
