import { base58, bech32 } from '@scure/base'
import test from 'ava'
import { addresses } from '../../adapters/chains/addresses.ts'
import { assets } from '../../domain/kernel/assets.ts'
import { networks } from '../../domain/kernel/networks.ts'

const why = (network: string, typed: string): string => {
  const address = addresses.canonicalOn(network, typed)
  return address === undefined ? 'no address' : (addresses.unpayable(network, address) ?? 'payable')
}

test('J-WAL-06 the contract of a catalogued coin is not paid on its own network, in whatever form it is written', (t) => {
  for (const { network, contract, testContracts = {}, name } of assets)
    for (const each of [...(contract ? [contract] : []), ...Object.values(testContracts)])
      t.is(why(network, each), `the contract of ${name}`, each)
  t.is(why('eth', '0xdac17f958d2ee523a2206206994597c13d831ec7'), 'the contract of Tether USD')
  t.is(why('base', '0xdAC17F958D2ee523a2206206994597C13D831ec7'), 'payable', 'on another network it is nothing')
  t.is(why('ton', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'), 'the contract of Tether USD on TON')
})

test('J-WAL-06 burn and system addresses are not paid', (t) => {
  const burn = 'a burn address, which nobody has the key of'
  const system = 'an address of the network itself'
  const told = {
    eth: {
      '0x000000000000000000000000000000000000dead': burn,
      '0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF': burn,
      '0x0000000000000000000000000000000000000001': system,
      '0x0000000000000000000000000000000000000100': system,
      '0x4200000000000000000000000000000000000006': system,
      '0x0000000000000000000000000000000000000000': 'no address',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': 'payable',
    },
    sol: {
      '11111111111111111111111111111111': system,
      So11111111111111111111111111111111111111112: system,
      '1nc1nerator11111111111111111111111111111111': burn,
      TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: system,
      SysvarC1ock11111111111111111111111111111111: system,
      SysvarRent111111111111111111111111111111111: system,
      '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM': 'payable',
    },
    trx: {
      T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb: 'no address',
      TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy: burn,
      TJRabPrwbZy45sbavfcjinPJC18kjpRTv8: 'payable',
    },
    ton: {
      [`-1:${'5'.repeat(64)}`]: system,
      [`-1:${'3'.repeat(64)}`]: system,
      [`0:${'0'.repeat(64)}`]: 'no address',
      [`0:${'5'.repeat(64)}`]: 'payable',
    },
    btc: {
      '1BitcoinEaterAddressDontSendf59kuE': burn,
      '1111111111111111111114oLvT2': burn,
      bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqn9aw: 'no address',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa': 'payable',
    },
  }
  for (const [network, list] of Object.entries(told))
    for (const [address, expected] of Object.entries(list)) t.is(why(network, address), expected, address)
  t.is(why('btc', bech32.encode('bc', [0, ...bech32.toWords(new Uint8Array(20))])), burn)
  t.is(why('ltc', bech32.encode('ltc', [0, ...bech32.toWords(new Uint8Array(20))])), burn)
})

test('J-WAL-06 an address of another chain is none here, also where its length would do', (t) => {
  const foreign = [
    ...['tb', 'ltc', 'bcrt'].map((prefix) => bech32.encode(prefix, [0, ...bech32.toWords(new Uint8Array(20).fill(7))])),
    FOREIGN,
  ]
  for (const address of foreign) t.is(why('btc', address), 'no address', address)
  t.is(why('ltc', bech32.encode('bc', [0, ...bech32.toWords(new Uint8Array(20).fill(7))])), 'no address')
  t.is(base58.decode(FOREIGN).length, 32, 'base58 alone would take it')
  for (const { name } of networks) t.is(why(name, FOREIGN), 'no address', name)
})

/** Of Osmosis. */
const FOREIGN = 'osmo1kmyqytwq8f93vvywpykt6ttq4eyxhrsfsxp3r7'
