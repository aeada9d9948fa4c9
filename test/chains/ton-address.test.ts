import test from 'ava'
import { addresses, createAddresses } from '../../adapters/chains/addresses.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'

/** From docs.ton.org (TEP-2): one address in all its forms. */
const RAW = '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e'
const BOUNCEABLE = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF'
const NON_BOUNCEABLE = 'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA'
const OTHERS = [
  [
    '0:ed1691307050047117b998b561d8de82d31fbf84910ced6eb5fc92e7485ef8a7',
    'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2',
  ],
  [
    '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
    'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  ],
] as const

const ton = (address: string) => addresses.canonicalOn('ton', address)

test('J-TOK-02 a TON address has one form, however it is written', (t) => {
  const standard = BOUNCEABLE.replaceAll('-', '+').replaceAll('_', '/')
  for (const form of [RAW, RAW.toUpperCase(), BOUNCEABLE, NON_BOUNCEABLE, standard])
    t.is(ton(form), NON_BOUNCEABLE, form)
  for (const [raw, friendly] of OTHERS) {
    t.is(ton(raw), ton(friendly))
    t.regex(String(ton(raw)), /^UQ/)
  }
  t.regex(String(ton(RAW.replace('0:', '-1:'))), /^Uf/, 'the masterchain')
})

/** From the same page: meant for test networks only. */
const TEST_ONLY = [
  'kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP',
  '0QDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPleK',
]

test('J-TOK-02 on the test network its own forms of an address are taken too', (t) => {
  const { chains } = networkOf('ton') ?? {}
  for (const [n, chain] of (chains ?? []).entries())
    for (const form of TEST_ONLY) {
      const there = createAddresses(new Map([['ton', chain]])).canonicalOn('ton', form)
      t.is(there, n === 0 ? undefined : NON_BOUNCEABLE, `${chain.id} ${form}`)
    }
})

test('the catalogue writes the master of Tether in the same form', (t) => {
  const master = assetOf('usdt_ton')?.contract
  t.is(ton('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'), master)
})

test('J-TOK-04 what is no TON address of the main network is refused', (t) => {
  const wrong = [
    ...TEST_ONLY,
    '',
    'ton',
    RAW.slice(0, -1),
    `${RAW}0`,
    RAW.replace('0:', '1:'),
    RAW.replace('0:', ''),
    ` ${RAW}`,
    BOUNCEABLE.slice(1),
    `${BOUNCEABLE}A`,
    BOUNCEABLE.toLowerCase(),
    `${BOUNCEABLE.slice(0, -1)}E`,
    `0:${'0'.repeat(64)}`,
  ]
  for (const address of wrong) t.is(ton(address), undefined, address)
  // Any one character changed breaks the checksum.
  for (let n = 0; n < BOUNCEABLE.length; n++) {
    const other = BOUNCEABLE[n] === 'A' ? 'B' : 'A'
    t.is(ton(`${BOUNCEABLE.slice(0, n)}${other}${BOUNCEABLE.slice(n + 1)}`), undefined, String(n))
  }
})

test('an alphabet is used throughout or not at all', (t) => {
  const both = 'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2'
  t.truthy(ton(both))
  t.truthy(ton(both.replace('-', '+').replaceAll('_', '/')))
  t.is(ton(both.replace('-', '+')), undefined)
})

test('J-TOK-04 an address is checked by the rules of its network, and by none of a network that is not known', (t) => {
  const evm = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  for (const network of ['eth', 'base', 'bsc', 'polygon', 'arb', 'op', 'avax', 'gnosis', 'linea'])
    t.is(addresses.canonicalOn(network, evm.toLowerCase()), evm)
  for (const network of ['ton', 'sol', 'trx', 'btc', 'nowhere', '', '__proto__'])
    t.is(addresses.canonicalOn(network, evm), undefined, network)
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  t.is(addresses.canonicalOn('sol', mint), mint)
})
