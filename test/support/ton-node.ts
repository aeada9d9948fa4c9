/**
 * toncenter's HTTP API, version 3, over a sandbox: the calls that the adapter makes, with the names and types of its
 * OpenAPI document (ton-index-go of github.com/toncenter/ton-indexer, as of July 2026).
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Address, Cell, type TupleItem } from '@ton/core'
import { GetMethodError } from '@ton/sandbox'
import { canonicalTon } from '../../adapters/chains/ton-address.ts'
import { rawAddress, traceAnswer, transactionAnswer } from './ton-answers.ts'
import { messageHash, normalizedHash } from './ton-messages.ts'
import { hex, type TonBlockDouble, type TonSandbox, type TonTransactionDouble } from './ton-sandbox.ts'

/** The most transactions of one answer, as the API's own default. */
const LIMIT_MAX = 1_000
const SHARD = '8000000000000000'

/** What the node does with a call: `pass`, a fault, or another answer in the place of its own. */
export type TonBehaviour = 'pass' | 'hang' | 'garbage' | { status: number } | { edit: (answer: never) => unknown }
export type TonCall = { path: string; query: URLSearchParams; key: string | undefined; address: string | undefined }

export type TonNodeOptions = {
  globalId?: number
  behave?: (call: TonCall) => TonBehaviour
  /** Accounts that the index does not list among jetton wallets, in canonical form. */
  unlisted?: ReadonlySet<string>
}

export const startTonNode = async (sandbox: TonSandbox, options: TonNodeOptions = {}) => {
  const { behave = () => 'pass' } = options
  const calls: TonCall[] = []
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node')
    const body = request.method === 'POST' ? JSON.parse(await text(request)) : {}
    const path = pathname.replace('/api/v3', '')
    const call = { path, query: searchParams, key: request.headers['x-api-key'] as string, address: body.address }
    calls.push(call)
    const behaviour = behave(call)
    if (behaviour === 'hang') return
    if (behaviour === 'garbage') return response.end('<html>')
    const own = await answerTo(sandbox, options, call, body)
    const given = typeof behaviour === 'object' && 'edit' in behaviour ? behaviour.edit(own as never) : own
    const status = typeof behaviour === 'object' && 'status' in behaviour ? behaviour.status : given ? 200 : 404
    const answer = given ?? { error: 'not found' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://key-4711@${host}/api/v3`,
    calls,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Ask = { sandbox: TonSandbox; options: TonNodeOptions; query: URLSearchParams; body: GetMethod }
type GetMethod = { address: string; method: string; stack: readonly { type: string; value: string }[] }

const answerTo = async (
  sandbox: TonSandbox,
  options: TonNodeOptions,
  { path, query }: TonCall,
  body: GetMethod,
): Promise<unknown> => endpoints[path]?.({ sandbox, options, query, body })

const endpoints: Readonly<Record<string, (ask: Ask) => unknown>> = {
  '/masterchainInfo': ({ sandbox: { blocks }, options }) => ({
    last: masterBlock(blocks.at(-1), options),
    first: masterBlock(blocks[0], options),
  }),
  '/blocks': ({ sandbox: { blocks }, options, query }) => {
    const ofAll = query.get('mc_seqno')
    const block = blocks.find(({ seqno }) => String(seqno) === (ofAll ?? query.get('seqno')))
    const shard = ofAll === null ? [] : [shardBlock(block, options)]
    return { blocks: block ? [masterBlock(block, options), ...shard] : [] }
  },
  '/transactionsByMasterchainBlock': ({ sandbox: { blocks }, query }) => {
    const block = blocks.find(({ seqno }) => String(seqno) === query.get('seqno'))
    const offset = Number(query.get('offset'))
    const limit = Math.min(Number(query.get('limit')), LIMIT_MAX)
    const sorted = block?.transactions.toSorted((a, b) => Number(a.transaction.lt - b.transaction.lt))
    return sorted && { transactions: sorted.slice(offset, offset + limit).map(transactionAnswer) }
  },
  '/transactions': ({ sandbox, query }) => ({ transactions: foundBy(sandbox, 'tx_hash', query.get('hash')) }),
  '/transactionsByMessage': ({ sandbox, query }) => ({
    transactions: foundBy(sandbox, 'msg_hash', query.get('msg_hash')),
  }),
  '/traces': ({ sandbox: { known }, query }) => {
    const by = query.has('tx_hash') ? 'tx_hash' : 'msg_hash'
    const hits = known.filter((each) => each.seqno !== undefined && isBy(each, by, query.get(by)))
    const ids = [...new Set(hits.map(({ traceId }) => traceId))]
    return { traces: ids.map((id) => traceAnswer(known.filter(({ traceId }) => traceId === id))) }
  },
  '/accountStates': async ({ sandbox: { blockchain }, query }) => {
    const found = await Promise.all(query.getAll('address').map((raw) => blockchain.getContract(Address.parse(raw))))
    const accounts = found.flatMap(({ address, balance, accountState }) =>
      accountState ? [{ address: rawAddress(address), balance: String(balance), status: accountState.type }] : [],
    )
    return { accounts }
  },
  '/jetton/wallets': async ({ sandbox, options, query }) => {
    const [owner, master] = [query.get('owner_address'), query.get('jetton_address')]
    const asked = owner && master ? [await sandbox.jettonWallet(master, owner)] : query.getAll('address')
    const found = await Promise.all(asked.map((account) => jettonWallet(sandbox, options, account)))
    return { jetton_wallets: found.filter((wallet) => wallet !== undefined) }
  },
  '/runGetMethod': async ({ sandbox, body: { address, method, stack } }) => {
    const items = stack.map(({ value }): TupleItem => ({ type: 'slice', cell: Cell.fromBase64(value) }))
    return runMethod(sandbox, address, method, items)
  },
}

/**
 * The masterchain's own transactions are none of payers, so that its blocks are empty and those of the one shard hold
 * all.
 */
const masterBlock = (block: TonBlockDouble | undefined, { globalId = -239 }: TonNodeOptions) =>
  block && {
    workchain: -1,
    shard: SHARD,
    seqno: block.seqno,
    global_id: globalId,
    tx_count: 0,
    root_hash: block.hash.toString('base64'),
    gen_utime: String(block.utime),
  }

const shardBlock = (block: TonBlockDouble | undefined, options: TonNodeOptions) =>
  block && {
    ...masterBlock(block, options),
    workchain: 0,
    seqno: block.seqno * 2,
    root_hash: Buffer.alloc(32, 7).toString('base64'),
    tx_count: block.transactions.length,
    masterchain_block_ref: { workchain: -1, shard: SHARD, seqno: block.seqno },
  }

const foundBy = ({ known }: TonSandbox, by: 'tx_hash' | 'msg_hash', hash: string | null) =>
  known.filter((each) => each.seqno !== undefined && isBy(each, by, hash)).map(transactionAnswer)

const isBy = ({ transaction }: TonTransactionDouble, by: 'tx_hash' | 'msg_hash', hash: string | null): boolean => {
  if (by === 'tx_hash') return hex(transaction.hash()) === hash
  const { inMessage, outMessages } = transaction
  const messages = [...(inMessage ? [inMessage] : []), ...outMessages.values()]
  const isNormalized = inMessage?.info.type === 'external-in' && hex(normalizedHash(inMessage)) === hash
  return isNormalized || messages.some((message) => hex(messageHash(message)) === hash)
}

/** As the index does, only wallets that their master knows are listed. */
const jettonWallet = async (sandbox: TonSandbox, { unlisted }: TonNodeOptions, account: string) => {
  if (unlisted?.has(canonicalTon(account) ?? '')) return undefined
  const { exit_code, stack } = await runMethod(sandbox, account, 'get_wallet_data', [])
  if (exit_code !== 0) return undefined
  const [owner, master] = stack.slice(1, 3).map(({ value }) => Cell.fromBase64(value).beginParse().loadAddress())
  if (!owner || !master) return undefined
  const wallet = await sandbox.jettonWallet(master.toString(), owner.toString()).catch(() => undefined)
  if (wallet !== canonicalTon(account)) return undefined
  const balance = String(BigInt(stack[0]?.value ?? 0))
  return { address: account, owner: rawAddress(owner), jetton: rawAddress(master), balance }
}

/** Of an account without code, tonlib says exit code -13. */
const runMethod = async ({ blockchain }: TonSandbox, address: string, method: string, stack: TupleItem[]) => {
  try {
    const { stack: items } = await blockchain.runGetMethod(Address.parse(address), method, stack)
    return { gas_used: 0, exit_code: 0, stack: items.map(stackAnswer) }
  } catch (error) {
    return { gas_used: 0, exit_code: error instanceof GetMethodError ? error.exitCode : -13, stack: [] }
  }
}

const stackAnswer = (item: TupleItem): { type: string; value: string } => {
  if (item.type === 'int') return { type: 'num', value: `0x${item.value.toString(16)}` }
  if (item.type !== 'cell' && item.type !== 'slice') throw new Error(`a stack with a ${item.type}`)
  return { type: 'cell', value: item.cell.toBoc().toString('base64') }
}
