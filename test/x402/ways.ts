/** One resource's ways to pay, of every kind of chain that shares a 402 with the gasless token. */
import type { PaymentWay } from '../../adapters/x402/envelope.ts'

export const SOLD = { url: 'https://shop.test/r/res_1', description: 'A forecast for tomorrow' }

const base = {
  fiatAmount: '0.05',
  currency: 'USD',
  requiredConfirmations: 6,
  match: 'amount' as const,
  expiresAt: '2030-01-01T00:00:00.000Z',
}
const coin = (code: string, rest: Omit<PaymentWay, keyof typeof base | 'challengeId' | 'code'>): PaymentWay => ({
  challengeId: `ch_set.${code}`,
  code,
  ...base,
  ...rest,
})
const evm = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
const [digits6, digits9] = [{ decimals: 6 }, { decimals: 9 }]

export const BTC = coin('btc', {
  network: 'btc',
  chain: 'bip122:000000000019d6689c085ae165831e93',
  decimals: 8,
  amountAtomic: '1234',
  address: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh',
})
export const ETH = coin('eth', {
  network: 'eth',
  chain: 'eip155:1',
  decimals: 18,
  amountAtomic: '20000010000000000',
  address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
})
export const SOL = coin('sol', {
  network: 'sol',
  chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  ...digits9,
  amountAtomic: '250001',
  address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
})
export const TRX = coin('trx', {
  network: 'trx',
  chain: 'tron:0x2b6653dc',
  ...digits6,
  amountAtomic: '160001',
  address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
})
export const TON = coin('ton', {
  network: 'ton',
  chain: 'tvm:-239',
  ...digits9,
  amountAtomic: '9000001',
  address: 'UQBXKBnp9HhFGEWFvSfQDgtkYJGzZqGfaoSLkIVBYGBp9Oyq',
})
const usdc = (code: string, network: string, chain: string, contract: string, name = 'USD Coin') =>
  coin(code, {
    network,
    chain,
    ...digits6,
    amountAtomic: '50007',
    address: evm,
    contract,
    gasless: { name, version: '2', maxGasFeeUsd: '0.003000', requiredConfirmations: 1 },
  })

export const USDC_BASE = usdc('usdc_base', 'base', 'eip155:8453', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
export const USDC_ARB = usdc('usdc_arb', 'arb', 'eip155:42161', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831')
/** On the chain that clients know as their test chain. */
export const USDC_SEPOLIA = usdc(
  ...(['usdc_base', 'base', 'eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC'] as const),
)

export const coins: readonly PaymentWay[] = [BTC, ETH, SOL, TRX, TON]
export const allWays: readonly PaymentWay[] = [...coins, USDC_BASE]

/** Every order of some things. */
export const orders = <T>(things: readonly T[]): T[][] =>
  things.length < 2
    ? [[...things]]
    : things.flatMap((first, at) => orders(things.toSpliced(at, 1)).map((rest) => [first, ...rest]))
