/** Providers of TON that fail, lag, lie or leave things out. */
import { Address, beginCell } from '@ton/core'
import test, { type ExecutionContext } from 'ava'
import { startTonNode, type TonBehaviour, type TonCall, type TonNodeOptions } from '../support/ton-node.ts'
import { connectTon, payJetton, payTon, TON_USDT, tonAddress } from '../support/ton-payer.ts'
import { startTonSandbox, type TonSandbox } from '../support/ton-sandbox.ts'

const a = tonAddress(1)
/** Milliseconds that one who hangs is waited for; the next one has to answer within them. */
const SHORT_MS = 4_000

let sandbox: TonSandbox
test.before(async () => {
  sandbox = await startTonSandbox()
  await sandbox.deployJetton(TON_USDT, 10n ** 30n)
})

const nodeWith = async (t: ExecutionContext, options: TonNodeOptions = {}) => {
  const node = await startTonNode(sandbox, options)
  t.teardown(node.stop)
  return node
}
const behaving = (t: ExecutionContext, behave: (call: TonCall) => TonBehaviour) => nodeWith(t, { behave })
const newest = async (chain: ReturnType<typeof connectTon>) => {
  const { height } = await chain.head()
  return chain.transfersIn(height, height, new Set([a]))
}

test.serial('the API key goes as a header, and no message shows it or the URL', async (t) => {
  const node = await nodeWith(t)
  await connectTon([node.url]).head()
  t.deepEqual(new Set(node.calls.map(({ key }) => key)), new Set(['key-4711']))
  const chain = connectTon(['http://key-4711@127.0.0.1:1/api/v3'])
  for (const call of [chain.head(), chain.hashAt(1), chain.transfersOf('ab'.repeat(32)), chain.verifyChain()]) {
    const error = await t.throwsAsync(call, { message: /^ton: RPC URL 1 of 1: .*: no connection$/ })
    t.false(/4711|127\.0/.test(`${error?.message}${error?.stack}${JSON.stringify(error)}`))
    t.is(error?.cause, undefined)
  }
  t.throws(() => connectTon(['ftp://key-4711']), { message: 'ton: RPC URL 1 of 1: not an http URL' })
})

for (const [words, behaviour] of [
  ['hangs', 'hang'],
  ['answers garbage', 'garbage'],
  ['wants a pause', { status: 429 }],
  ['is broken', { status: 500 }],
  ['knows no such call', { status: 404 }],
] as const satisfies readonly (readonly [string, TonBehaviour])[])
  test.serial(`a provider of TON that ${words} gives way to the next, and alone makes the call reject`, async (t) => {
    const [bad, good] = [await behaving(t, () => behaviour), await nodeWith(t)]
    const limitMs = behaviour === 'hang' ? SHORT_MS : undefined
    await t.notThrowsAsync(connectTon([bad.url, good.url], limitMs).head())
    const error = await t.throwsAsync(connectTon([bad.url], limitMs).head(), { message: /^ton: RPC URL 1 of 1/ })
    t.false(error?.message.includes('4711'))
  })

test.serial('a provider that allows few calls a second is asked more slowly, and no block is read twice', async (t) => {
  let last = 0
  const node = await behaving(t, ({ path }) => {
    const [now, before] = [performance.now(), last]
    if (path !== '/blocks' || now - before >= 100) last = now
    return path === '/blocks' && now - before < 100 ? { status: 429 } : 'pass'
  })
  const tx = await payTon(sandbox, a, 21n)
  sandbox.mine(7)
  const chain = connectTon([node.url])
  const { height } = await chain.head()
  const found = await chain.transfersIn(height - 7, height, new Set([a]))
  t.deepEqual(
    found.map((transfer) => transfer.tx),
    [tx],
  )
  const asked = node.calls.filter(({ path }) => path === '/transactionsByMasterchainBlock')
  t.is(asked.length, 1, 'only one of the blocks has transactions')
})

test.serial('a block that comes in parts is read whole, or not at all', async (t) => {
  await sandbox.send(...Array.from({ length: 120 }, (_, n) => ({ to: a, value: BigInt(n + 1), bounce: false })))
  const small = await behaving(t, ({ query }) =>
    Number(query.get('limit')) > 40 && query.has('offset') ? { status: 422 } : 'pass',
  )
  t.is((await newest(connectTon([small.url]))).length, 120)
  const cut = await behaving(t, ({ path }) => (path.startsWith('/transactionsBy') ? { edit: firstHalf } : 'pass'))
  t.is((await newest(connectTon([cut.url]))).length, 120)
  const lost = await behaving(t, ({ query }) => (query.get('offset') === '0' ? { edit: allButOne } : 'pass'))
  await t.throwsAsync(newest(connectTon([lost.url])), { message: /came with 120 of its 121 transactions/ })
  const odd = await behaving(t, ({ path }) => (path.startsWith('/transactionsBy') ? { edit: withoutLt } : 'pass'))
  await t.throwsAsync(newest(connectTon([odd.url])), { message: /a transaction that cannot be read/ })
})

type Page = { transactions: readonly object[] }
const firstHalf = ({ transactions }: Page) => ({
  transactions: transactions.slice(0, Math.ceil(transactions.length / 2)),
})
const allButOne = ({ transactions }: Page) => ({ transactions: transactions.slice(1) })
const withoutLt = ({ transactions }: Page) => ({
  transactions: transactions.map((each) => ({ ...each, lt: undefined })),
})

test.serial('a provider that lags behind a block that was there does not pass for a reorganisation', async (t) => {
  let lags = false
  const node = await behaving(t, ({ path }) => (lags && path === '/blocks' ? { edit: () => ({ blocks: [] }) } : 'pass'))
  const chain = connectTon([node.url])
  const { height, hash } = await chain.head()
  t.is(await chain.hashAt(height), hash)
  lags = true
  await t.throwsAsync(chain.hashAt(height), { message: `ton: a provider lags behind block ${height}` })
  t.is(await chain.hashAt(height + 1), undefined)
})

test.serial('a provider of another history makes the range reject', async (t) => {
  const chain = connectTon([(await nodeWith(t)).url])
  const { height, hash } = await chain.head()
  const read = (last: string) => chain.transfersIn(height - 1, height, new Set([a]), new Set(), { last })
  await t.notThrowsAsync(read(hash))
  await t.throwsAsync(read('ab'.repeat(32)), { message: `ton: block ${height} is another than was told` })
  t.deepEqual(chain.providers?.(), ['closed'])
})

test.serial('J-GEN-05 a wallet that the index has not listed yet is asked itself', async (t) => {
  const b = tonAddress(2)
  const tx = await payJetton(sandbox, TON_USDT, b, 5n)
  const unlisted = new Set([await sandbox.jettonWallet(TON_USDT, b)])
  const chain = connectTon([(await nodeWith(t, { unlisted })).url])
  const { height } = await chain.head()
  t.deepEqual(
    (await chain.transfersIn(height, height, new Set([b]))).map((transfer) => transfer.tx),
    [tx],
  )
})

test.serial(
  'while nobody can tell whose an account is, its block is not read; after half a minute it is',
  async (t) => {
    const b = tonAddress(3)
    await payJetton(sandbox, TON_USDT, b, 5n)
    const wallet = await sandbox.jettonWallet(TON_USDT, b)
    const unlisted = new Set([wallet])
    let isOld = false
    const node = await nodeWith(t, {
      unlisted,
      behave({ path, address }) {
        if (path === '/runGetMethod' && address) return { edit: () => ({ exit_code: -13, gas_used: 0, stack: [] }) }
        return isOld && path === '/transactionsByMasterchainBlock' ? { edit: minuteAgo } : 'pass'
      },
    })
    const chain = connectTon([node.url])
    await t.throwsAsync(newest(chain), { message: 'ton: the state of an account is not there yet' })
    isOld = true
    t.deepEqual(await newest(chain), [])
  },
)

const minuteAgo = ({ transactions }: { transactions: readonly { now: number }[] }) => ({
  transactions: transactions.map((each) => ({ ...each, now: each.now - 60 })),
})

test.serial(
  'an index that lists a wallet wrongly, and a wallet that lies, are not believed over the master',
  async (t) => {
    const [victim, liar] = [tonAddress(4), tonAddress(5)]
    await payJetton(sandbox, TON_USDT, liar, 6n)
    const wallet = await sandbox.jettonWallet(TON_USDT, liar)
    const listedAs = ({ jetton_wallets }: { jetton_wallets: readonly object[] }) => ({
      jetton_wallets: jetton_wallets.map((each) => ({ ...each, owner: rawOf(victim) })),
    })
    const lie = { exit_code: 0, gas_used: 0, stack: [victim, victim, TON_USDT].map(cellOf) }
    const wrong = await behaving(t, ({ path }) => (path === '/jetton/wallets' ? { edit: listedAs } : 'pass'))
    const lying = await nodeWith(t, {
      unlisted: new Set([wallet]),
      behave: ({ address }) => (address === rawOf(wallet) ? { edit: () => lie } : 'pass'),
    })
    const { height } = await connectTon([wrong.url]).head()
    for (const node of [wrong, lying]) {
      t.deepEqual(await connectTon([node.url]).transfersIn(height, height, new Set([victim])), [])
      const asked = node.calls.filter(({ path, address }) => path === '/runGetMethod' && address === rawOf(TON_USDT))
      t.is(asked.length, 1, 'the master was asked')
    }
  },
)

const cellOf = (address: string) => ({
  type: 'cell',
  value: beginCell().storeAddress(Address.parse(address)).endCell().toBoc().toString('base64'),
})
const rawOf = (friendly: string): string =>
  `0:${Buffer.from(friendly, 'base64url').subarray(2, 34).toString('hex').toUpperCase()}`

test.serial('a master that cannot be asked holds up nobody whose wallet the index lists', async (t) => {
  const b = tonAddress(6)
  const tx = await payJetton(sandbox, TON_USDT, b, 5n)
  const node = await behaving(t, ({ path }) => (path === '/runGetMethod' ? { status: 501 } : 'pass'))
  const chain = connectTon([node.url])
  const { height } = await chain.head()
  t.deepEqual(
    (await chain.transfersIn(height, height, new Set([b]))).map((transfer) => transfer.tx),
    [tx],
  )
})

test.serial(
  'M-SET-06 a balance that cannot be read is an error and never 0, and gives way to the next provider',
  async (t) => {
    await payTon(sandbox, a, 21n)
    await payJetton(sandbox, TON_USDT, a, 22n)
    const good = await nodeWith(t)
    type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
    const changed = (change: object) => (own: Rows) =>
      Object.fromEntries(Object.entries(own).map(([key, rows]) => [key, rows.map((row) => ({ ...row, ...change }))]))
    for (const [asset, path, edit] of [
      ...['/accountStates', '/jetton/wallets'].flatMap((path) =>
        [
          () => undefined,
          () => ({}),
          ...[{ balance: null }, { balance: 21 }, { balance: '-1' }, { balance: '1.5' }].map(changed),
          changed({ address: '0:77', owner: '0:77' }),
          changed({ address: '0:77', jetton: '0:77' }),
        ].map((edit) => [path === '/accountStates' ? 'ton' : 'usdt_ton', path, edit]),
      ),
    ] as [string, string, (own: never) => unknown][]) {
      const bad = await behaving(t, (call) => (call.path === path ? { edit } : 'pass'))
      await t.throwsAsync(connectTon([bad.url]).balanceOf(a, asset), { message: /^ton: RPC URL 1 of 1: \/\w+/ })
      t.true(((await connectTon([bad.url, good.url]).balanceOf(a, asset)) ?? 0n) >= 21n)
    }
  },
)
