/** Reads blocks and transactions from their raw bytes, and proves them by their hashes. */

import { Block, Transaction } from 'bitcoinjs-lib'
import { ProviderFault } from '../rpc/providers.ts'

/** Bytes of a block's header, whose hash is the block's own. */
const HEADER_BYTES = 80
/** Flags of a transaction in the extended form: BIP-144's witness, and Litecoin's extension block (LIP-0002). */
const WITNESS = 1
const MWEB = 8

export type BitcoinBlock = {
  readonly hash: string
  readonly previous: string
  /** The block's own time, ISO 8601 UTC. */
  readonly minedAt: string
  readonly transactions: readonly Transaction[]
}

/**
 * Reads the block of that hash. Rejects the bytes of another block, bytes that end too early, and transactions that the
 * header does not stand for. What Litecoin adds after a block's transactions moves no coin to an address and is left
 * unread.
 */
export const readBlock = (bytes: Uint8Array, hash: string): BitcoinBlock =>
  reading('a block', () => {
    const header = Block.fromBuffer(bytes.subarray(0, HEADER_BYTES))
    if (header.getId() !== hash) throw new ProviderFault('a block that is not the one asked for')
    const count = varInt(bytes, HEADER_BYTES)
    const transactions: Transaction[] = []
    let at = HEADER_BYTES + count.length
    let isExtended = false
    while (transactions.length < count.value) {
      // Only the last one may announce an extension, so no other is copied.
      const read = readTransaction(bytes.subarray(at), transactions.length === count.value - 1)
      transactions.push(read.transaction)
      at += read.length
      isExtended = read.isExtended
    }
    if (at !== bytes.length && !isExtended) throw new ProviderFault('a block with something behind it')
    if (!equal(Block.calculateMerkleRoot(transactions), header.merkleRoot))
      throw new ProviderFault('a block with other transactions than its own')
    const previous = reversedHex(header.prevHash ?? new Uint8Array())
    return { hash, previous, minedAt: new Date(header.timestamp * 1_000).toISOString(), transactions }
  })

/** The transaction of that id. */
export const readTransactionOf = (bytes: Uint8Array, id: string): Transaction =>
  reading('a transaction', () => {
    const { transaction, length } = readTransaction(bytes, true)
    if (length !== bytes.length || transaction.getId() !== id)
      throw new ProviderFault('a transaction that is not the one asked for')
    return transaction
  })

type ParsedTransaction = { readonly transaction: Transaction; readonly length: number; readonly isExtended: boolean }

/**
 * Litecoin's HogEx, the last transaction of a block, carries a flag that plain parsing does not know and, in front of
 * its lock time, one byte that says there is no more. Neither is part of its id: without both it is a plain
 * transaction, which pays those who left the extension.
 */
const readTransaction = (bytes: Uint8Array, mayBeExtended: boolean): ParsedTransaction => {
  const flags = bytes[4] === 0 ? (bytes[5] ?? 0) : 0
  if (!mayBeExtended || (flags | WITNESS) !== (MWEB | WITNESS)) {
    const transaction = Transaction.fromBuffer(bytes, true)
    return { transaction, length: transaction.byteLength(), isExtended: false }
  }
  const marker = flags & WITNESS ? [0, WITNESS] : []
  const transaction = Transaction.fromBuffer(
    Buffer.concat([bytes.subarray(0, 4), Buffer.from(marker), bytes.subarray(6)]),
    true,
  )
  const length = transaction.byteLength() + 2 - marker.length + 1
  const lockTime = Buffer.from(bytes.subarray(length - 4, length))
  if (bytes[length - 5] !== 0 || lockTime.length !== 4) throw new ProviderFault('a transaction outside of a block')
  transaction.locktime = lockTime.readUInt32LE()
  return { transaction, length, isExtended: true }
}

/** Bitcoin's CompactSize, of which a count of transactions needs at most the five-byte form. */
const varInt = (bytes: Uint8Array, at: number): { value: number; length: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = view.getUint8(at)
  if (first < 0xfd) return { value: first, length: 1 }
  return first === 0xfd
    ? { value: view.getUint16(at + 1, true), length: 3 }
    : { value: view.getUint32(at + 1, true), length: 5 }
}

const equal = (a: Uint8Array, b: Uint8Array | undefined): boolean => b !== undefined && Buffer.compare(a, b) === 0

/** Hashes are written backwards. */
const reversedHex = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString('hex')

/** Whatever the parser stumbles over is the provider's fault; its own words may hold what was received. */
const reading = <T>(what: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw error instanceof ProviderFault ? error : new ProviderFault(`${what} that cannot be read`)
  }
}
