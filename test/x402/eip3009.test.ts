import test from 'ava'
import fc from 'fast-check'
import {
  bytesToHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  recoverTypedDataAddress,
  toBytes,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import {
  authorizationDigest,
  callWithBytes,
  callWithParts,
  canonicalSignature,
  type Eip3009Authorization,
  recoverPayer,
  type TokenDomain,
} from '../../adapters/x402/eip3009.ts'
import { BASE_SEPOLIA_USDC, privateKeys, signedBy, typedData } from './payments.ts'

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const TRANSFER =
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(bytesToHex(bytes)))
const uints = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String)
const authorizations: fc.Arbitrary<Eip3009Authorization> = fc.record({
  from: addresses,
  to: addresses,
  value: uints,
  validAfter: uints,
  validBefore: uints,
  nonce: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex),
})
const domains: fc.Arbitrary<TokenDomain> = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1 }),
  version: fc.string({ minLength: 1, maxLength: 5 }),
  chainId: fc.integer({ min: 1, max: 2 ** 48 }),
  verifyingContract: addresses,
})

test('J-GAS-05 the example of the x402 specification was signed by its payer', (t) => {
  const authorization = {
    from: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
    to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    value: '10000',
    validAfter: '1740672089',
    validBefore: '1740672154',
    nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
  }
  const signature =
    '0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c'
  t.is(recoverPayer(authorization, BASE_SEPOLIA_USDC, signature), authorization.from)
  t.not(recoverPayer({ ...authorization, value: '10001' }, BASE_SEPOLIA_USDC, signature), authorization.from)
  t.not(recoverPayer(authorization, { ...BASE_SEPOLIA_USDC, name: 'USD Coin' }, signature), authorization.from)
})

test('J-GAS-05 the hash that is signed is the one that viem makes, for any authorization and token', (t) => {
  fc.assert(
    fc.property(authorizations, domains, (authorization, domain) => {
      const ours = bytesToHex(authorizationDigest(authorization, domain))
      t.is(ours, hashTypedData(typedData(authorization, domain)))
    }),
    { numRuns: 300 },
  )
  t.is(keccak256(toBytes(TRANSFER)), '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267')
})

test('J-GAS-05 the payer of any key is found, and viem finds the same', async (t) => {
  const check = fc.asyncProperty(privateKeys, authorizations, domains, async (key, unsigned, domain) => {
    const { authorization, signature } = await signedBy({ ...unsigned, from: privateKeyToAddress(key) }, domain, key)
    const theirs = await recoverTypedDataAddress({ ...typedData(authorization, domain), signature: signature as Hex })
    t.is(theirs, authorization.from as Hex)
    t.is(recoverPayer(authorization, domain, signature), authorization.from)
    t.is(canonicalSignature(signature), signature)
  })
  await fc.assert(check, { numRuns: 30 })
})

test('J-GAS-05 a high s and v of 0 or 1 are the same signature, written as the chain takes it', async (t) => {
  const check = fc.asyncProperty(privateKeys, async (key) => {
    const { authorization, signature } = await signedBy({}, BASE_SEPOLIA_USDC, key)
    for (const form of formsOf(signature)) {
      t.is(canonicalSignature(form), signature, form)
      t.is(recoverPayer(authorization, BASE_SEPOLIA_USDC, form), authorization.from)
    }
  })
  await fc.assert(check, { numRuns: 20 })
})

test('J-GAS-05 what no token takes as the signature of a key is no signature', async (t) => {
  const { authorization, signature } = await signedBy()
  const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)]
  const zero = '0'.repeat(64)
  const refused = [
    '',
    '0x',
    `0x${r}${s}`,
    `${signature}00`,
    signature.slice(0, -1),
    signature.slice(2),
    `0x${r}${s}02`,
    `0x${r}${s}1d`,
    `0x${r}${s}ff`,
    `0x${zero}${s}1b`,
    `0x${r}${zero}1b`,
    `0x${N.toString(16)}${s}1b`,
    `0x${r}${N.toString(16)}1b`,
    `0x${'f'.repeat(128)}1b`,
  ]
  for (const form of refused) t.is(recoverPayer(authorization, BASE_SEPOLIA_USDC, form), undefined, form)
})

test('J-GAS-05 looking for a payer never throws', (t) => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefx') })
  fc.assert(
    fc.property(authorizations, domains, fc.oneof(fc.string(), hex), (authorization, domain, signature) => {
      t.notThrows(() => recoverPayer(authorization, domain, signature))
    }),
  )
})

test('J-GAS-01 both calls that carry a transfer out are what viem encodes', async (t) => {
  const abi = parseAbi([
    'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  ])
  const functionName = 'transferWithAuthorization'
  const { signature } = await signedBy()
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), Number.parseInt(signature.slice(130), 16)]
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map(bytesToHex)
  const check = fc.property(authorizations, bytes, (authorization, long) => {
    const { from, to, value, validAfter, validBefore, nonce } = typedData(authorization, BASE_SEPOLIA_USDC).message
    const args = [from, to, value, validAfter, validBefore, nonce] as const
    const encoded = (rest: readonly unknown[]) =>
      encodeFunctionData({ abi, functionName, args: [...args, ...rest] as never })
    for (const form of formsOf(signature)) t.is(callWithParts(authorization, form), encoded([v, `0x${r}`, `0x${s}`]))
    t.is(callWithBytes(authorization, long), encoded([long]))
    t.is(callWithParts(authorization, long.slice(0, 120)), undefined)
  })
  fc.assert(check, { numRuns: 50 })
})

/** One signature in every way that wallets write it. */
const formsOf = (signature: string): string[] => {
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), Number.parseInt(signature.slice(130), 16) - 27]
  const high = (N - BigInt(`0x${s}`)).toString(16).padStart(64, '0')
  const [low, flipped] = [v, 1 - v].map((bit) => [`0${bit}`, (27 + bit).toString(16)])
  const forms = [...(low ?? []).map((last) => r + s + last), ...(flipped ?? []).map((last) => r + high + last)]
  return forms.flatMap((form) => [`0x${form}`, `0x${form.toUpperCase()}`])
}
