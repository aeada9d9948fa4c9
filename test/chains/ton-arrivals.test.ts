/** What counts as arrived on TON, and what only looks like it. */
import { Address, beginCell } from '@ton/core'
import test from 'ava'
import type { Transfer } from '../../domain/kernel/ports.ts'
import { commentBody, internalTransferBody, notificationBody } from '../support/ton-messages.ts'
import { startTonNode } from '../support/ton-node.ts'
import { arrivedAt, connectTon, payJetton, TON_USDT, tonAddress } from '../support/ton-payer.ts'
import {
  startTonSandbox,
  type TonMessage,
  type TonSandbox,
  type TonSent,
  transactionsAt,
} from '../support/ton-sandbox.ts'

const [a, b] = [tonAddress(1), tonAddress(2)]
const TON = 10n ** 9n

let sandbox: TonSandbox
let node: Awaited<ReturnType<typeof startTonNode>>
test.before(async () => {
  sandbox = await startTonSandbox()
  await sandbox.deployJetton(TON_USDT, 10n ** 30n)
  node = await startTonNode(sandbox)
})
test.after.always(() => node?.stop())

/** What one message from outside brings to the receivers, by its block; by hash it must be the same. */
const brought = async (t: { deepEqual(a: unknown, b: unknown): unknown }, ...messages: readonly TonMessage[]) => {
  const sent = await sandbox.send(...messages)
  const chain = connectTon([node.url])
  const { height } = await chain.head()
  const watched = new Set([a, b])
  const found = await chain.transfersIn(height, height, watched)
  const byHash = await chain.transfersOf(sent.message)
  t.deepEqual(
    byHash?.filter(({ to }) => watched.has(to)),
    [...found],
  )
  return { found, sent }
}
const money = (found: readonly Transfer[]) => found.map(({ asset, to, amount }) => [asset, to, amount])
const wasAborted = (sent: TonSent, account: string) =>
  transactionsAt(sent, account).map(({ description }) => description.type === 'generic' && description.aborted)

test.serial('J-GEN-05 a wallet that has no code yet is paid, though its transaction is aborted', async (t) => {
  const { found, sent } = await brought(t, { to: a, value: 5n * TON, bounce: false })
  t.deepEqual(money(found), [['ton', a, 5n * TON]])
  t.like(found[0], { from: sandbox.payer, index: 'native' })
  t.deepEqual(wasAborted(sent, a), [true])
})

test.serial('J-GEN-05 what bounces back did not arrive, and what is too little to bounce did', async (t) => {
  const bounced = await brought(t, { to: a, value: TON, bounce: true })
  t.deepEqual(money(bounced.found), [])
  t.is(transactionsAt(bounced.sent, sandbox.payer).length, 2, 'it came back')
  const kept = await brought(t, { to: a, value: 1n, bounce: true })
  t.deepEqual(money(kept.found), [['ton', a, 1n]])
  t.is(transactionsAt(kept.sent, sandbox.payer).length, 1, 'nothing came back')
})

test.serial('what comes back to a receiver is no payment to him', async (t) => {
  const sent = await sandbox.send({ to: a, value: TON, bounce: true })
  const chain = connectTon([node.url])
  const { height } = await chain.head()
  t.deepEqual(await chain.transfersIn(height, height, new Set([sandbox.payer])), [])
  t.deepEqual(await chain.transfersOf(sent.message), [])
})

test.serial(
  'J-GEN-05 coin counts whatever is written to it, except where it is the fee or change of a token',
  async (t) => {
    const own = beginCell().storeUint(0x12345678, 32).endCell()
    for (const body of [commentBody('for you'), own, beginCell().storeUint(1, 8).endCell()])
      t.deepEqual(money((await brought(t, { to: a, value: TON, bounce: false, body })).found), [['ton', a, TON]])
    const excesses = beginCell().storeUint(0xd53276db, 32).storeUint(7, 64).endCell()
    t.deepEqual(money((await brought(t, { to: a, value: TON, bounce: false, body: excesses })).found), [])
  },
)

test.serial('J-GEN-05 jettons arrive without a notification, and with one that fails', async (t) => {
  const silent = await brought(t, await sandbox.jettonMessage(TON_USDT, a, 12_340_000n, 0n))
  t.deepEqual(money(silent.found), [['usdt_ton', a, 12_340_000n]])
  t.like(silent.found[0], { from: sandbox.payer, index: await sandbox.jettonWallet(TON_USDT, a) })
  t.deepEqual(wasAborted(silent.sent, a), [], 'the owner got no message')
  const failing = await brought(t, await sandbox.jettonMessage(TON_USDT, a, 5_000_000n, 1n))
  t.deepEqual(money(failing.found), [['usdt_ton', a, 5_000_000n]])
  t.deepEqual(wasAborted(failing.sent, a), [true])
  const told = await brought(t, await sandbox.jettonMessage(TON_USDT, a, 7n, TON / 50n))
  t.deepEqual(
    money(told.found),
    [['usdt_ton', a, 7n]],
    'the coin that goes with the notification is no payment of its own',
  )
})

test.serial('a notification that somebody made up brings nothing', async (t) => {
  const body = notificationBody(Address.parse(sandbox.payer), 999_000_000n)
  t.deepEqual(money((await brought(t, { to: a, value: TON / 20n, bounce: false, body })).found), [])
})

test.serial('units that nobody may send are refused by the wallet, and by us', async (t) => {
  await payJetton(sandbox, TON_USDT, a, 1n)
  const wallet = await sandbox.jettonWallet(TON_USDT, a)
  const body = internalTransferBody(Address.parse(sandbox.payer), 999_000_000n, Address.parse(sandbox.payer))
  const { found, sent } = await brought(t, { to: wallet, value: TON / 5n, body })
  t.deepEqual(money(found), [])
  t.deepEqual(wasAborted(sent, wallet), [true])
})

test.serial('an account that takes units but is no jetton wallet brings nothing', async (t) => {
  const accomplice = await sandbox.blockchain.treasury('accomplice')
  const to = accomplice.address.toString()
  const body = internalTransferBody(Address.parse(sandbox.payer), 999_000_000n, Address.parse(sandbox.payer))
  const { found, sent } = await brought(t, { to, value: TON / 5n, body })
  t.deepEqual(money(found), [])
  t.deepEqual(wasAborted(sent, to), [false])
})

test.serial('J-GEN-05 units that the master makes for a receiver arrive, from the master', async (t) => {
  const { found } = await brought(t, sandbox.mintMessage(TON_USDT, b, 44n))
  t.deepEqual(money(found), [['usdt_ton', b, 44n]])
  t.is(found[0]?.from, TON_USDT)
})

test.serial('several payments of one message are told apart by their transactions, also to one receiver', async (t) => {
  const coin = (to: string, value: bigint): TonMessage => ({ to, value, bounce: false })
  const { found, sent } = await brought(
    t,
    coin(a, 1n),
    coin(a, 2n),
    coin(b, 3n),
    await sandbox.jettonMessage(TON_USDT, a, 4n),
    await sandbox.jettonMessage(TON_USDT, a, 5n),
  )
  t.deepEqual(
    money(found).toSorted((x, y) => Number(x[2]) - Number(y[2])),
    [
      ['ton', a, 1n],
      ['ton', a, 2n],
      ['ton', b, 3n],
      ['usdt_ton', a, 4n],
      ['usdt_ton', a, 5n],
    ],
  )
  t.is(new Set(found.map(({ tx, index }) => `${tx} ${index}`)).size, 5)
  t.is(found.find(({ to }) => to === b)?.tx, arrivedAt(sent, b))
})
