/** The parts of java-tron's answers that are read here, and checks that an answer is the one that was asked for. */

import { ProviderFault } from '../rpc/providers.ts'

/**
 * A whole number of 64 bits; a `bigint` where a JavaScript number would not be exact. Protobuf leaves out what is 0.
 */
type Int64 = number | bigint

/** Hashes are 64 hex digits without 0x, addresses 42 with the prefix 41. */
export type RawHeader = {
  readonly blockID: string
  readonly block_header: {
    /** `timestamp` in milliseconds since 1970. */
    readonly raw_data: {
      readonly number?: Int64
      readonly parentHash: string
      readonly txTrieRoot?: string
      readonly timestamp?: Int64
    }
  }
}
export type TronRawBlock = RawHeader & { readonly transactions?: readonly TronRawTx[] }
export type TronRawTx = {
  readonly txID: string
  readonly ret?: readonly { readonly contractRet?: string }[]
  readonly raw_data: {
    /** The list always has one entry. */
    readonly contract: readonly { readonly type: string; readonly parameter: { readonly value: RawCall } }[]
  }
}
/**
 * TransferContract has `to_address` and `amount`, TriggerSmartContract `contract_address` and, with coin, `call_value`;
 * both in sun.
 */
type RawCall = {
  readonly owner_address: string
  readonly to_address?: string
  readonly amount?: Int64
  readonly contract_address?: string
  readonly call_value?: Int64
}
/** The outcome of a transaction. A plain transfer's receipt has no result. */
export type RawInfo = {
  readonly id: string
  readonly blockNumber?: Int64
  readonly blockTimeStamp?: Int64
  readonly result?: string
  readonly receipt?: { readonly result?: string }
  readonly log?: readonly TronRawLog[]
  readonly internal_transactions?: readonly RawInternal[]
}
/** A log, whose address lacks the prefix 41. */
export type TronRawLog = { readonly address: string; readonly topics?: readonly string[]; readonly data?: string }
type RawInternal = {
  readonly caller_address: string
  readonly transferTo_address: string
  /** Coin in sun; an entry with a `tokenId` is a TRC-10 token. */
  readonly callValueInfo?: readonly { readonly callValue?: Int64; readonly tokenId?: string }[]
  /** The kind, as hex of its name. */
  readonly note?: string
  readonly rejected?: boolean
}

/** A block with the outcome of each of its transactions, keyed by transaction id. */
export type WholeBlock = { readonly block: TronRawBlock; readonly infos: ReadonlyMap<string, RawInfo> }

export const heightOf = ({ block_header }: RawHeader): number => Number(block_header.raw_data.number ?? 0)
export const millisecondsOf = ({ block_header }: RawHeader): number => Number(block_header.raw_data.timestamp ?? 0)

export const parentOf = ({ block_header }: RawHeader): string => block_header.raw_data.parentHash

/**
 * JSON whose long numbers come as `bigint`: amounts in sun go beyond what a JavaScript number holds exactly. Throws on
 * what is no JSON.
 */
export const parseExact = (text: string): unknown =>
  HAS_LONG_NUMBER.test(text) ? parse(text, exact) : JSON.parse(text)

/** A reviver makes reading several times slower, so it is used only where a number may need it. */
const HAS_LONG_NUMBER = /[:,[]\s*-?\d{16}/

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const exact: Reviver = (_, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
    ? BigInt(source as string)
    : value

/** ECMAScript tells a reviver the source text, TypeScript does not know it yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/**
 * The header or block asked for, undefined when the node answered `{}`: it has none. A block's id begins with its
 * height.
 */
export const asBlock = <Block extends RawHeader>(answer: unknown, height?: number): Block | undefined => {
  if (isEmpty(answer)) return undefined
  const block = answer as Block
  const parent = block.block_header?.raw_data?.parentHash
  if (!isHash(block.blockID) || !isHash(parent)) throw new ProviderFault('no usable answer')
  const own = heightOf(block)
  if (Number.parseInt(block.blockID.slice(0, 16), 16) !== own || own !== (height ?? own))
    throw new ProviderFault('another block than the one asked for')
  return block
}

/**
 * The block with every transaction's outcome: a transaction without one may have paid somebody, so the block then
 * counts as not read. Without transactions it is whole only if its header says so.
 */
export const asWhole = (block: TronRawBlock, answer: unknown): WholeBlock => {
  const transactions = block.transactions ?? []
  const list = Array.isArray(answer) ? (answer as readonly RawInfo[]) : []
  const own = list.filter((info) => isOfBlock(info, block))
  const infos = new Map(own.map((info) => [info.id, info]))
  const isWhole = own.length === list.length && transactions.every(({ txID }) => infos.has(txID))
  if (transactions.length === 0 && !/^0*$/.test(block.block_header.raw_data.txTrieRoot ?? ''))
    throw new ProviderFault('its transactions are not there')
  if (!isWhole || infos.size !== transactions.length)
    throw new ProviderFault('the outcomes of its transactions are not all there')
  return { block, infos }
}

/** The outcome of one transaction; undefined while it is unknown or waits to be mined. */
export const asInfo = (answer: unknown, hash: string): RawInfo | undefined => {
  if (isEmpty(answer)) return undefined
  const info = answer as RawInfo
  if (info.id !== hash) throw new ProviderFault('another transaction than the one asked for')
  return info.blockNumber ? info : undefined
}

/** Two blocks of one height may hold the same transactions; the time tells them apart. */
export const isOfBlock = (info: RawInfo, block: RawHeader): boolean =>
  Number(info.blockNumber) === heightOf(block) && Number(info.blockTimeStamp) === millisecondsOf(block)

const isEmpty = (answer: unknown): boolean => {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new ProviderFault('no usable answer')
  return Object.keys(answer).length === 0
}

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
