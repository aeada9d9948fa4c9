/**
 * A Tron node for the tests: java-tron's HTTP interface over anvil, so that contracts really run. A wei stands for a
 * sun. It knows no energy, bandwidth or fees, no TRC-10, no accounts of several signers, no memo, and mines no block on
 * its own; no java-tron can be had here.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toFunctionSelector } from 'viem'
import { chainOf, type NetworkChain, networkOf } from '../../domain/kernel/networks.ts'
import {
  bare,
  type EvmBlock,
  type EvmCall,
  type EvmReceipt,
  type EvmTx,
  headerOf,
  infoOf,
  int64,
  type Outcome,
  transactionOf,
} from './tron-wire.ts'

/** How far the solid part of the chain is behind its newest block: 19 of 27 producers have built on it. */
const SOLID_LAG = 19

export type TronCall = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }
type Answer = string | 'hang' | { readonly status: number; readonly headers?: Record<string, string> }
export type Meddle = (call: TronCall, honest: () => Promise<string>) => Answer | Promise<Answer>
export type TronNode = Awaited<ReturnType<typeof startTronNode>>

/**
 * `meddle` may put another answer in the place of the honest one, as JSON text, or let the call hang or fail.
 * `reference`: the chain's.
 */
export const startTronNode = async (options: { rpcUrl: string; reference?: string; meddle?: Meddle }) => {
  const { rpcUrl, reference = tronTestChain().caip2.slice(-8), meddle = (_, honest) => honest() } = options
  const calls: (TronCall & { readonly headers: NodeJS.Dict<string | string[]> })[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://node')
    const [, door, method = ''] = /\/(wallet|walletsolidity)\/(\w+)$/.exec(url.pathname) ?? []
    const body = await text(request)
    const params = { ...Object.fromEntries(url.searchParams), ...(body ? JSON.parse(body) : {}) }
    calls.push({ method, params, headers: request.headers })
    const evm = evmOf(rpcUrl)
    const honest = async () => {
      const tip = Number(await evm('eth_blockNumber'))
      const node = { evm, reference, tip: door === 'wallet' ? tip : Math.max(0, tip - SOLID_LAG) }
      const answer = await methods[method]?.(node, params)
      return JSON.stringify(answer ?? { Error: 'class java.lang.UnsupportedOperationException : null' })
    }
    const answer = await Promise.resolve(meddle({ method, params }, honest)).catch(asError)
    if (answer === 'hang') return
    if (typeof answer === 'object') return response.writeHead(answer.status, answer.headers).end('no')
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Meddles with the answers to a few methods only. */
export const instead =
  (answers: Readonly<Record<string, (honest: string, call: TronCall) => string>>): Meddle =>
  async (call, own) => {
    const text = await own()
    return answers[call.method]?.(text, call) ?? text
  }

/** `shasta` or `nile`, else the main one. */
export const tronTestChain = (id?: string): NetworkChain => {
  const network = networkOf('trx')
  const chain = network && chainOf(network, id)
  if (!chain) throw new Error('no such chain')
  return chain
}

type Evm = <T = string>(method: string, ...params: unknown[]) => Promise<T>
type Node = { readonly evm: Evm; readonly reference: string; readonly tip: number }
type Params = Readonly<Record<string, string>>

const methods: Readonly<Record<string, (node: Node, params: Params) => Promise<unknown>>> = {
  getnowblock: (node) => wholeBlock(node, node.tip),
  getblock: async (node, { id_or_num, detail }) => {
    const height = id_or_num === undefined ? node.tip : Number(id_or_num)
    if (height > node.tip) return {}
    return detail ? wholeBlock(node, height) : headerOf(await blockAt(node, height), node.reference)
  },
  getblockbynum: async (node, { num = 0 }) => (Number(num) > node.tip ? {} : wholeBlock(node, Number(num))),
  gettransactioninfobyblocknum: async (node, { num = 0 }) => {
    if (Number(num) <= 0) return {}
    if (Number(num) > node.tip) return []
    const block = await blockAt(node, Number(num))
    return (await outcomesOf(node, block, true)).map((outcome) => infoOf(outcome, block))
  },
  // One that waits to be mined is shown here, but has no outcome yet.
  gettransactionbyid: async ({ evm, tip }, { value }) => {
    const tx = await evm<(EvmTx & { blockNumber: string | null }) | null>('eth_getTransactionByHash', `0x${value}`)
    if (!tx || Number(tx.blockNumber) > tip) return {}
    const receipt = await evm<EvmReceipt | null>('eth_getTransactionReceipt', tx.hash)
    return transactionOf({ tx, isCall: await isCall(evm, tx) }, receipt ?? undefined)
  },
  gettransactioninfobyid: async (node, { value }) => {
    const found = await node.evm<{ blockNumber: string } | null>('eth_getTransactionReceipt', `0x${value}`)
    if (!found || Number(found.blockNumber) > node.tip) return {}
    const block = await blockAt(node, Number(found.blockNumber))
    const outcome = (await outcomesOf(node, block, true)).find(({ tx }) => bare(tx.hash) === value)
    return outcome ? infoOf(outcome, block) : {}
  },
  getaccount: async ({ evm }, { address = '' }) => {
    const balance = BigInt(await evm('eth_getBalance', `0x${address.slice(2)}`, 'latest'))
    return balance === 0n ? {} : { address, balance: int64(balance) }
  },
  triggerconstantcontract: async ({ evm }, { contract_address = '', function_selector = '', parameter = '' }) => {
    const data = `${toFunctionSelector(function_selector)}${parameter}`
    const result = await evm('eth_call', { to: `0x${contract_address.slice(2)}`, data }, 'latest')
    const transaction = { ret: [{}], visible: false, txID: '', raw_data: {}, raw_data_hex: '' }
    return { result: { result: true }, energy_used: 1, constant_result: [bare(result)], transaction }
  },
}

const wholeBlock = async (node: Node, height: number) => {
  const block = await blockAt(node, height)
  const outcomes = await outcomesOf(node, block, false)
  const transactions = outcomes.map((outcome) => transactionOf(outcome, outcome.receipt))
  return { ...headerOf(block, node.reference), ...(transactions.length > 0 && { transactions }) }
}

const blockAt = ({ evm }: Node, height: number): Promise<EvmBlock> =>
  evm('eth_getBlockByNumber', `0x${height.toString(16)}`, true)

const outcomesOf = async ({ evm }: Node, block: EvmBlock, isTraced: boolean): Promise<Outcome[]> => {
  const receipts = await evm<EvmReceipt[]>('eth_getBlockReceipts', block.number)
  const outcomes: Outcome[] = []
  for (const [n, tx] of block.transactions.entries()) {
    const [receipt, calls] = [receipts[n], await isCall(evm, tx)]
    if (receipt?.transactionHash !== tx.hash) throw new Error('the chain changed')
    const trace = isTraced && calls ? await evm<EvmCall>('debug_traceTransaction', tx.hash, TRACER) : undefined
    outcomes.push({ tx, receipt, isCall: calls, trace })
  }
  return outcomes
}

const TRACER = { tracer: 'callTracer' }

/** On Tron a plain transfer cannot go to a contract. */
const isCall = async (evm: Evm, { to, input }: EvmTx) =>
  to === null || bare(input) !== '' || (await evm('eth_getCode', to, 'latest')) !== '0x'

const evmOf =
  (rpcUrl: string): Evm =>
  async <T>(method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }

const asError = (error: Error) => JSON.stringify({ Error: `class java.lang.Exception : ${error.message}` })
