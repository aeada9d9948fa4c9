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

test('N-42 the next nonce is the one after the highest that was used, whichever was sent last', (t) => {
  const next = (...nonces: number[]) =>
    fold(
      relay,
      nonces.map((nonce) => sent(transaction(nonce, `a${nonce}`))),
    ).nextNonce
  t.is(next(), 0)
  t.is(next(0), 1)
  t.is(next(0, 1, 2), 3)
  t.is(next(2, 0), 3)
})

test('N-42 the fees of one nonce are raised twenty times at most, and a transaction too many waits', (t) => {
  const raised = Array.from({ length: 20 }, (_, n) => sent({ ...transaction(0, 'a'), hash: `0xh${n}` }))
  const next = { ...transaction(0, 'a'), hash: '0xnext' }
  given(t, relay, ...raised)
    .when('send', next)
    .isRefused('state-forbids')
  given(t, relay, ...raised.slice(1))
    .when('send', next)
    .yields(sent(next))
  const waiting = Array.from({ length: 15 }, (_, n) => sent(transaction(n, `a${n}`)))
  given(t, relay, ...waiting)
    .when('send', transaction(15, 'x'))
    .yields(sent(transaction(15, 'x')))
})

test('N-42 what was mined is watched for 64 blocks, and never more than 32 transactions of it', (t) => {
  const minedAt = (...blocks: number[]) =>
    Object.keys(
      fold(
        relay,
        blocks.flatMap((block, nonce) => [sent(transaction(nonce, `a${nonce}`)), mined(receipt(nonce, block))]),
      ).mined,
    )
  t.deepEqual(minedAt(10, 73), ['0', '1'])
  t.deepEqual(minedAt(10, 74), ['1'])
  t.is(minedAt(...Array.from({ length: 33 }, () => 10)).length, 32)
  t.false(minedAt(...Array.from({ length: 33 }, () => 10)).includes('0'))
  // What nobody has sent from here is none of ours.
  t.deepEqual(fold(relay, [mined(receipt(4))]), relay.initial)
})
