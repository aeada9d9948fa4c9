/**
 * Payments as real wallets sign them: viem makes the keys and the signatures, so that nothing of ours is its own
 * witness.
 */
import fc from 'fast-check'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Eip3009Authorization, TokenDomain } from '../../adapters/x402/eip3009.ts'

export const BASE_SEPOLIA_USDC: TokenDomain = {
  name: 'USDC',
  version: '2',
  chainId: 84532,
  verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
}

export const SELLER = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'

export const typedData = (authorization: Eip3009Authorization, domain: TokenDomain) => ({
  domain: { ...domain, verifyingContract: domain.verifyingContract as Hex },
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const,
  primaryType: 'TransferWithAuthorization' as const,
  message: {
    from: authorization.from as Hex,
    to: authorization.to as Hex,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    nonce: authorization.nonce as Hex,
  },
})

/** An authorization of a fresh key to the seller, signed for the token. */
export const signedBy = async (
  over: Partial<Eip3009Authorization> = {},
  domain = BASE_SEPOLIA_USDC,
  key = generatePrivateKey(),
) => {
  const account = privateKeyToAccount(key)
  const now = Math.floor(Date.now() / 1000)
  const authorization: Eip3009Authorization = {
    from: account.address,
    to: SELLER,
    value: '50000',
    validAfter: String(now - 600),
    validBefore: String(now + 300),
    nonce: generatePrivateKey(),
    ...over,
  }
  const signature: string = await account.signTypedData(typedData(authorization, domain))
  return { authorization, signature }
}

export type Signed = Awaited<ReturnType<typeof signedBy>>

/** The payload that clients of version 1 send. */
export const v1Payload = ({ authorization, signature }: Signed) => ({
  x402Version: 1,
  scheme: 'exact',
  network: 'base-sepolia',
  payload: { signature, authorization },
})

/** The payload that clients of version 2 send. */
export const v2Payload = ({ authorization, signature }: Signed) => ({
  x402Version: 2,
  resource: { url: 'https://shop.test/r/res_1', description: 'a thing', mimeType: 'application/json' },
  accepted: {
    challengeId: 'ch_a.usdc_base',
    scheme: 'exact',
    network: 'eip155:84532',
    amount: authorization.value,
    asset: BASE_SEPOLIA_USDC.verifyingContract,
    payTo: authorization.to,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2' },
  },
  payload: { signature, authorization },
  extensions: {},
})

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** A private key that the curve takes. */
export const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 0) && bytes[0] !== 255)
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
