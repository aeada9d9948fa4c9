/**
 * Answers in the full form of toncenter's own model (ton-index-go/index/models of github.com/toncenter/ton-indexer at
 * eb9fbfa3, July 2026): every field that it writes, with its type, null where it may be, so that what the sandbox
 * leaves out is read too.
 */
import test from 'ava'
import { canonicalTon } from '../../adapters/chains/ton-address.ts'
import { startTonNode } from '../support/ton-node.ts'
import { connectTon, tonAddress } from '../support/ton-payer.ts'
import { startTonSandbox } from '../support/ton-sandbox.ts'

const to = tonAddress(1)
const hash = (n: number) => Buffer.alloc(32, n).toString('base64')
const raw = (n: string) => `0:${n.repeat(64)}`
const SHARD = '8000000000000000'

const block = (workchain: number, seqno: number, tx_count: number) => ({
  workchain,
  shard: SHARD,
  seqno,
  root_hash: hash(seqno % 251),
  file_hash: hash(2),
  global_id: -239,
  version: 0,
  after_merge: false,
  before_split: false,
  after_split: false,
  want_merge: true,
  want_split: false,
  key_block: false,
  vert_seqno_incr: false,
  flags: 1,
  gen_utime: '1789000000',
  start_lt: '58000000000000',
  end_lt: '58000000000004',
  validator_list_hash_short: -95473,
  gen_catchain_seqno: 1,
  min_ref_mc_seqno: 1,
  prev_key_block_seqno: 1,
  vert_seqno: 1,
  master_ref_seqno: 1,
  rand_seed: hash(3),
  created_by: hash(4),
  tx_count,
  masterchain_block_ref: { workchain: -1, shard: SHARD, seqno },
  prev_blocks: [{ workchain, shard: SHARD, seqno: seqno - 1 }],
})

const account = (n: number) => ({
  hash: hash(n),
  balance: '2717267789',
  extra_currencies: {},
  account_status: 'active',
  frozen_hash: null,
  data_hash: hash(n + 1),
  code_hash: hash(n + 2),
})

const message = (value: string | null) => ({
  hash: hash(30),
  source: raw('b'),
  destination: raw('a'),
  value,
  value_extra_currencies: {},
  fwd_fee: '301869',
  ihr_fee: '0',
  extra_flags: null,
  created_lt: '58000000000002',
  created_at: '1789000000',
  opcode: null,
  decoded_opcode: null,
  ihr_disabled: true,
  bounce: false,
  bounced: false,
  import_fee: null,
  message_content: { hash: hash(31), body: 'te6cckEBAQEAAgAAAEysuc0=', decoded: null },
  init_state: null,
})

const transaction = (seqno: number) => ({
  account: `0:A${'1'.padStart(63, '0')}`,
  hash: hash(20),
  lt: '58000000000003',
  now: 1789000000,
  mc_block_seqno: seqno,
  trace_id: hash(21),
  trace_external_hash: hash(22),
  prev_trans_hash: hash(23),
  prev_trans_lt: '57000000000003',
  orig_status: 'active',
  end_status: 'active',
  total_fees: '6617389',
  total_fees_extra_currencies: {},
  description: {
    type: 'ord',
    aborted: false,
    destroyed: false,
    credit_first: true,
    storage_ph: { storage_fees_collected: '72858', status_change: 'unchanged' },
    credit_ph: { credit: '98993600' },
    compute_ph: { skipped: false, success: true, msg_state_used: false, gas_used: '12845', mode: 0, exit_code: 0 },
    action: { success: true, valid: true, no_funds: false, result_code: 0, tot_actions: 0, msgs_created: 0 },
  },
  block_ref: { workchain: 0, shard: SHARD, seqno: 7 },
  in_msg: message('98993600'),
  out_msgs: [message(null)],
  account_state_before: account(40),
  account_state_after: account(50),
  emulated: false,
  finality: 'finalized',
})

test('J-GEN-05 answers in the form that toncenter documents are read', async (t) => {
  const sandbox = await startTonSandbox()
  const seqno = 50_000_001
  const answers: Record<string, (query: URLSearchParams) => unknown> = {
    '/masterchainInfo': () => ({ last: block(-1, seqno, 3), first: block(-1, 1, 0) }),
    '/blocks': (query) => ({
      blocks: query.has('mc_seqno') ? [block(0, 7, 1), block(-1, seqno, 1)] : [block(-1, seqno, 1)],
    }),
    '/transactionsByMasterchainBlock': () => ({ transactions: [transaction(seqno), tick(seqno)], address_book: {} }),
  }
  const node = await startTonNode(sandbox, {
    behave: ({ path, query }) => ({ edit: () => answers[path]?.(query) }),
  })
  t.teardown(node.stop)
  const chain = connectTon([node.url])
  const { height, hash: blockHash } = await chain.head()
  t.deepEqual(await chain.transfersIn(height, height, new Set([to])), [
    {
      network: 'ton',
      tx: '14'.repeat(32),
      index: 'native',
      asset: 'ton',
      to,
      amount: 98_993_600n,
      height,
      from: canonicalTon(raw('b')),
      blockHash,
      minedAt: '2026-09-10T00:26:40.000Z',
    },
  ])
})

/** The masterchain's own: it has no message. */
const tick = (seqno: number) => ({
  ...transaction(seqno),
  account: `-1:${'5'.repeat(64)}`,
  hash: hash(60),
  lt: '58000000000001',
  in_msg: null,
  out_msgs: [],
  description: { type: 'tick_tock', aborted: false, destroyed: false, is_tock: false },
})
