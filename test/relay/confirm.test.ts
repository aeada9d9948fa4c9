import test, { type ExecutionContext } from 'ava'
import { createAttempts } from '../../adapters/relay/attempts.ts'
import { confirmSent } from '../../adapters/relay/confirm.ts'
import type { RelayParts } from '../../adapters/relay/parts.ts'
import type { RelayReceiptRaw } from '../../adapters/relay/relay-chain.ts'
import { createWallet } from '../../adapters/relay/wallet.ts'
import { type RelayReceipt, relayId } from '../../domain/gasless/relay.ts'
import type { Transfer } from '../../domain/kernel/ports.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { AUTHORIZATION_ID, accepted, signed, transferData } from '../domain/samples.ts'
import { everything, ledgerOn, newStore } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** What the relayer takes from what nodes say of a transaction that it has sent, also when they lag behind. */

const wallet = createWallet(`0x${'1'.repeat(64)}`, 8453)
const ID = relayId('base', wallet.address)
const hash = `0x${'5e'.repeat(32)}`
const BLOCK = 105
const blockHash = `0x${'cd'.repeat(32)}`
const place = { network: 'base', relayer: wallet.address, nonce: 0, hash }
const newest = { height: 120, hash: '0x120', baseFee: 1n, isNew: true }
const receipt: RelayReceiptRaw = {
  status: '0x1',
  transactionHash: hash,
  blockHash,
  logs: [],
  blockNumber: `0x${BLOCK.toString(16)}`,
  gasUsed: '0x64',
  effectiveGasPrice: '0x2',
  l1Fee: '0x7',
}
const transfer: Transfer = {
  ...transferData,
  network: 'base',
  asset: 'usdc_base',
  tx: hash,
  amount: 1_000_000n,
  authorization: signed.nonce,
}

type Node = Partial<RelayParts['chain']> & {
  readonly receipt?: () => Promise<RelayReceiptRaw | undefined>
  readonly minedNonce?: () => Promise<number>
  readonly inUsd?: () => bigint | undefined
}

/** One transaction was sent; the chain is asked what `node` says. */
const sent = async (t: ExecutionContext, { authorizations = [AUTHORIZATION_ID], maxFeePerGas = '20' } = {}) => {
  const store = newStore(t)
  const ledger = ledgerOn(store, fixedWorld('relay'))
  await ledger.authorization.accept(AUTHORIZATION_ID, accepted)
  const fees = { gas: '150000', maxFeePerGas, maxPriorityFeePerGas: '1' }
  await ledger.relay.send(ID, { ...place, authorizations, batched: false, ...fees })
  const clock = { now: 0 }
  const attempts = createAttempts(() => clock.now)
  const broadcasts: string[] = []
  const look = async (node: Node, isNew = true) => {
    const before = (await everything(store)).length
    const parts = {
      network: 'base',
      ledger,
      wallet,
      asks: {
        receipt: node.receipt ?? (async () => undefined),
        minedNonce: node.minedNonce ?? (async () => 0),
        broadcast: async (raw: string) => void broadcasts.push(raw),
      },
      chain: { hashAt: async () => blockHash, transfersOf: async () => [transfer], ...node },
      gas: { inUsd: node.inUsd ?? ((wei: bigint) => wei), fees: () => ({ baseFee: 1n, tip: 1n, data: undefined }) },
      log: { warn: () => {}, error: () => {} },
    } as unknown as RelayParts
    const isDone = await confirmSent(parts, attempts, await ledger.relay.read(ID), { ...newest, isNew })
    const types = (await everything(store)).slice(before).map(({ type }) => type)
    return [isDone, ...types] as const
  }
  const mined = async () => {
    t.deepEqual(await look({ receipt: async () => receipt }), [true, 'RelayTransactionMined'])
  }
  const read = () => ledger.relay.read(ID)
  return { store, ledger, look, mined, read, attempts, clock, broadcasts }
}

test('N-24 N-42 a transaction is taken back where its block was replaced, and not where a node does not know the block', async (t) => {
  const { look, mined, read, attempts } = await sent(t)
  await mined()
  t.false(attempts.mayTry(AUTHORIZATION_ID), 'it is in the chain')
  t.deepEqual(await look({ hashAt: async () => undefined }), [true], 'a node that lags behind')
  t.deepEqual(await look({}), [true], 'its block is there')
  t.deepEqual(await look({ hashAt: async () => '0xother' }, false), [true], 'no new block, no look')
  t.like(await read(), { pending: {}, mined: { 0: { hash, block: BLOCK } } })
  t.deepEqual(await look({ hashAt: async () => '0xother' }), [true, 'RelayTransactionReorganised'])
  t.like(await read(), { mined: {}, pending: { 0: { hashes: [hash] } } })
  t.true(attempts.mayTry(AUTHORIZATION_ID), 'it may be sent again')
})

test('N-42 while the newest block of ours is in the chain nobody asks for those before it', async (t) => {
  const { ledger, look, mined } = await sent(t)
  await mined()
  const second = { ...place, nonce: 1, hash: `0x${'6f'.repeat(32)}` }
  const fees = { gas: '150000', maxFeePerGas: '20', maxPriorityFeePerGas: '1' }
  await ledger.relay.send(ID, { ...second, authorizations: [], batched: false, ...fees })
  const costs = { gasUsed: '1', gasPrice: '1', l1Fee: '0', gasUsd: '1' }
  const later = `0x${'fe'.repeat(32)}`
  await ledger.relay.mine(ID, { ...second, block: BLOCK + 1, blockHash: later, ...costs, outcomes: [] })
  const asked: number[] = []
  const hashAt = (there: (height: number) => string) => async (height: number) => {
    asked.push(height)
    return there(height)
  }
  t.deepEqual(await look({ hashAt: hashAt(() => later) }), [true])
  t.deepEqual(asked, [BLOCK + 1])
  const upTo = hashAt((height) => (height === BLOCK ? blockHash : '0xother'))
  t.deepEqual(await look({ hashAt: upTo }), [true, 'RelayTransactionReorganised'])
  t.deepEqual(asked, [BLOCK + 1, BLOCK + 1, BLOCK])
})

test('N-42 what became of a payment is written down once the nodes agree on its block, with its gas in full', async (t) => {
  const { store, look } = await sent(t)
  const there = async () => receipt
  t.deepEqual(await look({ receipt: there, transfersOf: async () => undefined }), [false])
  t.deepEqual(await look({ receipt: there, inUsd: () => undefined }), [false], 'no price of the coin is known')
  t.deepEqual(await look({ receipt: there }), [true, 'RelayTransactionMined'])
  const { data } = (await everything(store)).at(-1) ?? {}
  const outcome = { authorizationId: AUTHORIZATION_ID, gasUsd: '207' }
  t.like(data, { gasUsed: '100', gasPrice: '2', l1Fee: '7', gasUsd: '207', outcomes: [outcome] })
})

test('N-42 a transaction that was reverted, or did not carry a payment out, leaves it free to be sent again, and costs its payer', async (t) => {
  const reverted = await sent(t)
  const there = async () => ({ ...receipt, status: '0x0' })
  const types = ['AuthorizationReverted', 'RelayTransactionFailed'] as const
  t.deepEqual(await reverted.look({ receipt: there }), [true, ...types])
  t.is([...reverted.attempts.losses().values()][0], 207n)
  const inVain = await sent(t)
  const none = { receipt: async () => receipt, transfersOf: async () => [{ ...transfer, authorization: '0x1' }] }
  t.deepEqual(await inVain.look(none), [true, 'AuthorizationReverted', 'RelayTransactionMined'])
  const { data } = (await everything(inVain.store)).at(-1) ?? {}
  t.deepEqual((data as { outcomes: unknown }).outcomes, [{ authorizationId: AUTHORIZATION_ID }])
  inVain.clock.now += 1_000
  t.true(inVain.attempts.mayTry(AUTHORIZATION_ID), 'nothing of it is in the chain')
})

test('N-42 a nonce that is used while no transaction of ours is seen is given up after twenty looks, and sent nothing more', async (t) => {
  const { look, clock, broadcasts, read } = await sent(t)
  const minedNonce = async () => 1
  for (let n = 1; n < 20; n++) {
    clock.now += 3_000
    t.deepEqual(await look({ minedNonce }), [true])
  }
  clock.now += 3_000
  t.deepEqual(await look({ minedNonce }), [true, 'RelayTransactionFailed'])
  t.deepEqual(broadcasts, [])
  t.like(await read(), { pending: {} })
})

test('N-42 what no block takes is sent again as it was, and with higher fees when it has waited for long', async (t) => {
  const { look, clock, broadcasts, read } = await sent(t)
  t.deepEqual(await look({}), [true])
  t.deepEqual(await look({}), [true], 'a moment ago')
  t.is(broadcasts.length, 1)
  clock.now = 3_000
  t.deepEqual(await look({}), [true])
  t.deepEqual([broadcasts.length, new Set(broadcasts).size], [2, 1])
  clock.now = 10_000
  t.deepEqual(await look({}), [true])
  clock.now = 13_001
  t.deepEqual(await look({}), [true, 'RelayTransactionSent'])
  t.is(new Set(broadcasts).size, 2)
  clock.now = 20_000
  t.deepEqual(await look({}), [true], 'each higher fee is waited for as long as the first')
  clock.now = 23_001
  t.deepEqual(await look({}), [true, 'RelayTransactionSent'])
  t.is((await read()).pending[0]?.hashes.length, 3)
})

test('N-42 what offers less than the newest block asks for is sent with higher fees at once, and so often at most', async (t) => {
  const { look, clock, read, broadcasts } = await sent(t, { maxFeePerGas: '0' })
  for (let n = 1; n < 20; n++) {
    clock.now += 3_000 + 10_000 * n
    t.deepEqual(await look({}), [true, 'RelayTransactionSent'])
  }
  clock.now += 1_000_000
  t.deepEqual(await look({}), [true])
  t.is((await read()).pending[0]?.hashes.length, 20)
  t.is(new Set(broadcasts).size, 20 - 1)
})

test('N-42 the gas of a transaction is shared by its payments, and what was broadcast just now is asked about with the next block', async (t) => {
  const second = { ...signed, nonce: `0x${'9'.repeat(64)}` }
  const authorizations = [AUTHORIZATION_ID, authorizationId(second)]
  const { store, ledger, look, attempts } = await sent(t, { authorizations })
  await ledger.authorization.accept(authorizationId(second), { ...accepted, authorization: second })
  attempts.wasBroadcast(0)
  let asked = 0
  const there = async () => {
    asked++
    return receipt
  }
  t.deepEqual(await look({ receipt: there }, false), [true])
  t.is(asked, 0)
  const both = async () => [transfer, { ...transfer, index: '1', authorization: second.nonce }]
  await look({ receipt: there, transfersOf: both })
  const mined = (await everything(store)).at(-1)?.data as RelayReceipt | undefined
  t.deepEqual(
    mined?.outcomes.map(({ gasUsd }) => gasUsd),
    ['103', '103'],
  )
})
