import type { TokenDomain } from './eip3009.ts'
import { chainIdOf } from './networks.ts'

/**
 * The tokens that can be sent by a signed authorization (EIP-3009), with the domain that their signatures are bound to
 * (J-GAS-01).
 */

export type Eip3009Token = { readonly address: string; readonly name: string; readonly version: string }

/**
 * Circle's USDC on each chain, by CAIP-2 id. Addresses are those of viem's token list, which a test compares; names and
 * versions are those that `x402` 1.2.0 and `@x402/evm` 2.27 sign, and the contracts' own `name()` where those two leave
 * a chain out (Optimism and the Sepolia networks of Optimism and Ethereum). A wrong name makes every signature invalid.
 */
export const gaslessTokens: Readonly<Record<string, Eip3009Token>> = {
  'eip155:1': usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin'),
  'eip155:8453': usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USD Coin'),
  'eip155:137': usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin'),
  'eip155:43114': usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USD Coin'),
  'eip155:42161': usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USD Coin'),
  'eip155:10': usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USD Coin'),
  'eip155:84532': usdc('0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC'),
  'eip155:80002': usdc('0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 'USDC'),
  'eip155:43113': usdc('0x5425890298aed601595a70AB815c96711a31Bc65', 'USD Coin'),
  'eip155:421614': usdc('0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', 'USD Coin'),
  'eip155:11155420': usdc('0x5fd84259d66Cd46123540766Be93DFE6D43130D7', 'USDC'),
  'eip155:11155111': usdc('0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 'USDC'),
}

/** The domain that signatures for a contract are bound to; undefined when it is no token that takes authorizations. */
export const tokenDomainOf = (caip2: string, contract: string): TokenDomain | undefined => {
  const token = Object.hasOwn(gaslessTokens, caip2) ? gaslessTokens[caip2] : undefined
  const chainId = chainIdOf(caip2)
  if (!token || chainId === undefined || token.address !== contract) return undefined
  return { name: token.name, version: token.version, chainId, verifyingContract: token.address }
}

function usdc(address: string, name: string): Eip3009Token {
  return { address, name, version: '2' }
}
