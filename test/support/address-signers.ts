/** Keys of every chain, each with its address and its way to sign a text. */
import { pointFromScalar, signRecoverable } from '@bitcoinerlab/secp256k1'
import { base58 } from '@scure/base'
import { address as bitcoin, crypto } from 'bitcoinjs-lib'
import { TronWeb } from 'tronweb'
import nacl from 'tweetnacl'
import { pad } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { TestApp } from './app.ts'
import { WALLET_CODE } from './gasless.ts'

export const evm = () => {
  const account = privateKeyToAccount(generatePrivateKey())
  return {
    asset: 'usdc',
    address: account.address as string,
    sign: (text: string) => account.signMessage({ message: text }),
  }
}
/** A wallet that is a contract, whose owner signs for it. */
export const contract = async ({ anvil }: Pick<TestApp, 'anvil'>) => {
  const [owner, { address }] = [evm(), privateKeyToAccount(generatePrivateKey())]
  await anvil.setCode(address, WALLET_CODE)
  await anvil.client.setStorageAt({ address, index: pad('0x0'), value: pad(owner.address as `0x${string}`) })
  return { asset: 'eth', address: address as string, sign: owner.sign }
}
export const solana = () => {
  const pair = nacl.sign.keyPair()
  const sign = async (text: string) => base58.encode(nacl.sign.detached(Buffer.from(text), pair.secretKey))
  return { asset: 'sol', address: base58.encode(pair.publicKey), sign }
}
export const tron = async () => {
  const web = new TronWeb({ fullHost: 'http://127.0.0.1:9' })
  const { address, privateKey } = await web.createAccount()
  return {
    asset: 'trx',
    address: address.base58,
    sign: async (text: string) => web.trx.signMessageV2(text, privateKey),
  }
}
/** As Bitcoin Core and Litecoin Core sign messages. */
const core = (asset: 'btc' | 'ltc', magic: string) => {
  const secret = Buffer.from(generatePrivateKey().slice(2), 'hex')
  const key = pointFromScalar(secret, true) as Uint8Array
  const address = bitcoin.toBech32(crypto.hash160(key), 0, asset === 'btc' ? 'bc' : 'ltc')
  const sign = async (text: string) => {
    const length = Buffer.alloc(3, 0xfd)
    length.writeUInt16LE(text.length, 1)
    const hash = crypto.hash256(Buffer.concat([Buffer.from(magic), length, Buffer.from(text)]))
    const { signature, recoveryId } = signRecoverable(hash, secret)
    return Buffer.concat([Uint8Array.of(31 + recoveryId), signature]).toString('base64')
  }
  return { asset, address, sign }
}
export const bitcoinCore = () => core('btc', '\x18Bitcoin Signed Message:\n')
export const litecoinCore = () => core('ltc', '\x19Litecoin Signed Message:\n')
