/**
 * java-tron's way to write blocks, transactions and their outcomes, made from what an EVM node says. The shapes are
 * those of the answers in test/chains/tron-captured.json and of java-tron's `Util`, `JsonFormat` and `TransactionUtil`:
 * what is zero or empty is left out.
 */

import { createHash } from 'node:crypto'

export type EvmTx = { hash: string; from: string; to: string | null; value: string; input: string }
export type EvmLog = { address: string; topics: string[]; data: string }
export type EvmReceipt = {
  transactionHash: string
  status: string
  gasUsed: string
  contractAddress: string | null
  logs: EvmLog[]
}
export type EvmBlock = {
  number: string
  hash: string
  parentHash: string
  transactionsRoot: string
  timestamp: string
  transactions: EvmTx[]
}
/** Of debug_traceTransaction with its callTracer. */
export type EvmCall = { type: string; from: string; to?: string; value?: string; error?: string; calls?: EvmCall[] }

/** What became of a transaction; `isCall` when it ran or made a contract. */
export type Outcome = { tx: EvmTx; receipt: EvmReceipt; isCall: boolean; trace?: EvmCall | undefined }

export const bare = (hex: string) => hex.replace(/^0x/, '').toLowerCase()
export const tronHex = (address: string) => `41${bare(address)}`

/** The first eight bytes are the height; the last four of the first block name the chain. */
export const blockId = (height: number, hash: string, reference: string) => {
  const id = height.toString(16).padStart(16, '0') + bare(hash).slice(16)
  return height === 0 ? id.slice(0, 56) + reference : id
}

export const headerOf = (block: EvmBlock, reference: string) => {
  const number = Number(block.number)
  return {
    blockID: blockId(number, block.hash, reference),
    block_header: {
      raw_data: {
        ...(number > 0 && { number }),
        txTrieRoot: block.transactions.length > 0 ? bare(block.transactionsRoot) : '00'.repeat(32),
        witness_address: `41${'00'.repeat(20)}`,
        parentHash: number > 0 ? blockId(number - 1, block.parentHash, reference) : '00'.repeat(32),
        ...(number > 0 && { version: 34, timestamp: Number(block.timestamp) * 1000 }),
      },
      witness_signature: '00'.repeat(65),
    },
  }
}

export const transactionOf = ({ tx, isCall }: Pick<Outcome, 'tx' | 'isCall'>, receipt?: EvmReceipt) => {
  const type = tx.to === null ? 'CreateSmartContract' : isCall ? 'TriggerSmartContract' : 'TransferContract'
  const owner_address = tronHex(tx.from)
  const value = int64(BigInt(tx.value))
  const call = { owner_address, data: bare(tx.input), ...(BigInt(tx.value) > 0n && { call_value: value }) }
  const values = {
    CreateSmartContract: { owner_address },
    TriggerSmartContract: { ...call, contract_address: tronHex(tx.to ?? '') },
    TransferContract: { amount: value, owner_address, to_address: tronHex(tx.to ?? '') },
  }
  return {
    ret: [{ contractRet: !receipt || isDone(receipt) ? 'SUCCESS' : 'REVERT' }],
    signature: ['00'.repeat(65)],
    txID: bare(tx.hash),
    raw_data: {
      contract: [{ parameter: { value: values[type], type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: '193b',
      ref_block_hash: '00'.repeat(8),
      expiration: 1656580476000,
      ...(isCall && { fee_limit: 10000000000 }),
      timestamp: 1656580418228,
    },
    raw_data_hex: '',
  }
}

/**
 * A plain transfer's receipt has no result; that of a contract that failed has its reason, and the outcome says FAILED
 * besides.
 */
export const infoOf = ({ tx, receipt, isCall, trace }: Outcome, block: EvmBlock) => {
  const shared = {
    id: bare(tx.hash),
    fee: 267000,
    blockNumber: Number(block.number),
    blockTimeStamp: Number(block.timestamp) * 1000,
    contractResult: [''],
  }
  if (!isCall) return { ...shared, receipt: { net_usage: 268 } }
  const done = isDone(receipt)
  const internal = internalOf(trace, bare(tx.hash), done)
  return {
    ...shared,
    contract_address: tronHex(receipt.contractAddress ?? tx.to ?? ''),
    receipt: { energy_usage_total: Number(receipt.gasUsed), net_usage: 345, result: done ? 'SUCCESS' : 'REVERT' },
    ...(!done && { result: 'FAILED', resMessage: Buffer.from('REVERT opcode executed').toString('hex') }),
    ...(receipt.logs.length > 0 && { log: receipt.logs.map(logOf) }),
    ...(internal.length > 0 && { internal_transactions: internal }),
  }
}

/**
 * A number of 64 bits as JSON has it, also beyond what a JavaScript number holds; TypeScript does not know `rawJSON`
 * yet.
 */
export const int64 = (value: bigint): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))

const isDone = ({ status }: EvmReceipt) => status === '0x1'

const logOf = ({ address, topics, data }: EvmLog) => ({
  address: bare(address),
  topics: topics.map(bare),
  ...(data !== '0x' && { data: bare(data) }),
})

/** In the order in which they were called; all that a failed call did was in vain. */
const internalOf = (call: EvmCall | undefined, hash: string, done: boolean): object[] =>
  (call?.calls ?? []).flatMap((inner, n) => {
    const isKept = done && inner.error === undefined
    const id = createHash('sha256').update(`${hash}${n}`).digest('hex')
    const value = BigInt(inner.value ?? '0x0')
    // A library's code runs in its caller's place.
    const isBorrowed = ['DELEGATECALL', 'CALLCODE'].includes(inner.type)
    const own = {
      hash: id,
      caller_address: tronHex(inner.from),
      transferTo_address: tronHex(isBorrowed ? inner.from : (inner.to ?? '')),
      callValueInfo: [value > 0n && inner.type !== 'DELEGATECALL' ? { callValue: int64(value) } : {}],
      note: Buffer.from(notes[inner.type] ?? 'call').toString('hex'),
      ...(!isKept && { rejected: true }),
    }
    return [own, ...internalOf(inner, id, isKept)]
  })

const notes: Readonly<Record<string, string>> = { CREATE: 'create', CREATE2: 'create', SELFDESTRUCT: 'suicide' }
