import test from 'ava'
import { type Hex, pad } from 'viem'
import { startApp, type TestApp } from '../../../support/app.ts'
import { authorize, type GaslessChain, type Payer, startGaslessChain, WALLET_CODE } from '../../../support/gasless.ts'
import { freshAddress, saidOf } from '../../../support/sale.ts'
import {
  payWith,
  requirementOf,
  type SignedShop,
  sellSigned,
  signedShop,
  signFor,
  v1Payload,
} from '../../../support/signed-sale.ts'

/** Payers that are contracts, or keys with code of their own: only the chain knows what they have signed. */

let app: TestApp
let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

test('N-42 a wallet that is a contract pays with its owner’s signature (EIP-1271), alone in its transaction', async (t) => {
  const s = await signedShop(app)
  const owner = await chain.payer(0n)
  const wallet = await walletOf(owner)
  const signed = await signFor(app, owner, s.path, { from: wallet })
  t.is((await payWith(app, s.path, signed)).status, 200)
  t.is((await payWith(app, s.path, signed)).status, 200)
  t.is(await chain.balance(s.address), BigInt(signed.value))
  const [accepted] = await saidOf(app, 'AuthorizationAccepted', s.resId)
  t.true(accepted?.byContract)
  const [relayed] = await saidOf(app, 'RelayTransactionSent', signed.nonce)
  t.false(relayed?.batched)
  await sellSigned(app, await chain.payer(5_000_000n), s.checkout)
})

test('N-42 a stranger’s signature is not the wallet’s, nor that of a wallet which is not deployed', async (t) => {
  const s = await signedShop(app)
  const [owner, stranger] = [await chain.payer(0n), await chain.payer(0n)]
  const wallet = await walletOf(owner)
  await refusedWith(t, s, await signFor(app, stranger, s.path, { from: wallet }), 'invalid_exact_evm_payload_signature')
  const nowhere = freshAddress()
  await chain.mint(nowhere, 5_000_000n)
  const undeployed = await signFor(app, owner, s.path, { from: nowhere })
  await refusedWith(t, s, undeployed, 'invalid_exact_evm_payload_signature')
  const wrapped = `${undeployed.signature}${'6492'.repeat(16)}`
  await refusedWith(t, s, { ...undeployed, signature: wrapped }, 'invalid_exact_evm_payload_undeployed_smart_wallet')
  for (const signature of ['0x', '0x00', `0x${'00'.repeat(65)}`, `${undeployed.signature.slice(0, -2)}1d`]) {
    const { status } = await payWith(app, s.path, { ...undeployed, signature })
    t.true(status === 402 || status === 400, `${signature} ${status}`)
  }
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 0)
})

test('N-42 J-GAS-05 without asking its chain nobody can say what a contract has signed', async (t) => {
  const s = await signedShop(app)
  const owner = await chain.payer(0n)
  const signed = await signFor(app, owner, s.path, { from: await walletOf(owner) })
  const paymentRequirements = await requirementOf(app, s.path)
  const body = { x402Version: 1, paymentPayload: v1Payload(signed), paymentRequirements }
  const light = await app.call('POST', '/v1/exact-verify', { body })
  t.like(light.json, { isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' })
  const full = await app.call('POST', '/v1/x402/verify', { body })
  t.deepEqual(full.json, { isValid: true, payer: signed.from })
})

test('N-42 a key that has given itself code (EIP-7702) pays if its code says yes to it, else it is refused before gas is spent', async (t) => {
  const s = await signedShop(app)
  const wallet = freshAddress()
  await chain.setCode(wallet, WALLET_CODE)
  const clever = await delegated(await chain.payer(5_000_000n), wallet)
  // The code's owner is in the key's own storage.
  await chain.client.setStorageAt({ address: clever.address, index: pad('0x0'), value: pad(clever.address) })
  const signed = await signFor(app, clever, s.path)
  t.is((await payWith(app, s.path, signed)).status, 200)
  const mute = await delegated(await chain.payer(5_000_000n), chain.relayer.address)
  const bare = await authorize(mute, { to: s.address, value: BigInt(signed.value) })
  await refusedWith(t, s, bare, 'invalid_exact_evm_payload_signature')
})

const walletOf = async (owner: Payer): Promise<string> => {
  const wallet = freshAddress()
  await chain.setCode(wallet, WALLET_CODE)
  await chain.client.setStorageAt({ address: wallet as Hex, index: pad('0x0'), value: pad(owner.address) })
  await chain.mint(wallet, 5_000_000n)
  return wallet
}

/** The key points to the code of a contract, by a real transaction. */
const delegated = async (payer: Payer, to: string): Promise<Payer> => {
  await chain.client.setBalance({ address: payer.address, value: 10n ** 18n })
  const contractAddress = to as Hex
  const authorization = await payer.signAuthorization({ contractAddress, chainId: chain.chainId, nonce: 0 })
  const request = { chain: null, to: freshAddress(), gas: 200_000n, authorizationList: [authorization] }
  const hash = await chain.client.sendTransaction(request as never)
  await chain.mined(hash)
  const code = await chain.client.getCode({ address: payer.address })
  if (!code?.startsWith('0xef0100')) throw new Error('the key was given no code')
  return payer
}

const refusedWith = async (
  t: { deepEqual(actual: unknown, expected: unknown): void },
  s: SignedShop,
  signed: Parameters<typeof payWith>[2],
  reason: string,
): Promise<void> => {
  const { status, json } = await payWith(app, s.path, signed)
  t.deepEqual([status, json.error ?? json], [402, reason])
}
