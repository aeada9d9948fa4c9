import { Block, Transaction } from 'bitcoinjs-lib'
import type { Behaviour } from './fake-node.ts'

/**
 * A Bitcoin node of today in memory: Core's answers as its documentation of version 28 shows them, over blocks that are
 * given or made here.
 */

export type RawBlock = { readonly hash: string; readonly hex: string }
export type Pays = { readonly script: Uint8Array; readonly amount: bigint }

/** Blocks of the main chains that a node has far above those that it is given, by which they prove themselves. */
export const BITCOIN_MARKS: ReadonlyMap<number, string> = new Map([
  [478_559, '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148'],
  [840_000, '0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5'],
])

/**
 * `blocks` are in the order of their heights; one may be replaced meanwhile, and one without bytes stands for its hash
 * only. `marks` are the hashes of blocks far above those.
 */
export const bitcoinNode = (blocks: readonly RawBlock[], marks: ReadonlyMap<number, string> = BITCOIN_MARKS) => {
  const answer = (method: string, [first]: readonly unknown[]): unknown => {
    const place = blocks.findIndex(({ hash }) => hash === first)
    switch (method) {
      case 'getblockhash':
        return blocks[Number(first)]?.hash ?? marks.get(Number(first)) ?? error(-8, 'Block height out of range')
      case 'getbestblockhash':
        return blocks.at(-1)?.hash
      case 'getblock':
        return blocks[place]?.hex ?? error(-5, 'Block not found')
      case 'getblockheader':
        return place < 0 ? error(-5, 'Block not found') : { hash: first, ...placeOf(blocks, place) }
      case 'getrawtransaction':
        return transactionOf(blocks, String(first)) ?? error(-5, UNKNOWN)
      default:
        return error(-32601, 'Method not found')
    }
  }
  return ({ method, params }: { method: string; params: readonly unknown[] }): Behaviour => {
    const result = answer(method, params)
    return result instanceof Failure ? { error: { code: result.code, message: result.message } } : { result }
  }
}

/**
 * A block on top of another, with a transaction for each list of outputs behind the miner's own; it is proof of no
 * work.
 */
export const makeBlock = (previous: string, ...transactions: readonly (readonly Pays[])[]): RawBlock => {
  const block = new Block()
  block.prevHash = reversed(previous)
  block.timestamp = 1_760_000_000
  block.transactions = [coinbase(previous), ...transactions.map((outputs, n) => transfer(previous, n, outputs))]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  return { hash: block.getId(), hex: block.toHex(false) }
}

/** The ids of a block's transactions. */
export const idsOf = ({ hex }: RawBlock): string[] => (Block.fromHex(hex).transactions ?? []).map((tx) => tx.getId())

const UNKNOWN = 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.'

class Failure extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
const error = (code: number, message: string) => new Failure(code, message)

const placeOf = (blocks: readonly RawBlock[], height: number) => {
  const time = Buffer.from(blocks[height]?.hex.slice(136, 144) ?? '', 'hex').readUInt32LE()
  return { confirmations: blocks.length - height, height, time, mediantime: time, nTx: 1 }
}

/** Core 22 and later write `address` where older ones had `addresses`; none of it is exact enough to be read. */
const transactionOf = (blocks: readonly RawBlock[], id: string) => {
  for (const [height, { hash, hex }] of blocks.entries()) {
    if (hex === '') continue
    const found = Block.fromHex(hex).transactions?.find((tx) => tx.getId() === id)
    if (!found) continue
    const { confirmations, time } = placeOf(blocks, height)
    const vout = found.outs.map(({ value }, n) => ({ value: Number(value) / 1e8, n, scriptPubKey: { address: '' } }))
    return { txid: id, vout, hex: found.toHex(), blockhash: hash, confirmations, time, blocktime: time }
  }
  return undefined
}

const coinbase = (previous: string): Transaction => {
  const tx = new Transaction()
  tx.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, reversed(previous))
  tx.addOutput(Buffer.from('51', 'hex'), 312_500_000n)
  return tx
}

const transfer = (previous: string, n: number, outputs: readonly Pays[]): Transaction => {
  const tx = new Transaction()
  tx.version = 2
  tx.addInput(reversed(previous), n)
  tx.setWitness(0, [Buffer.alloc(64, 1)])
  for (const { script, amount } of outputs) tx.addOutput(script, amount)
  return tx
}

const reversed = (hash: string) => Buffer.from(hash, 'hex').reverse()
