/** A payment on TON is a trace of transactions; whichever hash of it is posted, it is one payment. */
import test from 'ava'
import { TON_TRACE_JETTONS_MAX } from '../../adapters/chains/ton/transfers.ts'
import { deepTest } from '../support/deep-test.ts'
import { startTonNode } from '../support/ton-node.ts'
import { arrivedAt, connectTon, TON_USDT, tonAddress } from '../support/ton-payer.ts'
import { hex, startTonSandbox, type TonSandbox } from '../support/ton-sandbox.ts'

const a = tonAddress(1)

let sandbox: TonSandbox
let node: Awaited<ReturnType<typeof startTonNode>>
test.before(async () => {
  sandbox = await startTonSandbox()
  await sandbox.deployJetton(TON_USDT, 10n ** 30n)
  node = await startTonNode(sandbox)
})
test.after.always(() => node?.stop())

const formsOf = (hash: string) => {
  const base64 = Buffer.from(hash, 'hex').toString('base64')
  const url = base64.replaceAll('+', '-').replaceAll('/', '_')
  return [hash, hash.toUpperCase(), base64, base64.slice(0, -1), url, url.slice(0, -1)]
}

test.serial('any hash of a payment, in any form, is the same transfer', async (t) => {
  const chain = connectTon([node.url])
  const coin = { to: a, value: 7n, bounce: false }
  for (const message of [coin, await sandbox.jettonMessage(TON_USDT, a, 8n, 1n)]) {
    const sent = await sandbox.send(message)
    const { height } = await chain.head()
    const found = [...(await chain.transfersIn(height, height, new Set([a])))]
    t.is(found.length, 1)
    const hashes = [sent.message, sent.normalized, ...sent.transactions.map((each) => hex(each.hash()))]
    for (const hash of new Set(hashes))
      for (const form of formsOf(hash)) t.deepEqual(await chain.transfersOf(form), found, form)
  }
})

test.serial('what is no hash is asked of nobody', async (t) => {
  const before = node.calls.length
  const hash = 'ab'.repeat(32)
  for (const wrong of ['', hash.slice(1), `${hash}0`, `0x${hash}`, ` ${hash}`, 'a'.repeat(42), `${'-'.repeat(42)}+`])
    t.is(await connectTon([node.url]).transfersOf(wrong), undefined, wrong)
  t.is(node.calls.length, before)
  t.is(await connectTon([node.url]).transfersOf(hash), undefined)
})

test.serial('a payment that is still on its way is unknown, and then stands in the block it arrived in', async (t) => {
  const chain = connectTon([node.url])
  const sent = await sandbox.submit(await sandbox.jettonMessage(TON_USDT, a, 9n))
  t.is(await chain.transfersOf(sent.message), undefined, 'in no block')
  sandbox.mineFirst(1)
  t.is(await chain.transfersOf(sent.message), undefined, 'it has left the payer')
  sandbox.mineFirst(1)
  t.is(await chain.transfersOf(sent.message), undefined, 'it has left his jetton wallet')
  sandbox.mineFirst(1)
  const { height, hash } = await chain.head()
  const found = await chain.transfersOf(sent.message)
  const tx = arrivedAt(sent, await sandbox.jettonWallet(TON_USDT, a))
  t.is(found?.length, 1)
  t.like(found?.[0], { tx, height, blockHash: hash, amount: 9n })
  t.deepEqual([...(await chain.transfersIn(height, height, new Set([a])))], found)
  sandbox.mine()
  t.deepEqual(await chain.transfersOf(sent.message), found, 'what is left over went back to the payer')
})

test.serial('a trace without a payment is known to pay nothing once it has ended', async (t) => {
  const chain = connectTon([node.url])
  const sent = await sandbox.submit(await sandbox.jettonMessage(TON_USDT, a, 10n ** 31n))
  sandbox.mineFirst(1)
  t.is(await chain.transfersOf(sent.message), undefined)
  sandbox.mine()
  t.deepEqual(await chain.transfersOf(sent.message), [])
})

deepTest.serial('of a trace with very many payments each is found by the hash of its own transaction', async (t) => {
  const others = Array.from({ length: TON_TRACE_JETTONS_MAX }, (_, n) => tonAddress(100 + n))
  const messages = [a, ...others].map((to) => sandbox.jettonMessage(TON_USDT, to, 3n))
  const sent = await sandbox.send(...(await Promise.all(messages)))
  const chain = connectTon([node.url])
  const tx = arrivedAt(sent, await sandbox.jettonWallet(TON_USDT, a))
  t.deepEqual(
    (await chain.transfersOf(tx))?.map(({ to }) => to),
    [a],
  )
  t.deepEqual(await chain.transfersOf(sent.message), [])
  const { height } = await chain.head()
  t.is((await chain.transfersIn(height, height, new Set(others))).length, others.length)
})

test.serial(
  'of a trace that the provider finds too large to tell, the posted transaction is looked at alone',
  async (t) => {
    const large = await startTonNode(sandbox, {
      behave: ({ path }) => (path === '/traces' ? { edit: tooLarge } : 'pass'),
    })
    t.teardown(large.stop)
    const chain = connectTon([large.url])
    const sent = await sandbox.send({ to: a, value: 11n, bounce: false })
    const tx = arrivedAt(sent, a)
    const found = await chain.transfersOf(tx)
    t.deepEqual(found, await connectTon([node.url]).transfersOf(tx))
    t.is(found?.length, 1)
    t.deepEqual(await chain.transfersOf(sent.message), [], 'the transaction of the message is the payer’s own')
  },
)

/** As the index writes a trace of more than 4,000 transactions. */
const tooLarge = ({ traces }: { traces: object[] }) => ({
  traces: traces.map((trace) => ({
    ...trace,
    is_incomplete: true,
    warning: 'trace is too large',
    transactions: undefined,
  })),
})
