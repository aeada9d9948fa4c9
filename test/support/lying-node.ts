import { randomBytes } from 'node:crypto'
import { askJsonRpc, RpcError, serveJsonRpc } from './json-rpc-server.ts'

/** A provider of an EVM chain that tells of payments which nobody made, hides some that were, or does not answer. */
export const startLyingNode = async (behind: () => string) => {
  const invented = new Map<string, Invention>()
  const hidden = new Set<string>()
  const asked: string[] = []
  let isAway = false
  const ask = <T>(method: string, params: readonly unknown[]) => askJsonRpc<T>(behind(), method, params)
  const placed = async (hash: string, { height, to, value }: Invention) => {
    const { hash: blockHash, number: blockNumber } = await ask<Block>('eth_getBlockByNumber', [hex(height), false])
    const place = { blockHash, blockNumber, transactionIndex: '0x63' }
    return {
      tx: { hash, from: NOBODY, to, value: hex(value), ...place },
      receipt: { status: '0x1', transactionHash: hash, logs: [], ...place },
    }
  }
  const node = await serveJsonRpc(async (method, params) => {
    if (isAway) throw new RpcError(429, 'later')
    const [named] = params as [string]
    asked.push(`${method} ${named}`)
    const invention = invented.get(named)
    if (hidden.has(named)) return null
    if (invention && method === 'eth_getTransactionReceipt') return (await placed(named, invention)).receipt
    if (invention && method === 'eth_getTransactionByHash') return (await placed(named, invention)).tx
    const result = await ask<Block | null>(method, params)
    if (!result || method !== 'eth_getBlockByNumber' || params[1] !== true) return result
    const own = [...invented].filter(([, { height }]) => height === Number(result.number))
    const more = await Promise.all(own.map(async ([hash, each]) => (await placed(hash, each)).tx))
    return {
      ...result,
      transactions: [...result.transactions.filter(({ hash }) => !invented.has(hash)), ...more].filter(
        ({ hash }) => !hidden.has(hash),
      ),
    }
  })
  return {
    ...node,
    /** Tells of a payment in the block after the newest; answers its hash. That block is still to be mined. */
    async invent(to: string, value: bigint): Promise<string> {
      const hash = `0x${randomBytes(32).toString('hex')}`
      const { number } = await ask<Block>('eth_getBlockByNumber', ['latest', false])
      invented.set(hash, { to, value, height: Number(number) + 1 })
      return hash
    },
    /** Tells that a transaction paid something else than it did. */
    pretend: (hash: string, instead: Invention) => void invented.set(hash, instead),
    hide: (hash: string) => void hidden.add(hash),
    show: (hash: string) => void hidden.delete(hash),
    away: (away: boolean) => {
      isAway = away
    },
    /** Whether it was asked for a transaction. */
    wasAskedFor: (hash: string) => asked.includes(`eth_getTransactionReceipt ${hash}`),
  }
}

type Invention = { readonly to: string; readonly value: bigint; readonly height: number }
type Block = { hash: string; number: string; transactions: readonly { readonly hash: string }[] }

const NOBODY = '0x90f79bf6eb2c4f870365e785982e1f101e93b906'
const hex = (value: number | bigint) => `0x${value.toString(16)}`
