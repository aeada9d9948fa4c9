/**
 * A Litecoin chain of its own for a test file: Debian's litecoind, Bitcoin Core's code of 0.21, on loopback and gone
 * with the test.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Transaction } from 'bitcoinjs-lib'
import { freePort, keepProcess } from '../../adapters/chains/rpc/kept-process.ts'
import { chainOf, type NetworkChain, networkOf } from '../../domain/kernel/networks.ts'
import { installed, provide } from './debian.ts'

/** The program itself: what Debian puts into /usr/bin is a script that makes a folder in the user's home. */
const PATH = '/usr/lib/litecoin/litecoind'
/** Milliseconds until the first answer; on a busy machine it takes some seconds. */
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 20_000
const CALL_LIMIT_MS = 60_000
/** Blocks until the first miner's coins can be spent, and some to spend. */
const FIRST_BLOCKS = 150
/** The block from which on regtest blocks carry Litecoin's extension; it must bring a first coin into it. */
const MWEB_HEIGHT = 432

/** Where it is; undefined when there is none, and the tests that need it are skipped. */
export const litecoindPath = (): string | undefined => installed(PATH)

export const provideLitecoind = (): void => provide('litecoind', PATH, 'every test on a Litecoin node')

export type Litecoind = Awaited<ReturnType<typeof startLitecoind>>

/** What is paid: a script and an amount in the smallest unit. */
export type TestOutput = { readonly script: Uint8Array; readonly amount: bigint }

export type LitecoindOptions = {
  /** Blocks carry Litecoin's extension, as on the main chain; `generateblock` does not work then. */
  readonly mweb?: boolean
  /** Without it the node finds no mined transaction by its id. */
  readonly txindex?: boolean
}

/** Regtest of the network `ltc`. */
export const litecoinRegtest = (): NetworkChain => {
  const network = networkOf('ltc')
  const chain = network && chainOf(network, 'regtest')
  if (!chain) throw new Error('there is no regtest of ltc')
  return chain
}

/** With coins to pay from. Stop it in `test.after.always`; a test that dies takes it along. */
export const startLitecoind = async ({ mweb = false, txindex = true }: LitecoindOptions = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-litecoind-'))
  const port = await freePort()
  const node = keepProcess(PATH, argumentsFor(dir, port, mweb, txindex), STOP_LIMIT_MS)
  const stop = async () => {
    await node.stop()
    await rm(dir, { recursive: true, force: true })
  }
  const call = caller(`http://127.0.0.1:${port}`)
  const deadline = performance.now() + START_LIMIT_MS
  while (
    !(await call('getblockcount').then(
      () => true,
      () => false,
    ))
  ) {
    if (node.hasEnded() || performance.now() > deadline) {
      await stop()
      throw new Error('litecoind did not start')
    }
    await delay(50)
  }
  await call('createwallet', 'payer')
  const miner = await call<string>('getnewaddress')
  const mine = (blocks: number) => call<string[]>('generatetoaddress', blocks, miner)
  await mine(mweb ? MWEB_HEIGHT - 1 : FIRST_BLOCKS)
  if (mweb) {
    await call('sendtoaddress', await call('getnewaddress', '', 'mweb'), 100)
    await mine(1)
  }
  return { ...actions(call, miner), url: `http://${LOGIN}@127.0.0.1:${port}`, call, miner, mine, stop }
}

/** With a percent sign, so that it has to be written as an escape in a URL. */
const [USER, PASSWORD] = ['daybook', 'p4711%word']
const LOGIN = `${USER}:${encodeURIComponent(PASSWORD)}`

type Call = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

const actions = (call: Call, miner: string) => {
  /** Signed and sent, with its outputs in this order; answers its id. */
  const send = async (...outputs: readonly TestOutput[]): Promise<string> => {
    const wanted = new Transaction()
    wanted.version = 2
    for (const { script, amount } of outputs) wanted.addOutput(script, amount)
    const options = { changePosition: outputs.length, replaceable: true }
    const { hex } = await call<{ hex: string }>('fundrawtransaction', wanted.toHex(), options, false)
    const signed = await call<{ hex: string }>('signrawtransactionwithwallet', hex)
    return call<string>('sendrawtransaction', signed.hex, 0)
  }
  /** One block of just these transactions. */
  const mineOnly = async (...txs: readonly string[]): Promise<string> =>
    (await call<{ hash: string }>('generateblock', miner, txs)).hash
  const mineEmpty = async (blocks: number) => {
    for (let n = 0; n < blocks; n++) await mineOnly()
  }
  return {
    send,
    mineOnly,
    mineEmpty,
    /** Sent and mined, alone in its block. */
    async pay(...outputs: readonly TestOutput[]): Promise<string> {
      const tx = await send(...outputs)
      await mineOnly(tx)
      return tx
    },
    /** Replaces the newest two blocks by an empty one and one of these transactions in this order. */
    async rearrange(...txs: readonly string[]) {
      const height = await call<number>('getblockcount')
      await call('invalidateblock', await call<string>('getblockhash', height - 1))
      await mineOnly()
      await mineOnly(...txs)
    },
    /** Replaces the newest `depth` blocks by as many empty ones; answers the hash of the lowest that was replaced. */
    async reorg(depth: number): Promise<string> {
      const height = await call<number>('getblockcount')
      const lowest = await call<string>('getblockhash', height - depth + 1)
      await call('invalidateblock', lowest)
      // For another miner: an empty block at the same height in the same second would be the very one that was taken
      // away.
      const miner = await call<string>('getnewaddress')
      for (let n = 0; n < depth; n++) await call('generateblock', miner, [])
      return lowest
    },
  }
}

/**
 * Amounts of any size pass; a fee may be raised, as Bitcoin's nodes let it be; and change waits until it is mined, so
 * that what one test leaves unmined holds up no other.
 */
const argumentsFor = (dir: string, port: number, mweb: boolean, txindex: boolean) => [
  `-datadir=${dir}`,
  '-regtest',
  '-server',
  `-txindex=${txindex ? 1 : 0}`,
  '-listen=0',
  '-dnsseed=0',
  '-fallbackfee=0.0001',
  // A wallet makes thousands of keys ahead else, of which a test needs a handful.
  '-keypool=5',
  '-dbcache=50',
  '-maxmempool=50',
  '-dustrelayfee=0',
  '-spendzeroconfchange=0',
  '-mempoolreplacement=1',
  `-rpcport=${port}`,
  '-rpcbind=127.0.0.1',
  '-rpcallowip=127.0.0.1',
  `-rpcuser=${USER}`,
  `-rpcpassword=${PASSWORD}`,
  ...(mweb ? [] : [`-vbparams=mweb:${NEVER}:${NEVER}`]),
]

const NEVER = '9223372036854775807'

const caller =
  (url: string): Call =>
  async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    })
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
