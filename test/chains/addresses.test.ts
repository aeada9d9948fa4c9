import test from 'ava'
import { isAddress } from 'tronweb/utils'
import { ADDRESS_MAX_LENGTH, addresses } from '../../adapters/chains/addresses.ts'

const same = (...list: string[]) => Object.fromEntries(list.map((address) => [address, address]))

/**
 * From EIP-55, BIP-173, BIP-350, BIP-86, Litecoin Core's key_io_valid.json, the tests of tronweb and the chains' own
 * documentation.
 */
const valid: Record<string, Record<string, string>> = {
  eth: {
    ...same(
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
      '0x52908400098527886E0F7030069857D2E4169EE7',
    ),
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xde709f2102306220921060314715629080e2fb77': '0xde709f2102306220921060314715629080e2fb77',
  },
  btc: {
    ...same(
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    ),
    BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  },
  ltc: {
    ...same(
      'LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeA',
      'MHrYRxAiMNBTku3eoDHwhA1LQGDjUStZW2',
      'ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w',
      'ltc1qa9dykljtgeayhm8ygx25sc22p0wzgudpe4hw9dyvaz0ye3j5kduq9mf68z',
    ),
    LTC1QHDHVRWE6RGQNS8FZ28TEE0HPHR5X7ULW5EXV4W: 'ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w',
  },
  sol: same(
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
    'So11111111111111111111111111111111111111112',
  ),
  trx: same(
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW',
    'TYPG8VeuoVAh2hP7Vfw6ww7vK98nvXXXUG',
    'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC',
  ),
}

const invalid: Record<string, readonly string[]> = {
  eth: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg',
    '0x0000000000000000000000000000000000000000',
    'vitalik.eth',
    'nope',
  ],
  btc: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
    '1a1zp1ep5qgefi2dmptftl5slmv7divfna',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc',
    'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9',
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7kv8f3t4',
    'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
    'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
    'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
    'bc1pw5dgrnzv',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf',
    'bc1gmk9yu',
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    'BC1SW50QGDZ25J',
    'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
    'bc1p7lllllllllllllllllllllllllllllllllllllllllllllllllllllesdhz0nr',
  ],
  ltc: [
    'LT2KVaAy1ppRuxRgrS5RNU3vBsy7RibPeB',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'mwXn5Vhicdav8Av3KMokx4YNuHoGRKxtWs',
    'QXaUgLHkZcbJb2j5XgMYzY8cF9YM48Y81Z',
    'tltc1qpftpsvdn6mjp8celrkj0qxqy4jlapl959rlwg9',
    'rltc1q3kquwp848h4juq7rl5q3wqsr29pd3d6wprzz8k',
    'ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4x',
    'ltc1zjwls6j8c4u',
    'ltc153m7rf',
  ],
  sol: [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyT',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v1',
    '0OIl1111111111111111111111111111',
    'a'.repeat(44),
    'z'.repeat(44),
  ],
  trx: [
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
    'TYPG8VeuoVAh2hP7Vfw6ww7vK98nvXXXUs',
    'TYPG8VeuoVAh2hP7Vfw6ww7vK98nvXXXUG89',
    'aYPG8VeuoVAh2hP7Vfw6ww7vK98nvXXXUG',
    '4165cfbd57fa4f20687b2c33f84c4f9017e5895d49',
    '0x65cfbd57fa4f20687b2c33f84c4f9017e5895d49',
    '4165cfbd57fa4f20687b2c33f84c4f9017e589',
    '4165cfbd57fa4f20687b2c33f84c4f9017e5895d4998',
  ],
}

for (const [asset, vectors] of Object.entries(valid))
  test(`J-WAL-06 ${asset}: published addresses are accepted and brought to one form`, (t) => {
    for (const [address, canonical] of Object.entries(vectors)) {
      t.is(addresses.canonical(asset, address), canonical, address)
      t.is(addresses.canonical(asset, canonical), canonical, 'the canonical form is its own')
    }
  })

for (const [asset, vectors] of Object.entries(invalid))
  test(`J-WAL-06 ${asset}: wrong checksums, other networks and unspendable forms are refused`, (t) => {
    for (const address of vectors) t.is(addresses.canonical(asset, address), undefined, address)
  })

test('J-WAL-06 an address of one family is refused for every other', (t) => {
  for (const [home, vectors] of Object.entries(valid))
    for (const asset of Object.keys(valid).filter((other) => other !== home))
      for (const address of Object.keys(vectors))
        t.is(addresses.canonical(asset, address), undefined, `${asset} ${address}`)
})

test('J-WAL-06 nothing is trimmed or cut: spaces, NUL, lists, look-alikes and long input are refused', (t) => {
  for (const [asset, vectors] of Object.entries(valid))
    for (const address of Object.keys(vectors)) {
      const spoilt = [` ${address}`, `${address} `, `${address}\n`, `${address}\t`, `${address}\0`, `\0${address}`]
      const joined = [`${address},${address}`, `${address}\u200b`, `\ufeff${address}`, address.replace(/[ac]/, 'а')]
      for (const wrong of [...spoilt, ...joined].filter((w) => w !== address))
        t.is(addresses.canonical(asset, wrong), undefined, JSON.stringify(wrong))
    }
  for (const asset of Object.keys(valid))
    for (const long of ['', '1', 'bc1', 'T', '1'.repeat(ADDRESS_MAX_LENGTH + 1), '1'.repeat(1_000_000), 'z'.repeat(90)])
      t.is(addresses.canonical(asset, long), undefined)
})

test('J-WAL-06 a token takes the addresses of its network', (t) => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  for (const asset of ['eth', 'usdt', 'usdc', 'usdc_base']) t.is(addresses.canonical(asset, address), address)
})

test('J-WAL-05 an asset that is not in the catalogue has no addresses', (t) => {
  for (const asset of ['zzz', '', 'ETH', '__proto__'])
    t.is(addresses.canonical(asset, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), undefined)
})

test('J-WAL-06 TRON: what tronweb says of an address, but for its hex form and for the address of nobody', (t) => {
  for (const address of [...Object.keys(valid.trx ?? {}), ...(invalid.trx ?? [])]) {
    const isHex = /^41[0-9a-f]{40}$/.test(address)
    const isNobody = address === 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'
    const isPayable = isAddress(address) && !isHex && !isNobody
    t.is(addresses.canonical('trx', address) !== undefined, isPayable, address)
  }
})
