import test, { type ExecutionContext } from 'ava'
import type { Chain, Transfer } from '../../domain/kernel/ports.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { openChallenge } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import {
  checkTransactions,
  type TransactionLookups,
} from '../../domain/use-cases/selling/settling/check-transactions.ts'
import { scanChallenges, type WaitingPayments } from '../../domain/use-cases/selling/settling/scan-challenges.ts'
import { everything, ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { chain, flow, sellerOn } from './flow-setup.ts'
import { created, PAY_TO, recordedTransaction, transferData } from './samples.ts'

/**
 * Looking for payments on the chain without a watch: what is read, what is left alone, and that nothing is booked
 * twice.
 */

const HOUR_MS = 3_600_000
const none: WaitingPayments = async () => []

test('M-TXN-08 X-IDEM-04 a payment that a check and the watch find at once settles once', async (t) => {
  const { store, own, challengeId, paid } = await sale(t)
  const watching = fixedWorld('watch')
  const watch = async () => {
    const ledger = ledgerOn(store, watching)
    const transfers = [{ ...paid, amount: String(paid.amount) }]
    await ledger.chainWatch.scanned('eth', { network: 'eth', height: 110, hash: '0x110', head: 110, transfers })
    await runPolicies(store, ledger, watching)
  }
  const other = { ...own, ledger: ledgerOn(store, fixedWorld('other')) }
  const scans = [own, own, other].map((each) => scanChallenges(each, [challengeId], none))
  const [first, ...rest] = await Promise.all([...scans, watch()])
  t.true(first)
  t.true(rest.slice(0, 2).every((whole) => whole === true))
  await runPolicies(store, own.ledger, own.world)
  const types = (await everything(store)).map(({ type }) => type)
  for (const type of ['TransferClaimed', 'ChallengeSettled', 'TransactionCreated', 'TransactionCompleted'])
    t.is(types.filter((each) => each === type).length, 1, type)
  t.false(types.includes('TransferSetAside'))
})

test('M-TXN-08 N-24 what a check finds waits for a second voice where that is needed', async (t) => {
  const { store, own, challengeId, paid } = await sale(t)
  const silent = { known: () => undefined, heard: async () => undefined }
  t.true(await scanChallenges({ ...own, secondVoice: silent }, [challengeId], none))
  const settled = async () => (await everything(store)).some(({ type }) => type === 'ChallengeSettled')
  t.false(await settled())
  const { tx, height, blockHash } = paid
  const waiting: WaitingPayments = async () => [{ challengeId, transferId: transferId(paid), tx, height, blockHash }]
  const [node = chain()] = own.chains.values()
  const chains = new Map([['eth', { ...node, transfersOf: async () => [paid], transfersIn: async () => [] }]])
  t.true(await scanChallenges({ ...own, chains, secondVoice: silent }, [challengeId], waiting))
  t.false(await settled())
  t.true(await scanChallenges({ ...own, chains }, [challengeId], waiting))
  t.true(await settled())
})

test('M-TXN-08 blocks are read from the newest back, so many at once and in all, and no further once it is paid', async (t) => {
  const { own, challengeId, reads, longer } = await sale(t)
  longer(9_100)
  t.true(await scanChallenges(own, [challengeId], none))
  t.deepEqual(reads[0], [8_901, 9_100])
  t.deepEqual(reads[1], [8_701, 8_900])
  t.is(reads.length, 25)
  t.deepEqual(reads.at(-1), [4_101, 4_300])
  reads.length = 0
  longer(300)
  t.true(await scanChallenges(own, [challengeId], none))
  t.deepEqual(reads, [[101, 300]])
  t.true(await scanChallenges(own, [challengeId], none))
  t.is(reads.length, 1, 'what is paid is not looked for')
})

test('M-TXN-08 no further block is read when the time of a call is up', async (t) => {
  const { own, world, challengeId, reads, longer } = await sale(t, { reading: () => world.step(4_000) })
  longer(9_100)
  t.true(await scanChallenges(own, [challengeId], none))
  t.is(reads.length, 3)
})

test('M-TXN-08 what came before the challenge was issued is left alone, and a day after its end nothing is read', async (t) => {
  const { store, own, world, challengeId, reads, found } = await sale(t)
  const early = { ...(found[0] as Transfer), height: 100, index: 'early' }
  found.splice(0, 1, early, { ...early, height: 105, to: '0x0000000000000000000000000000000000000001' })
  t.true(await scanChallenges(own, [challengeId], none))
  const types = (await everything(store)).map(({ type }) => type)
  t.false(types.includes('TransferSetAside') || types.includes('ChallengeSettled'))
  t.is(reads.length, 1)
  world.step(26 * HOUR_MS)
  t.true(await scanChallenges(own, [challengeId], none))
  t.is(reads.length, 1)
})

test('M-TXN-08 M-TXN-09 a chain that is silent, or not connected, is said to be', async (t) => {
  const { own, challengeId } = await sale(t)
  const head = async () => ({ height: 110, hash: '0x110' })
  const silent: Chain = { ...chain(), head, transfersIn: () => Promise.reject(new Error('no node answers')) }
  for (const chains of [new Map([['eth', silent]]), new Map<string, Chain>()])
    t.false(await scanChallenges({ ...own, chains }, [challengeId], none))
  t.true(await scanChallenges(own, [`ch_${'z'.repeat(26)}.eth`, 'x', `${challengeId}x`], none))
})

test('M-TXN-08 a check looks at the hash that a transaction is known by, and leaves what completed, or is a test, alone', async (t) => {
  const { own, challengeId, paid, asked, reads } = await sale(t)
  const pending = { ...recordedTransaction, challengeId, hash: paid.tx }
  await own.ledger.transaction.create('1', pending)
  await own.ledger.transaction.create('2', { ...pending, challengeId: `${challengeId}2`, test: true })
  const { challenges, isWhole } = await checkTransactions(own, ['1', '2', '3'], known)
  t.deepEqual(challenges, [challengeId])
  t.true(isWhole)
  t.deepEqual(asked, [paid.tx])
  await own.ledger.transaction.complete('1', { hash: paid.tx, payer: '', confirmedAt: pending.createdAt })
  reads.length = 0
  t.deepEqual(await checkTransactions(own, ['1'], known), { challenges: [], isWhole: true })
  t.deepEqual([asked.length, reads.length], [1, 0])
})

const known: TransactionLookups = { challengesOfRequest: async () => [], waitingPayments: none }

/** An open challenge, and a chain that holds its payment at height 105 and can be read. */
const sale = async (t: ExecutionContext, { reading = () => {} } = {}) => {
  const store = newStore(t)
  const world = fixedWorld()
  const seller = flow(store, world)
  await sellerOn(store, ['eth'], created.amount)
  const { setId, entries } = await openChallenge(seller, 'res_1', { anonymous: false })
  const paid: Transfer = { ...transferData, to: PAY_TO, amount: BigInt(entries[0]?.amount ?? 0) }
  const found: Transfer[] = [paid]
  const reads: [number, number][] = []
  const asked: string[] = []
  let height = 110
  const node: Chain = {
    ...chain(),
    head: async () => ({ height, hash: `0x${height}` }),
    transfersOf: async (tx) => {
      asked.push(tx)
      return undefined
    },
    transfersIn: async (from, to, addresses) => {
      reads.push([from, to])
      reading()
      return found.filter((each) => each.height >= from && each.height <= to && addresses.has(PAY_TO))
    },
  }
  const own: UseCaseContext = { ...seller, chains: new Map([['eth', node]]) }
  const longer = (blocks: number) => {
    height = blocks
  }
  return { store, own, world, challengeId: `${setId}.eth`, paid, found, reads, asked, longer }
}
