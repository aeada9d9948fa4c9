/** The balance of a wallet on Solana, as of the newest block that two thirds of the stake have voted for. */

import { base58 } from '@scure/base'
import type { ChainCoin } from '../coin.ts'
import type { JsonRpc } from '../rpc/json-rpc.ts'
import { ProviderFault } from '../rpc/providers.ts'

const confirmed = { commitment: 'confirmed' } as const
/**
 * A token account begins with its mint, its owner and its amount, 64 bits with the lowest byte first, in both token
 * programs alike.
 */
const [OWNER_AT, AMOUNT_AT, AMOUNT_END] = [32, 64, 72]
const amountOnly = { ...confirmed, encoding: 'base64', dataSlice: { offset: 0, length: AMOUNT_END } } as const

export const balanceAt = (rpc: JsonRpc, wallet: string, { contract }: ChainCoin): Promise<bigint> =>
  contract === undefined ? lamportsOf(rpc, wallet) : tokensOf(rpc, wallet, contract)

const lamportsOf = (rpc: JsonRpc, wallet: string): Promise<bigint> =>
  rpc.ask('getBalance', async (client, signal) => {
    const { value } = await client.call<{ value?: unknown }>('getBalance', [wallet, confirmed], signal)
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
    if (!isWhole || (value as number | bigint) < 0) throw new ProviderFault('no balance')
    return BigInt(value as number | bigint)
  })

/**
 * Sums all of the wallet's accounts of a mint: the node itself knows which of the two token programs the mint belongs
 * to.
 */
const tokensOf = (rpc: JsonRpc, wallet: string, mint: string): Promise<bigint> =>
  rpc.ask('getTokenAccountsByOwner', async (client, signal) => {
    const asked = [wallet, { mint }, amountOnly] as const
    const { value } = await client.call<{ value?: unknown }>('getTokenAccountsByOwner', asked, signal)
    if (!Array.isArray(value)) throw new ProviderFault('no token accounts')
    let sum = 0n
    for (const { account } of value as readonly RawTokenAccount[]) sum += amountIn(account?.data, wallet, mint)
    return sum
  })

type RawTokenAccount = { readonly account?: { readonly data?: readonly unknown[] } }

const amountIn = (data: readonly unknown[] | undefined, wallet: string, mint: string): bigint => {
  const bytes = Buffer.from(String(data?.[0]), 'base64')
  if (data?.[1] !== 'base64' || bytes.length < AMOUNT_END)
    throw new ProviderFault('a token account that cannot be read')
  const isAsked =
    base58.encode(bytes.subarray(0, OWNER_AT)) === mint && base58.encode(bytes.subarray(OWNER_AT, AMOUNT_AT)) === wallet
  if (!isAsked) throw new ProviderFault('another token account than those asked for')
  return bytes.readBigUInt64LE(AMOUNT_AT)
}
