import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { getAddress } from 'viem'
import { evmChain } from '../../adapters/chains/evm/evm.ts'
import type { ChainNode } from '../../adapters/chains/rpc/chain-node.ts'
import { startChild } from '../child.ts'
import type { Contestant } from '../comparison.ts'
import { openPaidChain, type PaidChain } from '../paid-chain.ts'
import type { BenchSet, Stage } from '../stage.ts'
import { openChallenges, watchOnce } from '../watching.ts'

/**
 * Measures what a block costs the chain watch, and how fast the watch reads what it missed. A node answers from memory,
 * so that the node is not what is measured.
 */

const TOKEN_TRANSFERS = 1_500
const COIN_TRANSFERS = 500
const HITS = 20
const WATCHED = [1_000, 10_000, 100_000]
/** Readings of one block in one round. */
const READS = 10
/** Logs in each block that is caught up with, and the blocks of which one holds a payment. */
const LOGS_PER_BLOCK = 100
const HIT_EVERY_BLOCKS = 10
const CALL_MS = 60_000

export const watch: BenchSet = {
  name: 'watch',
  title: 'The chain watch',
  async run(stage) {
    await oneBlock(stage)
    await catchingUp(stage)
  },
}

const oneBlock = async (stage: Stage) => {
  const receivers = addresses(TOKEN_TRANSFERS + COIN_TRANSFERS)
  const chain = await opened(stage)
  await chain.block(receivers.map((to, n) => ({ to, asset: n < TOKEN_TRANSFERS ? 'usdc' : 'eth' })))
  const node = await remembering(stage, chain)
  const { height } = await node.head()
  const hits = receivers.filter((_, n) => n % (receivers.length / HITS) === 0)
  const contestants: Contestant[] = []
  for (const count of WATCHED) {
    const watched = [...hits, ...addresses(count - HITS)]
    const lower = new Set(watched.map((address) => address.toLowerCase()))
    const sql = await challenges(stage, watched)
    contestants.push({
      name: `transfersIn, ${count.toLocaleString('en-US')} watched`,
      round: async () => {
        const start = performance.now()
        for (let n = 0; n < READS; n++) {
          const found = await node.transfersIn(height, height, lower)
          if (found.length !== HITS) throw new Error(`${found.length} payments were found, not ${HITS}`)
        }
        return rateOf(READS, performance.now() - start)
      },
    })
    contestants.push({
      name: `a whole look, ${count.toLocaleString('en-US')} watched`,
      round: async () => {
        const { ms, transfers } = await watchOnce(node, sql, logFile(stage), height - 1)
        if (transfers !== HITS) throw new Error(`${transfers} payments were written down, not ${HITS}`)
        return rateOf(1, ms)
      },
    })
  }
  for (const { round } of contestants) await round()
  const most = (what: string) => ({
    subject: `${what}, 100,000 watched`,
    reference: `${what}, 1,000 watched`,
    atLeast: 0.5,
  })
  await stage.compare({
    title: `A block of ${TOKEN_TRANSFERS} ERC-20 and ${COIN_TRANSFERS} native transfers, ${HITS} of them to watched addresses`,
    unit: 'blocks',
    contestants,
    goals: [most('transfersIn'), most('a whole look')],
  })
}

const catchingUp = async (stage: Stage) => {
  const blocks = stage.pick(300, 3_000)
  const [paid = '', ...others] = addresses(1_000)
  const strangers = addresses(LOGS_PER_BLOCK)
  const chain = await opened(stage)
  for (let n = 0; n < blocks; n++)
    await chain.manyTokens(n % HIT_EVERY_BLOCKS === 0 ? [paid, ...strangers.slice(1)] : strangers)
  const node = await remembering(stage, chain)
  const from = (await node.head()).height - blocks
  const sql = await challenges(stage, [paid, ...others])
  const read = async () => {
    const { ms, transfers } = await watchOnce(node, sql, logFile(stage), from)
    if (transfers !== blocks / HIT_EVERY_BLOCKS) throw new Error(`${transfers} payments were written down`)
    return ms
  }
  await read()
  await stage.compare({
    title: `Catching up with ${blocks.toLocaleString('en-US')} blocks of ${LOGS_PER_BLOCK} logs, 1,000 watched`,
    unit: 'blocks, logs',
    contestants: [
      { name: 'blocks', round: async () => rateOf(blocks, await read()) },
      { name: 'logs', round: async () => rateOf(blocks * LOGS_PER_BLOCK, await read()) },
    ],
    goals: [],
  })
}

const opened = async (stage: Stage): Promise<PaidChain> => {
  const chain = await openPaidChain()
  stage.closing(() => chain.stop())
  return chain
}

const remembering = async (stage: Stage, { url, chainId }: PaidChain): Promise<ChainNode> => {
  const program = fileURLToPath(new URL('../subjects/remembering-node.ts', import.meta.url))
  const node = await startChild<{ url: string }>(program, [url])
  stage.closing(() => node.stop())
  const chain = { id: String(chainId), caip2: `eip155:${chainId}`, test: true }
  return evmChain({ network: 'eth', chain, rpcUrls: [node.url], timeoutMs: CALL_MS })
}

const challenges = async (stage: Stage, watched: readonly string[]) => {
  const sql = await openChallenges((await stage.database()).url, watched)
  stage.closing(() => sql.end({ timeout: 1 }))
  return sql
}

let logs = 0
const logFile = (stage: Stage) => `${stage.dir}/${logs++}.db`

const rateOf = (count: number, ms: number) => ({ rate: count / (ms / 1000), p50: ms / count })

const addresses = (count: number): string[] =>
  Array.from({ length: count }, () => getAddress(`0x${randomBytes(20).toString('hex')}`))
