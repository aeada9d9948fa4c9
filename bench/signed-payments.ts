import { randomBytes } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import secp256k1 from 'secp256k1'
import { getAddress } from 'viem'
import { BASE_SEPOLIA, TEST_USDC } from '../adapters/chains/sandbox/sandbox-dollar.ts'
import { authorizationDigest, type TokenDomain } from '../adapters/x402/eip3009.ts'

/** Payments in the test dollar as an x402 client of version 2 sends them, signed fast enough for a bench. */

/** The terms that a seller asks for, as its 402 says them and a payment repeats them. */
export type Wanted = {
  readonly scheme: 'exact'
  readonly network: string
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

export type Payer = { readonly key: Uint8Array; readonly address: string }

const VALID_SECONDS = 3_600

export const wantedBy = (payTo: string, dollars: number): Wanted => ({
  scheme: 'exact',
  network: `eip155:${BASE_SEPOLIA}`,
  amount: String(dollars * 1_000_000),
  asset: TEST_USDC,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { name: DOMAIN.name, version: DOMAIN.version },
})

/** A payer, the same each time for the same number. */
export const payer = (n: number): Payer => {
  const key = keccak_256(new TextEncoder().encode(`payer ${n}`))
  const hash = keccak_256(secp256k1.publicKeyCreate(key, false).subarray(1))
  return { key, address: getAddress(`0x${Buffer.from(hash.subarray(12)).toString('hex')}`) }
}

/** A payment that was never made before. */
export const signedPayment = ({ key, address }: Payer, accepted: Wanted, resource: string) => {
  const authorization = {
    from: address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + VALID_SECONDS),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const { signature, recid } = secp256k1.ecdsaSign(authorizationDigest(authorization, DOMAIN), key)
  const hex = `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`
  return {
    x402Version: 2,
    resource: { url: resource, description: '', mimeType: 'application/json' },
    accepted,
    payload: { signature: hex, authorization },
  }
}

const DOMAIN: TokenDomain = { name: 'USDC', version: '2', chainId: BASE_SEPOLIA, verifyingContract: TEST_USDC }
