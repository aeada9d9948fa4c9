import test from 'ava'
import { pad } from 'viem'
import {
  authorizationsIn,
  evmAssetsOf,
  type RawLog,
  TRANSFER_TOPIC,
  tokenTransfers,
} from '../../adapters/chains/evm/evm-transfers.ts'
import { assetOf, assets } from '../../domain/kernel/assets.ts'

/** How the payments of one transaction are named on an EVM chain: for ever the same, and never like another one. */

const USDC = assetOf('usdc')?.contract ?? ''
const OTHER_TOKEN = '0x1111111111111111111111111111111111111111'
const [ALICE, BOB] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`]
const [SHOP, STORE] = [`0x${'c4'.repeat(20)}`, `0x${'d5'.repeat(20)}`]

type Move = { readonly token?: string; readonly from?: string; readonly to?: string; readonly amount?: bigint }

/** The logs of a transaction that stands behind so many other logs of its block. */
const logs = (moves: readonly Move[], before = 0, transactionHash = `0x${'ab'.repeat(32)}`): RawLog[] =>
  moves.map(({ token = USDC, from = ALICE, to = SHOP, amount = 7n }, n) => ({
    address: token.toLowerCase(),
    topics: [TRANSFER_TOPIC, pad(from as `0x${string}`), pad(to as `0x${string}`)],
    data: pad(`0x${amount.toString(16)}`),
    transactionHash,
    transactionIndex: '0x1',
    logIndex: `0x${(before + n).toString(16)}`,
    blockHash: `0x${String(before).padStart(64, '0')}`,
    blockNumber: '0x64',
  }))
const named = (given: readonly RawLog[]) =>
  tokenTransfers(evmAssetsOf('eth', assets), given, authorizationsIn(given)).map(({ transfer }) => transfer)
const ids = (given: readonly RawLog[]) => named(given).map(({ index }) => index)

test('X-REPLAY-01 payments of one transaction have an id each: by token, payer, payee, and place among those that are alike in these', (t) => {
  const all = ids(logs([{}, { token: OTHER_TOKEN }, { from: BOB }, { to: STORE }, {}, { amount: 8n }]))
  t.is(new Set(all).size, 6)
  const [first = ''] = all
  t.regex(first, /^erc20:[0-9a-f]{32}:0$/)
  t.deepEqual(
    all.map((id) => id.slice(-2)),
    [':0', ':0', ':0', ':0', ':1', ':2'],
  )
  t.true(all.slice(4).every((id) => id.startsWith(first.slice(0, -1))))
})

test('N-24 X-REPLAY-01 no id changes with the place in the block, which is told beside it as former releases had it', (t) => {
  const moves = [{}, { from: BOB }, {}]
  t.deepEqual(ids(logs(moves, 9)), ids(logs(moves)))
  t.deepEqual(
    named(logs(moves, 9)).map(({ formerIndex }) => formerIndex),
    ['9', '10', '11'],
  )
})

test('N-24 X-REPLAY-01 where one payment of a batch fails in another block, those behind it keep their ids, and none gets that of another', (t) => {
  const batch = [{}, { from: BOB }, { from: STORE }]
  const [, second, third] = ids(logs(batch))
  t.deepEqual(ids(logs(batch.slice(1), 3)), [second, third])
  const [alone] = ids(logs([{ amount: 0n }, { from: BOB }]))
  t.is(alone, second)
})

test('X-REPLAY-01 a log that a node tells twice, or out of order, is one payment in its place', (t) => {
  const told = logs([{ amount: 1n }, { amount: 2n }])
  const said = named([...told, ...told].reverse())
  t.deepEqual(
    said.map(({ amount, index }) => [amount, index.slice(-2)]),
    [
      [1n, ':0'],
      [2n, ':1'],
    ],
  )
})

test('X-REPLAY-01 what else is asked for, and what else is in the transaction, changes no id', (t) => {
  const whole = logs([{ to: STORE }, { token: OTHER_TOKEN }, {}, { from: BOB }, {}])
  const toShop = whole.filter(
    ({ address, topics }) => address === USDC.toLowerCase() && topics[2] === pad(SHOP as `0x${string}`),
  )
  t.deepEqual(
    named(toShop),
    named(whole).filter(({ asset, to }) => asset === 'usdc' && to.toLowerCase() === SHOP),
  )
})
