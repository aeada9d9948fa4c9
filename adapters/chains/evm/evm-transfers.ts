/**
 * Finds the payments in raw EVM data: amounts come from the log or the transaction's own value, never from calldata.
 */

import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Asset } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import { eip55 } from '../../crypto/eip55.ts'

/** The fields of JSON-RPC objects that are read here; quantities are 0x hex. */
export type RawTx = {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionIndex: string
}
export type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly removed?: boolean
}
export type RawReceipt = {
  readonly status: string
  readonly transactionHash: string
  readonly blockHash: string
  readonly logs: readonly RawLog[]
}
export type RawBlock = {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly logsBloom: string
  /** Seconds since 1970. */
  readonly timestamp: string
  readonly transactions: readonly RawTx[]
}

/** A transfer without its block's time, and its place in its block. */
export type PlacedTransfer = {
  readonly transfer: Omit<Transfer, 'minedAt'>
  readonly txIndex: number
  readonly logIndex: number
}

/** keccak256("Transfer(address,address,uint256)"), ERC-20. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** keccak256("AuthorizationUsed(address,bytes32)"), EIP-3009. */
export const AUTHORIZATION_USED_TOPIC = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** keccak256("AuthorizationCanceled(address,bytes32)"), EIP-3009. */
export const AUTHORIZATION_CANCELED_TOPIC = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'

/**
 * The nonces of the authorizations that Transfer logs carried out, keyed by `hash:index` of the Transfer log: the token
 * logs the use of an authorization right before the transfer, and both logs name the same payer.
 */
export const authorizationsIn = (logs: readonly RawLog[]): ReadonlyMap<string, string> => {
  const used = logs.filter(({ topics, removed }) => topics[0] === AUTHORIZATION_USED_TOPIC && !removed)
  const named = new Map(used.map((log) => [placeOf(log, 1), log]))
  return new Map(
    logs.flatMap((log): [string, string][] => {
      const before = log.topics[0] === TRANSFER_TOPIC ? named.get(placeOf(log, 0)) : undefined
      const [, payer, nonce] = before?.topics ?? []
      const isSame = before?.address.toLowerCase() === log.address.toLowerCase() && payer === log.topics[1]
      return isSame && nonce !== undefined ? [[placeOf(log, 0), nonce.toLowerCase()]] : []
    }),
  )
}

/** The place that lies `further` logs after a log, as `hash:index`. */
const placeOf = ({ transactionHash, logIndex }: RawLog, further = 0): string =>
  `${transactionHash.toLowerCase()}:${Number(logIndex) + further}`

/** The catalogued assets of one EVM network. */
export type EvmAssets = {
  readonly network: string
  readonly native: Asset | undefined
  /** Keyed by contract, lower case. */
  readonly tokens: ReadonlyMap<string, Asset>
}

/** The contracts whose logs are looked for, lower case, each with its bits in a block's bloom filter. */
export type ContractBlooms = ReadonlyMap<string, BloomBits>
type BloomBits = readonly number[]

/** The assets of one network out of the catalogue. */
export const evmAssetsOf = (network: string, catalogue: readonly Asset[]): EvmAssets => {
  const own = catalogue.filter((asset) => asset.network === network)
  return {
    network,
    native: own.find((asset) => asset.contract === undefined),
    tokens: new Map(own.flatMap((asset) => (asset.contract ? [[asset.contract.toLowerCase(), asset]] : []))),
  }
}

/**
 * Makes a function that answers the catalogued contracts and further ones; the bits of a contract that the last call
 * named are not worked out again.
 */
export const createSought = ({ tokens }: EvmAssets) => {
  let known: ContractBlooms = new Map()
  return (further: ReadonlySet<string> = new Set()): ContractBlooms => {
    const contracts = new Set([...tokens.keys(), ...[...further].map((contract) => contract.toLowerCase())])
    known = new Map([...contracts].map((contract) => [contract, known.get(contract) ?? bloomBits(contract)]))
    return known
  }
}

/** The receiver of a transaction's own value, lower case: the checksummed form costs more, and only hits need it. */
export const receiverOf = ({ to }: RawTx): string | undefined => to?.toLowerCase()

/** The receiver of the tokens of a Transfer log, lower case. */
export const tokenReceiverOf = ({ topics: [, , to = ''] }: RawLog): string => `0x${to.slice(-40).toLowerCase()}`

/**
 * The transaction's own value as a transfer; undefined when it moves none or makes a contract. The caller has to check
 * that it succeeded.
 */
export const nativeTransfer = ({ network, native }: EvmAssets, tx: RawTx): PlacedTransfer | undefined => {
  const amount = BigInt(tx.value)
  if (!native || !tx.to || amount === 0n) return undefined
  const transfer = {
    network,
    tx: tx.hash.toLowerCase(),
    index: 'native',
    asset: native.code,
    from: eip55(tx.from),
    to: eip55(tx.to),
    amount,
    height: Number(tx.blockNumber),
    blockHash: tx.blockHash,
  }
  return { transfer, txIndex: Number(tx.transactionIndex), logIndex: -1 }
}

/**
 * The transfers in the Transfer logs of any contracts, under the catalogue's code or the contract's own address, in
 * chain order; none for other logs and for those that move nothing. All Transfer logs by which a transaction moves a
 * token to a receiver have to be given together, because they count for the index. A log that a node tells twice is one
 * transfer.
 */
export const tokenTransfers = (
  assets: EvmAssets,
  logs: readonly RawLog[],
  authorizations: ReadonlyMap<string, string>,
): PlacedTransfer[] => {
  const once = [...new Map(logs.map((log) => [`${log.blockHash}:${placeOf(log)}`, log])).values()]
  const alike = new Map<string, number>()
  return inBlockOrder(
    once.map((log) => tokenTransfer(assets, log, authorizations)).filter((each) => each !== undefined),
  ).map(({ transfer, ...place }) => {
    const { tx, index } = transfer
    const before = alike.get(`${tx}:${index}`) ?? 0
    alike.set(`${tx}:${index}`, before + 1)
    return { transfer: { ...transfer, index: `${index}:${before}` }, ...place }
  })
}

/** The transfer of one log; its index lacks the place among the transfers of the same token, payer and payee. */
const tokenTransfer = (
  { network, tokens }: EvmAssets,
  log: RawLog,
  authorizations: ReadonlyMap<string, string>,
): PlacedTransfer | undefined => {
  const [topic, from, to] = log.topics
  if (topic !== TRANSFER_TOPIC || !from || !to || log.topics.length !== 3 || log.removed) return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(log.data) || BigInt(log.data) === 0n) return undefined
  const authorization = authorizations.get(placeOf(log))
  const transfer = {
    network,
    tx: log.transactionHash.toLowerCase(),
    index: `erc20:${movementOf(log)}`,
    formerIndex: String(Number(log.logIndex)),
    asset: tokens.get(log.address.toLowerCase())?.code ?? eip55(log.address),
    from: eip55(`0x${from.slice(-40)}`),
    to: eip55(`0x${to.slice(-40)}`),
    amount: BigInt(log.data),
    height: Number(log.blockNumber),
    blockHash: log.blockHash,
    ...(authorization !== undefined && { authorization }),
  }
  return { transfer, txIndex: Number(log.transactionIndex), logIndex: Number(log.logIndex) }
}

/** Hex digits of the digest of a token, a payer and a payee. */
const MOVEMENT_DIGITS = 32

/**
 * A digest of which token moves from whom to whom. A reorganisation puts a transaction elsewhere and may carry it out
 * in another way. Then the place of a log in its block changes; where a part of the transaction fails, such as a
 * cancelled payment of a batch, its place among the logs of the transaction changes too. Token, payer and payee stay.
 */
const movementOf = ({ address, topics: [, from = '', to = ''] }: RawLog): string =>
  createHash('sha256').update(`${address}:${from}:${to}`.toLowerCase()).digest('hex').slice(0, MOVEMENT_DIGITS)

/**
 * Orders transfers by block, transaction and log; the transaction's own value comes before its logs. Every block of a
 * transfer must be among `blocks`.
 */
export const inChainOrder = (placed: readonly PlacedTransfer[], blocks: readonly RawBlock[]): Transfer[] => {
  const minedAt = new Map(blocks.map(({ hash, timestamp }) => [hash, new Date(Number(timestamp) * 1000).toISOString()]))
  return inBlockOrder(placed).map(({ transfer }) => ({
    ...transfer,
    minedAt: minedAt.get(transfer.blockHash) ?? missingBlock(transfer),
  }))
}

const inBlockOrder = (placed: readonly PlacedTransfer[]): PlacedTransfer[] =>
  placed.toSorted((a, b) => a.transfer.height - b.transfer.height || a.txIndex - b.txIndex || a.logIndex - b.logIndex)

/**
 * Whether the block's bloom filter allows a Transfer log of one of the contracts: false is certain, true is only
 * likely.
 */
export const mayHoldTokens = (sought: ContractBlooms, { logsBloom }: RawBlock): boolean =>
  holds(logsBloom, TRANSFER_BITS) && [...sought.values()].some((bits) => holds(logsBloom, bits))

/** Yellow Paper §4.3.1: three bits of 2,048, each named by the low 11 bits of a pair of bytes of the hash. */
const bloomBits = (value: string): BloomBits => {
  const hash = Buffer.from(keccak_256(Buffer.from(value.slice(2), 'hex')))
  return [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047)
}

const TRANSFER_BITS = bloomBits(TRANSFER_TOPIC)

const holds = (bloom: string, bits: BloomBits): boolean =>
  bits.every((bit) => {
    const byte = 255 - (bit >> 3)
    return (Number.parseInt(bloom.slice(2 + 2 * byte, 4 + 2 * byte), 16) & (1 << (bit & 7))) !== 0
  })

const missingBlock = ({ network, height }: PlacedTransfer['transfer']): never => {
  throw new Error(`${network}: block ${height} is missing`)
}
