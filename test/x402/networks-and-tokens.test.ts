import test from 'ava'
import { usdc } from 'viem/tokens'
import { caip2Of, chainIdOf, SENTINEL_NETWORK, v1NameOf } from '../../adapters/x402/networks.ts'
import { gaslessTokens, tokenDomainOf } from '../../adapters/x402/tokens.ts'
import { assetOn, assets } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'

test('J-GAS-01 every gasless token is Circle’s USDC of its chain, at the address that viem knows', (t) => {
  for (const [chain, { address }] of Object.entries(gaslessTokens)) {
    const known: Readonly<Record<number, string>> = usdc.addresses
    t.is(known[chainIdOf(chain) ?? 0], address, chain)
  }
})

test('J-GAS-01 the USDC of the catalogue is the gasless token of its chain, on main and test chains', (t) => {
  const seen = new Set<string>()
  for (const asset of assets.filter(({ code }) => code === 'usdc' || code.startsWith('usdc_'))) {
    const { family, chains = [] } = networkOf(asset.network) ?? {}
    for (const { caip2 } of family === 'evm' ? chains : []) {
      t.is(gaslessTokens[caip2]?.address, assetOn(asset, caip2)?.contract, `${asset.code} on ${caip2}`)
      seen.add(caip2)
    }
  }
  t.deepEqual([...seen].sort(), Object.keys(gaslessTokens).sort())
})

test('J-GAS-01 signatures are bound to the name that each chain’s contract gives', (t) => {
  const main = { name: 'USD Coin', version: '2', chainId: 8453 }
  const verifyingContract = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  t.deepEqual(tokenDomainOf('eip155:8453', verifyingContract), { ...main, verifyingContract })
  // What `name()` of each contract answers: the younger test chains have the short one.
  const named = (name: string) => Object.keys(gaslessTokens).filter((chain) => gaslessTokens[chain]?.name === name)
  const short = ['eip155:11155111', 'eip155:11155420', 'eip155:80002', 'eip155:84532']
  t.deepEqual(named('USDC').toSorted(), short)
  t.is(named('USD Coin').length, Object.keys(gaslessTokens).length - 4)
  t.is(tokenDomainOf('eip155:84532', verifyingContract), undefined)
  t.is(tokenDomainOf('eip155:56', verifyingContract), undefined)
  t.is(tokenDomainOf('constructor', verifyingContract), undefined)
})

test('N-42 names of version 1 and chains stand for each other, and version 2 writes chains', (t) => {
  const names = ['base', 'base-sepolia', 'polygon', 'polygon-amoy', 'avalanche', 'avalanche-fuji', SENTINEL_NETWORK]
  for (const name of names) t.is(v1NameOf(caip2Of(1, name) ?? ''), name)
  t.is(caip2Of(1, 'base'), 'eip155:8453')
  for (const chain of ['eip155:42161', 'eip155:10', 'eip155:1']) {
    t.is(v1NameOf(chain), undefined)
    t.is(caip2Of(1, chain), undefined)
    t.is(caip2Of(2, chain), chain)
  }
  for (const none of [
    'base',
    'eip155:',
    'eip155:0',
    'eip155:08453',
    'eip155:1e3',
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  ])
    t.is(caip2Of(2, none), undefined, none)
  for (const none of ['solana', 'constructor', '__proto__', '']) t.is(caip2Of(1, none), undefined, none)
})
