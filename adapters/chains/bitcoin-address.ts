/** Addresses of Bitcoin and of chains that are made like it. */

import { isXOnlyPoint } from '@bitcoinerlab/secp256k1'
import { address as bitcoin, networks as bitcoinNetworks, type Network } from 'bitcoinjs-lib'
import type { NetworkChain } from '../../domain/networks.ts'

/** How addresses are written on a chain, by CAIP-2; undefined for one that is not made like Bitcoin. */
export const addressRulesOf = ({ caip2 }: NetworkChain): Network | undefined => rules[caip2]

/** The canonical form; undefined for what is not surely payable there. */
export const canonicalBitcoin = (address: string, chain: NetworkChain): string | undefined => {
  const network = addressRulesOf(chain)
  return network && (canonicalSegwit(address, network) ?? canonicalBase58(address, network))
}

const { bitcoin: main, testnet, regtest } = bitcoinNetworks
const litecoin: Network = { ...main, bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32 }
const litecoinTest: Network = { ...testnet, bech32: 'tltc', scriptHash: 0x3a }

const rules: Readonly<Record<string, Network>> = {
  'bip122:000000000019d6689c085ae165831e93': main,
  'bip122:000000000933ea01ad0ee984209779ba': testnet,
  'bip122:00000000da84f2bafbbc53dee25a72ae': testnet,
  'bip122:00000008819873e925422c1ff0f99f7c': testnet,
  'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': regtest,
  'bip122:12a765e31ffd4059bada1e25190f6e98': litecoin,
  'bip122:4966625a4b2851d9fdee139e56211a0d': litecoinTest,
  'bip122:530827f38f93b43ed12af0b3ad25a288': { ...litecoinTest, bech32: 'rltc' },
}

/** Versions above 1 and lengths without a rule can be spent by anyone today, so they are refused although BIP-350 can write them. */
const canonicalSegwit = (address: string, network: Network): string | undefined => {
  const decoded = attempt(() => bitcoin.fromBech32(address))
  if (decoded?.prefix !== network.bech32) return undefined
  const { version, data } = decoded
  const isV0 = version === 0 && (data.length === 20 || data.length === 32)
  const isTaproot = version === 1 && data.length === 32 && isXOnlyPoint(data)
  return isV0 || isTaproot ? address.toLowerCase() : undefined
}

const canonicalBase58 = (address: string, { pubKeyHash, scriptHash }: Network): string | undefined => {
  const version = attempt(() => bitcoin.fromBase58Check(address))?.version
  return version === pubKeyHash || version === scriptHash ? address : undefined
}

/** The decoders say no by throwing. */
const attempt = <T>(decode: () => T): T | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}
