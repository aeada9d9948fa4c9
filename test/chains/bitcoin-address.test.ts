import * as curve from '@bitcoinerlab/secp256k1'
import test from 'ava'
import { address as bitcoinjs, initEccLib, type Network as Rules, Transaction } from 'bitcoinjs-lib'
import { readBlock } from '../../adapters/chains/bitcoin/block.ts'
import {
  addressOfScript,
  addressOfSpender,
  addressRulesOf,
  canonicalBitcoin,
  scriptOfAddress,
} from '../../adapters/chains/bitcoin-address.ts'
import { chainOf, type NetworkChain, networkOf, networks } from '../../domain/kernel/networks.ts'
import blocks from './bitcoin-blocks.json' with { type: 'json' }

initEccLib(curve)

/** Address and script, of the files key_io_valid.json of Litecoin Core, of bitcoinjs-lib's fixtures and of BIP-341. */
const payable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'btc mainnet': {
    '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH': '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac',
    '3LRW7jeCvQCRdPF8S3yUCfRAx4eqXFmdcr': 'a914cd7b44d0b03f2d026d1e586d7ae18903b0d385f687',
    bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
    bc1p2wsldez5mud2yam29q22wgfh9439spgduvct83k3pm50fcxa5dps59h4z5:
      '512053a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343',
  },
  'btc testnet4': {
    mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r: '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac',
    '2NByiBUaEXrhmqAsg7BbLpcQSAQs1EDwt5w': 'a914cd7b44d0b03f2d026d1e586d7ae18903b0d385f687',
    tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7:
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  },
  'btc regtest': {
    bcrt1qjh3dnrafy8f2zszh5sdqn6c3ycfljh930yza9nt72v30dkw8mlvscn82zx:
      '002095e2d98fa921d2a14057a41a09eb112613f95cb17905d2cd7e5322f6d9c7dfd9',
  },
  'ltc mainnet': {
    LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA: '76a914558dbca7118cd5894502767c7b2ffc21a22f54db88ac',
    MHrYRxAiMNBTku3eoDHwhA1LQGDjUStZW2: 'a9146d328a5b2a20d943a641c8d29b6cc3c2d2df85d387',
    ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w: '0014bb6ec1bb3a1a01381d2251d79cbee1b8e86f73ee',
    ltc1qa9dykljtgeayhm8ygx25sc22p0wzgudpe4hw9dyvaz0ye3j5kduq9mf68z:
      '0020e95a4b7e4b467a4bece4419548614a0bdc2471a1cd6ee2b48ce89e4cc654b378',
    ltc1ppu2gv0tujus0f6eggrk7eqmaf0567x6zer4fcuhz4z7ztzq9u9yseqxltc:
      '51200f14863d7c9720f4eb2840edec837d4be9af1b42c8ea9c72e2a8bc258805e149',
    ltc1p59fcnxdn05t6adags3dc0vuvm4ejd7chsspp9ryqkvvlxrwkdylqfsruty:
      '5120a1538999b37d17aeb7a8845b87b38cdd7326fb178402128c80b319f30dd6693e',
  },
  'ltc testnet': {
    mwXn5Vhicdav8Av3KMokx4YNuHoGRKxtWs: '76a914afa9e672141e283dfbcc1cf28f3793a856d3878488ac',
    QXaUgLHkZcbJb2j5XgMYzY8cF9YM48Y81Z: 'a9147860667e60a6545e18e541984094b29c9c46991b87',
    tltc1qpftpsvdn6mjp8celrkj0qxqy4jlapl959rlwg9: '00140a561831b3d6e413e33f1da4f01804acbfd0fcb4',
    tltc1pcdvmgxjvz4glnvxfufqt7qgcz94dxqa8t838upq4ajqf2r6f7dastfdk7r:
      '5120c359b41a4c1551f9b0c9e240bf0118116ad303a759e27e0415ec80950f49f37b',
  },
  'ltc regtest': {
    QgDNrG4nJpE4VV7PcFMFhkTgwAHWxWS7pj: 'a914d71bee7a1395c10c9ca9a7f53ac086b53e74369d87',
    rltc1q3kquwp848h4juq7rl5q3wqsr29pd3d6wprzz8k: '00148d81c704f53deb2e03c3fd011702035142d8b74e',
  },
}

/** Versions that nobody has a rule for yet (the same files), the older P2SH form of Litecoin, and hidden addresses. */
const unpayable: Readonly<Record<string, readonly (readonly [address: string, script?: string])[]>> = {
  'ltc mainnet': [
    ['ltc1zjwls6j8c4u', '520293bf'],
    ['ltc1zpr0qrh9zvs', '520208de'],
    ['3LRW7jeCvQCRdPF8S3yUCfRAx4eqXFmdcr'],
    ['1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['tltc1qpftpsvdn6mjp8celrkj0qxqy4jlapl959rlwg9'],
    ['ltc153m7rf'],
  ],
  'ltc testnet': [
    ['tltc1rdljmhjrmdhjsu6qgm75lkm9l0540kkfu', '53106fe5bbc87b6de50e6808dfa9fb6cbf7d'],
    ['2NByiBUaEXrhmqAsg7BbLpcQSAQs1EDwt5w'],
  ],
  'ltc regtest': [
    [
      'tmweb1qqvzqvrxcdtlgzku8q2xg67umulmtp9448g0fykmejad5l7hkh3367qc96ayjkhhf02d8xrnuv7sh5udvaqz09qy95mneujnqzxsu297ygy2thny6',
    ],
  ],
  'btc mainnet': [
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    ['MHrYRxAiMNBTku3eoDHwhA1LQGDjUStZW2'],
    ['tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'],
  ],
}

for (const [name, vectors] of Object.entries(payable))
  test(`J-WAL-06 ${name}: published addresses stand for their scripts, both ways`, (t) => {
    const { chain, rules } = of(name)
    for (const [address, script] of Object.entries(vectors)) {
      const isOnCurve = !script.startsWith('5120') || curve.isXOnlyPoint(Buffer.from(script.slice(4), 'hex'))
      t.is(canonicalBitcoin(address, chain), isOnCurve ? address : undefined, address)
      t.is(addressOfScript(Buffer.from(script, 'hex'), rules), address)
      t.is(Buffer.from(scriptOfAddress(address, rules)).toString('hex'), script)
      // A point off the curve can be written, but nobody can spend from it.
      if (isOnCurve) t.is(Buffer.from(bitcoinjs.toOutputScript(address, rules)).toString('hex'), script)
    }
  })

for (const [name, vectors] of Object.entries(unpayable))
  test(`J-WAL-06 ${name}: forms that somebody else might take, or another chain might mean, are refused`, (t) => {
    const { chain, rules } = of(name)
    for (const [address, script] of vectors) {
      t.is(canonicalBitcoin(address, chain), undefined, address)
      if (script) t.is(addressOfScript(Buffer.from(script, 'hex'), rules), undefined, script)
    }
  })

test('J-WAL-06 at least one taproot address of either chain is payable', (t) => {
  const isTaproot = (address: string) => /^(bc|ltc)1p/.test(address)
  for (const name of ['btc mainnet', 'ltc mainnet']) {
    const { chain } = of(name)
    t.true(Object.keys(payable[name] ?? {}).some((address) => isTaproot(address) && canonicalBitcoin(address, chain)))
  }
})

test('every chain of Bitcoin and Litecoin has its address rules', (t) => {
  for (const { chains } of networks.filter(({ family }) => family === 'bitcoin'))
    for (const chain of chains) t.truthy(addressRulesOf(chain), chain.caip2)
})

test('scripts of real blocks read as bitcoinjs reads them, and what is nearly one of the forms is nobody’s', (t) => {
  const { rules } = of('btc mainnet')
  const raw = [...blocks.testnet, blocks.bitcoin2018]
  const read = raw.flatMap(({ hex, hash }) => readBlock(Buffer.from(hex, 'hex'), hash).transactions)
  const scripts = read.flatMap(({ outs }) => outs.map(({ script }) => script))
  t.true(scripts.length > 200)
  for (const script of scripts) {
    t.is(addressOfScript(script, rules), byBitcoinjs(script, rules))
    for (const at of [0, 1, 2, script.length - 2, script.length - 1]) {
      const broken = Uint8Array.from(script)
      broken[at] = (broken[at] ?? 0) ^ 0x04
      const told = addressOfScript(broken, rules)
      if (told !== undefined) t.is(byBitcoinjs(broken, rules), told)
    }
    t.is(addressOfScript(script.subarray(1), rules), byBitcoinjs(script.subarray(1), rules))
  }
})

/** The signed transactions of BIP-143, whose inputs show their keys. */
const NATIVE =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'
const WRAPPED =
  '01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000'

test('BIP-143 the payer shows in an input of one key, and in no other', (t) => {
  const { rules } = of('btc mainnet')
  const spent = (script: string) => addressOfScript(Buffer.from(script, 'hex'), rules)
  const [byKeyAlone, native] = Transaction.fromHex(NATIVE).ins.map((input) => addressOfSpender(input, rules))
  const [wrapped] = Transaction.fromHex(WRAPPED).ins.map((input) => addressOfSpender(input, rules))
  t.is(byKeyAlone, undefined)
  t.is(native, spent('00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1'))
  t.is(wrapped, spent('a9144733f37cf4db86fbc2efed2500b4f4e49f31202387'))
})

const of = (name: string): { chain: NetworkChain; rules: Rules } => {
  const [network = '', id = ''] = name.split(' ')
  const known = networkOf(network)
  const chain = known && chainOf(known, id)
  const rules = chain && addressRulesOf(chain)
  if (!rules) throw new Error(`no rules for ${name}`)
  return { chain, rules }
}

const byBitcoinjs = (script: Uint8Array, rules: Rules): string | undefined => {
  try {
    return bitcoinjs.fromOutputScript(script, rules)
  } catch {
    return undefined
  }
}
