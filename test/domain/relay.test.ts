import test from 'ava'
import { type RelayReceipt, type RelayTransaction, relay } from '../../domain/gasless/relay.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { given } from '../support/given.ts'

const RELAYER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const place = (nonce: number, hash = `0x${nonce}`) => ({ network: 'base', relayer: RELAYER, nonce, hash })
const transaction = (nonce: number, ...authorizations: string[]): RelayTransaction => ({
  ...place(nonce),
  authorizations,
  batched: false,
  gas: '150000',
  maxFeePerGas: '20',
  maxPriorityFeePerGas: '1',
})
const receipt = (nonce: number, block = 10): RelayReceipt => ({
  ...place(nonce),
  block,
  blockHash: `0xb${block}`,
  gasUsed: '80000',
  gasPrice: '10',
  l1Fee: '0',
  gasUsd: '5',
  outcomes: [],
})
const sent = (data: RelayTransaction) => ({ type: 'RelayTransactionSent', data }) as const
const mined = (data: RelayReceipt) => ({ type: 'RelayTransactionMined', data }) as const

test('N-42 an authorization is never on its way in two transactions', (t) => {
  given(t, relay)
    .when('send', transaction(0, 'a'))
    .yields(sent(transaction(0, 'a')))
  given(t, relay, sent(transaction(0, 'a')))
    .when('send', transaction(1, 'b', 'a'))
    .isRefused('state-forbids')
  given(t, relay, sent(transaction(0, 'a')))
    .when('send', transaction(1, 'b'))
    .yields(sent(transaction(1, 'b')))
})

test('N-42 a transaction is replaced under its own nonce, and the same one is written down once', (t) => {
  const dearer = { ...transaction(0, 'a'), hash: '0xdearer', maxFeePerGas: '30' }
  given(t, relay, sent(transaction(0, 'a')))
    .when('send', dearer)
    .yields(sent(dearer))
  given(t, relay, sent(transaction(0, 'a')), sent(dearer))
    .when('send', dearer)
    .yieldsNothing()
  t.deepEqual(fold(relay, [sent(transaction(0, 'a')), sent(dearer)]).pending[0]?.hashes, ['0x0', '0xdearer'])
})

test('N-42 a nonce that was mined is not used again, and at most 16 transactions wait at once', (t) => {
  const done = [sent(transaction(0, 'a')), mined(receipt(0))]
  given(t, relay, ...done)
    .when('send', { ...transaction(0, 'b'), hash: '0xother' })
    .isRefused('state-forbids')
  const waiting = Array.from({ length: 16 }, (_, n) => sent(transaction(n, `a${n}`)))
  given(t, relay, ...waiting)
    .when('send', transaction(16, 'x'))
    .isRefused('busy')
})

test('N-42 what was mined is told once, and after a reorganisation it waits to be mined again', (t) => {
  const history = [sent(transaction(0, 'a')), mined(receipt(0))]
  given(t, relay, sent(transaction(0, 'a')))
    .when('mine', receipt(0))
    .yields(mined(receipt(0)))
  given(t, relay, ...history)
    .when('mine', receipt(0))
    .yieldsNothing()
  const gone = { type: 'RelayTransactionReorganised', data: place(0) } as const
  given(t, relay, ...history)
    .when('reorganise', place(0))
    .yields(gone)
  given(t, relay, ...history)
    .when('reorganise', place(0, '0xother'))
    .yieldsNothing()
  t.deepEqual(fold(relay, [...history, gone]).pending[0]?.sent.authorizations, ['a'])
  given(t, relay, ...history, gone)
    .when('mine', receipt(0, 12))
    .yields(mined(receipt(0, 12)))
})

test('N-42 a transaction that came to nothing sets its authorizations free', (t) => {
  const failed = { type: 'RelayTransactionFailed', data: { ...place(0), reason: 'reverted' } } as const
  given(t, relay, sent(transaction(0, 'a')))
    .when('fail', failed.data)
    .yields(failed)
  given(t, relay).when('fail', failed.data).yieldsNothing()
  given(t, relay, sent(transaction(0, 'a')), failed)
    .when('send', transaction(1, 'a'))
    .yields(sent(transaction(1, 'a')))
})
