/**
 * Finds the payments in a Tron block: amounts come from the transfer, the log or the internal call, never from call
 * data.
 */

import { fromHex, toHex } from 'tronweb/utils'
import type { Asset } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import {
  heightOf,
  millisecondsOf,
  type RawInfo,
  type TronRawBlock,
  type TronRawLog,
  type TronRawTx,
  type WholeBlock,
} from './wire.ts'

/** keccak256("Transfer(address,address,uint256)"), TRC-20. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The catalogued assets of one Tron network. */
export type TronAssets = {
  readonly network: string
  readonly native: Asset | undefined
  /** Keyed by contract, 40 hex digits without the prefix 41. */
  readonly tokens: ReadonlyMap<string, Asset>
}

/** The transfers that are asked for. A contract is 40 hex digits, as in a log. */
export type TronTransferFilter = {
  readonly contract: (contract: string) => boolean
  readonly to: (address: string) => boolean
}

export const EVERY_TRANSFER: TronTransferFilter = { contract: () => true, to: () => true }

export const tronAssetsOf = (network: string, catalogue: readonly Asset[]): TronAssets => ({
  network,
  native: catalogue.find((asset) => asset.contract === undefined),
  tokens: new Map(catalogue.flatMap((asset) => (asset.contract ? [[logAddress(asset.contract), asset]] : []))),
})

/** Transfers to some addresses, of the catalogued tokens and of further contracts, both as people write them. */
export const wantedOf = (
  { tokens }: TronAssets,
  addresses: ReadonlySet<string>,
  further: ReadonlySet<string> = new Set(),
): TronTransferFilter => {
  const contracts = new Set([...tokens.keys(), ...[...further].map(logAddress)])
  return { contract: (contract) => contracts.has(contract), to: (address) => addresses.has(address) }
}

/** The wanted transfers of a block, in its order. */
export const transfersOfBlock = (
  assets: TronAssets,
  { block, infos }: WholeBlock,
  wanted: TronTransferFilter,
): Transfer[] =>
  (block.transactions ?? []).flatMap((tx) => {
    const info = infos.get(tx.txID)
    return info ? transfersOfTx(assets, block, tx, info, wanted) : []
  })

/**
 * The wanted transfers of one transaction of a block: its own coin, then what contracts sent on, then the logs. None
 * when it failed. A log is named by its place in its transaction, coin from a contract by its place among the calls.
 */
export const transfersOfTx = (
  assets: TronAssets,
  block: TronRawBlock,
  tx: TronRawTx,
  info: RawInfo,
  wanted: TronTransferFilter,
): Transfer[] => {
  if (tx.ret?.[0]?.contractRet !== 'SUCCESS' || info.result === 'FAILED') return []
  const coins = assets.native ? [...ownCoin(tx, info), ...coinOfCalls(info)] : []
  return [...coins, ...tokensOf(info)].flatMap(({ index, contract, from, to: receiver, amount }) => {
    if (amount <= 0n || (contract !== undefined && !wanted.contract(contract))) return []
    const to = fromHex(receiver)
    if (!wanted.to(to)) return []
    const asset = contract === undefined ? assets.native?.code : assets.tokens.get(contract)?.code
    return {
      network: assets.network,
      tx: tx.txID,
      index,
      asset: asset ?? fromHex(`41${contract}`),
      from: fromHex(from),
      to,
      amount,
      height: heightOf(block),
      blockHash: block.blockID,
      minedAt: new Date(millisecondsOf(block)).toISOString(),
    }
  })
}

/** One movement of coin or tokens. Addresses have the prefix 41, a contract has not. */
type Move = {
  readonly index: string
  readonly contract?: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/**
 * Coin that the transaction itself carries: a plain transfer, or what a call hands to its contract. TRC-10 tokens are
 * other contracts.
 */
const ownCoin = (tx: TronRawTx, info: RawInfo): Move[] => {
  const [contract] = tx.raw_data.contract
  if (!contract) return []
  const { type, parameter } = contract
  const { owner_address: from, to_address, amount = 0, contract_address, call_value = 0 } = parameter.value
  if (type === 'TransferContract' && to_address)
    return [{ index: 'native', from, to: to_address, amount: BigInt(amount) }]
  if (type === 'TriggerSmartContract' && contract_address && hasRun(info))
    return [{ index: 'native', from, to: contract_address, amount: BigInt(call_value) }]
  return []
}

/**
 * Kinds of internal transactions that move coin. Others carry a value too: a stake or lent energy, which nobody was
 * paid.
 */
const MOVES_COIN = ['call', 'create', 'suicide'].map((note) => Buffer.from(note).toString('hex'))

/** Only these kinds are counted for the index, because nodes differ in whether they keep the others. */
const coinOfCalls = (info: RawInfo): Move[] => {
  if (!hasRun(info)) return []
  const calls = (info.internal_transactions ?? []).filter(({ note }) => MOVES_COIN.includes(note ?? ''))
  return calls.flatMap(({ caller_address: from, transferTo_address: to, callValueInfo = [], rejected }, n) => {
    // Code run in the caller's own place, or a contract that leaves its coin to itself, moves nothing.
    if (rejected || from === to) return []
    const coin = callValueInfo.find(({ tokenId }) => !tokenId)?.callValue ?? 0
    return { index: `internal:${n}`, from, to, amount: BigInt(coin) }
  })
}

const tokensOf = (info: RawInfo): Move[] =>
  hasRun(info) ? (info.log ?? []).flatMap((log, place) => tokenMove(log, place) ?? []) : []

const tokenMove = ({ address, topics = [], data = '' }: TronRawLog, place: number): Move | undefined => {
  const [topic, from, to] = topics
  if (topic !== TRANSFER_TOPIC || !from || !to || topics.length !== 3 || !/^[0-9a-f]{64}$/.test(data)) return undefined
  const [sender, receiver] = [`41${from.slice(-40)}`, `41${to.slice(-40)}`]
  return { index: String(place), contract: address, from: sender, to: receiver, amount: BigInt(`0x${data}`) }
}

/** Whether a contract ran to its end. The documentation says twice to look here before reading a log. */
const hasRun = ({ receipt }: RawInfo): boolean => receipt?.result === 'SUCCESS'

const logAddress = (contract: string): string => toHex(contract).slice(2)
