/**
 * What counts as a payment in what real nodes answer: the shapes are those of Agave's `accounts` and `json`, number for
 * number.
 */
import test from 'ava'
import { exactJson } from '../../adapters/chains/solana/rpc.ts'
import {
  anything,
  type RawTransaction,
  solanaCoinsOf,
  transfersIn,
  wantedOf,
} from '../../adapters/chains/solana/transfers.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'

const mainnet = networkOf('sol')?.chains[0].caip2 ?? ''
const coins = solanaCoinsOf('sol', assetsOn('sol', mainnet))
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const [payer, seller, other] = ['payer', 'seller', 'other']
const place = () => ({ height: 5, blockHash: 'b', minedAt: '2026-01-01T00:00:00.000Z' })

const found = (raw: unknown, receivers?: readonly string[], further: readonly string[] = []) =>
  transfersIn(
    coins,
    raw as RawTransaction,
    place,
    receivers ? wantedOf(coins, new Set(receivers), new Set(further)) : anything,
  ).map(({ index, asset, to, amount }) => [index, asset, to, amount] as const)

/** Of a block: `{"pubkey","signer","source","writable"}`, those of lookup tables included, and no `loadedAddresses`. */
const inBlock = (keys: readonly string[], meta: object) => ({
  meta: { err: null, fee: 5000, rewards: null, status: { Ok: null }, ...withoutTokens, ...meta },
  transaction: {
    accountKeys: keys.map((pubkey, n) => ({ pubkey, signer: n === 0, source: 'transaction', writable: true })),
    signatures: ['signature'],
  },
  version: 0,
})
const withoutTokens = { preTokenBalances: [], postTokenBalances: [] }

const held = (accountIndex: number, owner: string | undefined, amount: string, mint = USDC) => ({
  accountIndex,
  mint,
  programId: TOKEN,
  ...(owner && { owner }),
  uiTokenAmount: { amount, decimals: 6, uiAmount: Number(amount) / 1e6, uiAmountString: String(Number(amount) / 1e6) },
})

test('SOL is what an account has more of, and tokens what an owner has more of', (t) => {
  const raw = inBlock([payer, seller, 'payers-tokens', 'sellers-tokens'], {
    preBalances: [499_998_937_500, 26_858_640, 2_039_280, 0],
    postBalances: [499_994_893_220, 26_858_641, 2_039_280, 2_039_280],
    preTokenBalances: [held(2, payer, '7000000')],
    postTokenBalances: [held(2, payer, '5500000'), held(3, seller, '1500000')],
  })
  const both = [
    ['sol:1', 'sol', seller, 1n],
    ['spl:3', 'usdc_sol', seller, 1_500_000n],
  ] as const
  t.deepEqual(found(raw), [...both])
  t.deepEqual(found(raw, [seller, other]), [...both])
  t.deepEqual(found(raw, [other]), [])
  t.deepEqual(found(raw, ['sellers-tokens']), [], 'the rent of a token account is no payment')
})

test('J-TOK-08 tokens of no catalogue go by their mint, and are looked for only when asked for', (t) => {
  const raw = inBlock([payer, 'sellers-tokens'], {
    preBalances: [9, 2],
    postBalances: [8, 2],
    postTokenBalances: [held(1, seller, '5', 'mint')],
  })
  t.deepEqual(found(raw), [['spl:1', 'mint', seller, 5n]])
  t.deepEqual(found(raw, [seller]), [])
  t.deepEqual(found(raw, [seller], ['mint']), [['spl:1', 'mint', seller, 5n]])
})

test('tokens that an owner moves among his accounts, or out of them, are no income', (t) => {
  const meta = { preBalances: [9, 2, 2], postBalances: [8, 2, 2] }
  const moved = { preTokenBalances: [held(1, seller, '9'), held(2, seller, '1')] }
  const keys = [payer, 'one', 'two']
  t.deepEqual(
    found(inBlock(keys, { ...meta, ...moved, postTokenBalances: [held(1, seller, '2'), held(2, seller, '8')] })),
    [],
  )
  t.deepEqual(found(inBlock(keys, { ...meta, ...moved, postTokenBalances: [held(1, seller, '2')] })), [])
  t.deepEqual(
    found(inBlock(keys, { ...meta, ...moved, postTokenBalances: [held(1, seller, '2'), held(2, seller, '9')] })),
    [['spl:1', 'usdc_sol', seller, 1n]],
  )
})

test('a failed transaction pays nothing, whatever its balances say', (t) => {
  const err = { InstructionError: [0, { Custom: 1 }] }
  t.deepEqual(found(inBlock([payer, seller], { err, preBalances: [9, 0], postBalances: [4, 5] })), [])
})

test('a transaction by itself names the accounts of its lookup tables apart, the writable first', (t) => {
  const raw = {
    meta: {
      err: null,
      preBalances: [9, 0, 1, 1, 1],
      postBalances: [4, 0, 4, 2, 1],
      ...withoutTokens,
      loadedAddresses: { writable: ['loaded-1', 'loaded-2'], readonly: ['loaded-3'] },
    },
    transaction: { message: { accountKeys: [payer, seller] }, signatures: ['signature'] },
    version: 0,
  }
  t.deepEqual(found(raw), [
    ['sol:2', 'sol', 'loaded-1', 3n],
    ['sol:3', 'sol', 'loaded-2', 1n],
  ])
  t.throws(() => found({ ...raw, meta: { ...raw.meta, loadedAddresses: undefined } }), { message: /cannot be read/ })
})

test('what is not whole is an error: without owners, balances or outcome a payment could be overlooked', (t) => {
  const balances = { preBalances: [9, 2], postBalances: [8, 2] }
  const keys = [payer, 'sellers-tokens']
  for (const raw of [
    inBlock(keys, { ...balances, postTokenBalances: [held(1, undefined, '5')] }),
    inBlock(keys, { ...balances, postTokenBalances: null }),
    inBlock(keys, { ...balances, err: undefined }),
    inBlock(keys, { preBalances: [9], postBalances: [9] }),
    inBlock([], { preBalances: [], postBalances: [] }),
    { ...inBlock(keys, balances), meta: null },
    { ...inBlock(keys, balances), transaction: {} },
    {},
  ])
    t.throws(() => found(raw, [seller]), { message: /^sol: a transaction that cannot be read$/ })
})

test('lamports and amounts beyond what a double holds stay exact', (t) => {
  const text = JSON.stringify(inBlock([payer, seller], { preBalances: [1, 'PRE'], postBalances: [1, 'POST'] }))
    .replace('"PRE"', '9007199254740993')
    .replace('"POST"', '18446744073709551615')
  t.deepEqual(found(exactJson(text)), [['sol:1', 'sol', seller, 18446744073709551615n - 9007199254740993n]])
  t.deepEqual(exactJson('{"log":",9007199254740993,","n":9007199254740993,"f":1.5e20,"m":-3}'), {
    log: ',9007199254740993,',
    n: 9007199254740993n,
    f: 1.5e20,
    m: -3,
  })
  t.deepEqual(exactJson('[9007199254740991]'), [9007199254740991])
})
