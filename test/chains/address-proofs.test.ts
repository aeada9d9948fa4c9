/**
 * Who signed for an address: each signature here was made by a library that is not the one under test, or stands in a
 * specification.
 */
import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Address, beginCell, Cell, contractAddress, storeStateInit } from '@ton/core'
import { createShardAccount } from '@ton/sandbox'
import test, { type ExecutionContext } from 'ava'
import { TronWeb } from 'tronweb'
import nacl from 'tweetnacl'
import { pad } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { evmChain } from '../../adapters/chains/evm/evm.ts'
import { createAddressProofs } from '../../adapters/chains/proofs/proofs.ts'
import { tonChain } from '../../adapters/chains/ton/ton.ts'
import { canonicalTon } from '../../adapters/chains/ton-address.ts'
import type { ProofSignature } from '../../domain/account/address-proof.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import type { Chain } from '../../domain/kernel/ports.ts'
import { type Anvil, evmTestChain, startAnvil } from '../support/anvil.ts'
import { WALLET_CODE } from '../support/gasless.ts'
import { startTonNode } from '../support/ton-node.ts'
import { startTonSandbox } from '../support/ton-sandbox.ts'
import vectors from './address-proofs.json' with { type: 'json' }

const { text } = vectors
const NOW = new Date('2026-03-02T10:00:00.000Z')
const proofs = (chains: readonly Chain[] = []) =>
  createAddressProofs({
    chains: new Map(chains.map((chain) => [chain.network, chain])),
    chosen: new Map(),
    host: 'pay.example.test',
    now: () => NOW,
  })

/**
 * The signature is of this address over this text, and of nothing else; nor is it with any one of its bytes changed.
 */
const holds = async (
  t: ExecutionContext,
  { network, address, other }: { network: string; address: string; other: string },
  signature: string,
  { signed = text, chains = [] as readonly Chain[] } = {},
) => {
  const isSigned = (given: string, by = address, what = signed) =>
    proofs(chains).isSigned({ network, address: by, text: what, signature: given })
  t.true(await isSigned(signature), `${network} ${address}`)
  t.false(await isSigned(signature, address, `${signed} `), `${network}: another text`)
  t.false(await isSigned(signature, other), `${network}: another address`)
  for (const wrong of ['', '0x', signature.slice(0, -4), `${signature}AAAA`, signature.slice(4), 'é'.repeat(88)])
    t.false(await isSigned(wrong), `${network}: ${wrong}`)
}

let anvil: Anvil
test.before(async () => {
  anvil = await startAnvil()
})
test.after.always(() => anvil?.stop())

const fresh = () => privateKeyToAccount(generatePrivateKey())

test('an EVM key proves its address by EIP-191, and the other half of its signature proves nothing', async (t) => {
  const [own, other] = [fresh(), fresh()]
  const signature = await own.signMessage({ message: text })
  const place = { network: 'base', address: own.address, other: other.address }
  await holds(t, place, signature)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const malleated = `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`
  t.false(await proofs().isSigned({ ...place, text, signature: malleated }))
})

test.serial(
  'a contract proves its address by its own word (EIP-1271), asked within the limits of its chain',
  async (t) => {
    const [owner, stranger, nobody] = [fresh(), fresh(), fresh()]
    const { address } = fresh()
    await anvil.setCode(address, WALLET_CODE)
    await anvil.client.setStorageAt({ address, index: pad('0x0'), value: pad(owner.address) })
    const options = { network: 'eth', chain: evmTestChain(anvil.chainId) }
    const chain = evmChain({ ...options, rpcUrls: [anvil.url], timeoutMs: 20_000 })
    await holds(t, { network: 'eth', address, other: nobody.address }, await owner.signMessage({ message: text }), {
      chains: [chain],
    })
    const signed = { network: 'eth', address, text }
    const foreign = await stranger.signMessage({ message: text })
    t.false(await proofs([chain]).isSigned({ ...signed, signature: foreign }))
    const signature = await owner.signMessage({ message: text })
    t.false(await proofs().isSigned({ ...signed, signature }), 'a chain that is not connected knows no contract')
    const down = evmChain({ ...options, rpcUrls: ['http://127.0.0.1:9'], timeoutMs: 200 })
    await t.throwsAsync(proofs([down]).isSigned({ ...signed, signature }), { message: /unavailable/ })
    // Code that agrees with everything but reverts, and code that answers more than the word.
    await anvil.setCode(address, '0x600080fd')
    t.false(await proofs([chain]).isSigned({ ...signed, signature }))
    const word = `7f1626ba7e${'ff'.repeat(28)}60005260206000f3` as const
    await anvil.setCode(address, `0x${word}`)
    t.false(await proofs([chain]).isSigned({ ...signed, signature }))
  },
)

test('a Solana key proves its address, and a signature that was made from another proves nothing', async (t) => {
  const [own, other] = [nacl.sign.keyPair(), nacl.sign.keyPair()]
  const place = { network: 'sol', address: base58.encode(own.publicKey), other: base58.encode(other.publicKey) }
  const bytes = nacl.sign.detached(Buffer.from(text), own.secretKey)
  await holds(t, place, base58.encode(bytes))
  t.true(await proofs().isSigned({ ...place, text, signature: Buffer.from(bytes).toString('base64') }))
  const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
  const s = BigInt(`0x${Buffer.from(bytes.slice(32)).reverse().toString('hex')}`) + order
  const malleated = Uint8Array.from([
    ...bytes.slice(0, 32),
    ...Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
  ])
  t.false(await proofs().isSigned({ ...place, text, signature: base58.encode(malleated) }))
})

test('a Tron key proves its address by TIP-191', async (t) => {
  const tron = new TronWeb({ fullHost: 'http://127.0.0.1:9' })
  const [own, other] = [await tron.createAccount(), await tron.createAccount()]
  const signature = tron.trx.signMessageV2(text, own.privateKey)
  await holds(t, { network: 'trx', address: own.address.base58, other: other.address.base58 }, signature)
})

test('every kind of Bitcoin address with one key proves itself by BIP-322', async (t) => {
  const all = Object.values(vectors.btc)
  for (const [n, { address, signature }] of all.entries())
    await holds(t, { network: 'btc', address, other: all[(n + 1) % all.length]?.address ?? '' }, signature)
  for (const { address, signature, message } of vectors.bip322)
    t.true(await proofs().isSigned({ network: 'btc', address, text: message, signature }), message)
  const { address, signature } = vectors.btc.p2wpkh
  // What a witness covers is said by the last byte of its signature; anything but all of it is refused.
  const bytes = Buffer.from(signature, 'base64')
  bytes[(bytes[1] ?? 0) + 1] = 0x81
  t.false(await proofs().isSigned({ network: 'btc', address, text, signature: bytes.toString('base64') }))
})

test('Litecoin addresses prove themselves by a signed message of Litecoin, not of Bitcoin', async (t) => {
  const [plain, segwit] = vectors.ltc
  if (!plain || !segwit) return t.fail()
  await holds(t, { network: 'ltc', address: plain.address, other: OTHER_LTC }, plain.signature)
  await holds(t, { network: 'ltc', address: segwit.address, other: OTHER_LTC }, segwit.signature)
  t.false(await proofs().isSigned({ network: 'ltc', ...plain, text, signature: vectors.btc.p2pkh.signature }))
  t.false(await proofs().isSigned({ network: 'btc', ...vectors.btc.p2pkh, text, signature: plain.signature }))
})

const OTHER_LTC = 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea'

test.serial(
  'a TON wallet proves its address by ton_proof, by its initial state or by the key that it says on its chain',
  async (t) => {
    const pair = nacl.sign.keyPair()
    const code = Cell.fromBoc(Buffer.from(vectors.tonWalletV3R2, 'hex'))[0] as Cell
    const data = beginCell()
      .storeUint(0, 32)
      .storeUint(698983191, 32)
      .storeBuffer(Buffer.from(pair.publicKey))
      .endCell()
    const place = contractAddress(0, { code, data })
    const address = canonicalTon(place.toRawString()) as string
    const state_init = beginCell().store(storeStateInit({ code, data })).endCell().toBoc().toString('base64')
    const proof = { ...signedBy(pair, place, text), state_init }
    const isSigned = (signature: ProofSignature, by = address, what = text, chains: readonly Chain[] = []) =>
      proofs(chains).isSigned({ network: 'ton', address: by, text: what, signature })
    t.true(await isSigned(proof))
    t.false(await isSigned(proof, address, `${text} `), 'another text')
    t.false(await isSigned(proof, canonicalTon(`0:${'ab'.repeat(32)}`)), 'another address')
    t.false(await isSigned({ ...proof, domain: { lengthBytes: 9, value: 'evil.test' } }), 'another app')
    t.false(await isSigned({ ...proof, timestamp: proof.timestamp + 1 }), 'another time')
    t.false(await isSigned(signedBy(pair, place, text, 3_600)), 'an hour old')
    t.false(await isSigned(signedBy(nacl.sign.keyPair(), place, text)), 'no state, no chain')
    t.false(await isSigned({ ...signedBy(nacl.sign.keyPair(), place, text), state_init }), 'another key')
    const own = beginCell().storeUint(0, 64).storeBuffer(Buffer.from(pair.publicKey)).endCell()
    const odd = contractAddress(0, { code: own, data })
    const oddState = beginCell()
      .store(storeStateInit({ code: own, data }))
      .endCell()
      .toBoc()
      .toString('base64')
    const oddProof = { ...signedBy(pair, odd, text), state_init: oddState }
    t.false(await isSigned(oddProof, canonicalTon(odd.toRawString())), 'code that is no wallet’s')

    const sandbox = await startTonSandbox()
    await sandbox.blockchain.setShardAccount(
      place,
      createShardAccount({ address: place, code, data, balance: 10n ** 9n }),
    )
    const node = await startTonNode(sandbox)
    t.teardown(() => node.stop())
    const chain = tonChain({
      network: 'ton',
      chain: networkOf('ton')?.chains[0] as never,
      rpcUrls: [node.url],
      timeoutMs: 20_000,
    })
    const plain = signedBy(pair, place, text)
    t.true(await isSigned(plain, address, text, [chain]))
    t.false(await isSigned(signedBy(nacl.sign.keyPair(), place, text), address, text, [chain]))
    t.false(await isSigned(signedBy(pair, odd, text), canonicalTon(odd.toRawString()), text, [chain]), 'nobody there')
  },
)

/** What a wallet answers to `ton_proof`, as TON Connect specifies it. */
const signedBy = (pair: nacl.SignKeyPair, { workChain, hash }: Address, message: string, ageS = 10) => {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
  const value = 'pay.example.test'
  const timestamp = NOW.getTime() / 1_000 - ageS
  const [workchain, length, time] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(8)]
  workchain.writeInt32BE(workChain)
  length.writeUInt32LE(value.length)
  time.writeBigUInt64LE(BigInt(timestamp))
  const payload = sha256(Buffer.from(message)).toString('hex')
  const parts = [
    Buffer.from('ton-proof-item-v2/'),
    workchain,
    hash,
    length,
    Buffer.from(value),
    time,
    Buffer.from(payload),
  ]
  const full = Buffer.concat([Buffer.from('ffff', 'hex'), Buffer.from('ton-connect'), sha256(Buffer.concat(parts))])
  const signature = Buffer.from(nacl.sign.detached(sha256(full), pair.secretKey)).toString('base64')
  return { timestamp, domain: { lengthBytes: value.length, value }, signature }
}
