/** A local EVM chain for development and tests: anvil on loopback, which never outlives the process that started it. */

import { pbkdf2Sync } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  publicActions,
  TransactionNotFoundError,
  toHex,
} from 'viem'
import { HDKey, privateKeyToAccount } from 'viem/accounts'
import { freePort, type KeptProcess, keepProcess } from '../rpc/kept-process.ts'

/** Milliseconds from start to the first answer. */
const SANDBOX_START_LIMIT_MS = 10_000
/** Milliseconds to write the state file and end; after that the process is killed. */
const SANDBOX_STOP_LIMIT_MS = 5_000
/** Milliseconds until a sandbox payment must be mined. */
const SANDBOX_PAY_LIMIT_MS = 30_000
/** Milliseconds between two looks whether a block holds a transaction. */
const PLACED_LOOK_MS = 20
/** Seconds between two writes of the state file, so that a power cut loses little. */
const SANDBOX_STATE_INTERVAL_S = 10
/** Starts tried on ports picked here, since another process may take one between the picking and the start. */
const SANDBOX_START_ATTEMPTS = 3
/** Accounts with coins of their own. */
const SANDBOX_ACCOUNTS = 10

export type SandboxOptions = {
  /** The port; a free one is picked when none is given. */
  readonly port?: number
  /** EIP-155. */
  readonly chainId?: number
  /** Wei for a unit of gas in the first blocks; anvil's own choice is 1 gwei. */
  readonly baseFee?: bigint
  /** Blocks come at this pace; without it each transaction is mined at once. */
  readonly blockTimeSeconds?: number
  /** The chain is read from this file if it exists, and written to it at the end. */
  readonly stateFile?: string
}

/** The keys are public knowledge: nothing of value may ever be sent to these accounts on another chain. */
export type SandboxAccount = { readonly address: string; readonly privateKey: `0x${string}` }

export type SandboxChain = {
  readonly url: string
  readonly chainId: number
  readonly accounts: readonly SandboxAccount[]
  /** Resolves once the process is gone and its state is written. Safe to call twice. */
  stop(): Promise<void>
}

/**
 * Starts a chain. Stop it in the end, or its process stays. Rejects when this platform has no anvil, when the port is
 * taken, or when the chain does not answer in time.
 */
export const startSandboxChain = async (options: SandboxOptions = {}): Promise<SandboxChain> => {
  if (options.stateFile) await mkdir(dirname(options.stateFile), { recursive: true })
  const attempts = options.port === undefined ? SANDBOX_START_ATTEMPTS : 1
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freePort(options.port), options)
    } catch (error) {
      if (attempt === attempts) throw error
    }
  }
}

/**
 * Sends `amount` in smallest units of the coin, or of a token, from `privateKey`, else from the buyer; answers the hash
 * once it is mined.
 */
export const paySandbox = async (payment: {
  readonly url: string
  readonly to: string
  readonly amount: bigint
  /** Contract of the token. */
  readonly token?: string
  readonly privateKey?: `0x${string}`
}): Promise<string> => {
  const { to, amount, token, privateKey = sandboxBuyer().privateKey } = payment
  const account = privateKeyToAccount(privateKey)
  const transport = http(payment.url, { retryCount: 0 })
  const client = createWalletClient({ account, transport, pollingInterval: 100 }).extend(publicActions)
  const request = token === undefined ? { to: to as Hex, value: amount } : tokenTransfer(token, to, amount)
  const hash = await client.sendTransaction({ ...request, chain: null })
  // A block that comes while viem asks whether another transaction has replaced this one is missed by it (2.57.1).
  const wait = { hash, checkReplacement: false, timeout: SANDBOX_PAY_LIMIT_MS }
  const { status } = await client.waitForTransactionReceipt(wait)
  if (status !== 'success') throw new Error('the sandbox payment failed on chain')
  await untilPlaced(client, hash, SANDBOX_PAY_LIMIT_MS)
  return hash
}

type PlaceReader = { getTransaction(of: { readonly hash: Hex }): Promise<{ readonly blockHash: Hex | null }> }

/**
 * Resolves once the chain says of a transaction that a block holds it; rejects after `limitMs`. Anvil says so a moment
 * before it has the receipt, or after, and who looks at a payment asks for both.
 */
export const untilPlaced = async (client: PlaceReader, hash: Hex, limitMs: number): Promise<void> => {
  for (const until = performance.now() + limitMs; ; await delay(PLACED_LOOK_MS)) {
    const tx = await client.getTransaction({ hash }).catch(unlessUnknown)
    if (tx && tx.blockHash !== null) return
    if (performance.now() >= until) throw new Error(`no block holds the transaction ${hash}`)
  }
}

const unlessUnknown = (error: unknown): undefined => {
  if (!(error instanceof TransactionNotFoundError)) throw error
}

/** The account that buys when nothing else is said: it has coins, and dollars where there are any. */
export const sandboxBuyer = (): SandboxAccount => accountAt(1)

const tokenTransfer = (token: string, to: string, amount: bigint) => ({
  to: token as Hex,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, amount] }),
})

/** The id of the chain in the place of Ethereum, which is anvil's own. */
export const SANDBOX_CHAIN = 31337

const startOn = async (port: number, options: SandboxOptions): Promise<SandboxChain> => {
  const { chainId = SANDBOX_CHAIN } = options
  const url = `http://127.0.0.1:${port}`
  const anvil = keepProcess(anvilBinary(), argumentsFor(port, chainId, options), SANDBOX_STOP_LIMIT_MS)
  try {
    await answering(url, chainId, anvil)
  } catch (error) {
    await anvil.stop()
    throw error
  }
  return { url, chainId, accounts: Array.from({ length: SANDBOX_ACCOUNTS }, (_, n) => accountAt(n)), stop: anvil.stop }
}

const argumentsFor = (port: number, chainId: number, { baseFee, blockTimeSeconds, stateFile }: SandboxOptions) => [
  '--quiet',
  '--no-cors',
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
  '--chain-id',
  String(chainId),
  '--accounts',
  String(SANDBOX_ACCOUNTS),
  '--mnemonic',
  MNEMONIC,
  ...(baseFee === undefined ? [] : ['--block-base-fee-per-gas', String(baseFee)]),
  ...(blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]),
  ...(stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', String(SANDBOX_STATE_INTERVAL_S)]),
]

/** The platform's own package holds the binary, so no install script has to run. */
const anvilBinary = (): string => {
  const cpu = { x64: 'amd64', arm64: 'arm64' }[process.arch as string]
  const require = anvilPackage()
  try {
    if (process.platform !== 'win32') return require.resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/bin/anvil`)
  } catch {
    // The error below says it better than the resolver.
  }
  throw new Error(`the sandbox chain needs anvil, which has no package for ${process.platform} on ${process.arch}`)
}

const anvilPackage = (): NodeJS.Require => {
  try {
    return createRequire(import.meta.resolve('@foundry-rs/anvil/package.json'))
  } catch {
    throw new Error(NOT_INSTALLED)
  }
}

/** It is nothing for an installation that serves real chains, so it is left out there. */
const NOT_INSTALLED =
  'the sandbox chain needs the package @foundry-rs/anvil, which an install for production leaves out: name the chains ' +
  'in CHAIN_ETH_RPC or another CHAIN_<NAME>_RPC, or install the sandbox as well with npm ci'

const answering = async (url: string, chainId: number, anvil: KeptProcess) => {
  const deadline = performance.now() + SANDBOX_START_LIMIT_MS
  while (performance.now() < deadline) {
    if (anvil.hasEnded()) throw new Error('the sandbox chain ended at its start: is its state file damaged?')
    const answer = await askChainId(url).catch(() => undefined)
    if (answer === toHex(chainId)) return
    await delay(20)
  }
  throw new Error(`the sandbox chain gave no answer within ${SANDBOX_START_LIMIT_MS} ms`)
}

const askChainId = async (url: string): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    signal: AbortSignal.timeout(1_000),
  })
  const { result } = (await response.json()) as { result?: unknown }
  return result
}

/** The development phrase that anvil and its relatives share. */
const MNEMONIC = 'test test test test test test test test test test test junk'
/**
 * The key that all accounts are derived from: m/44'/60'/0'/0 of BIP-44, from the BIP-39 phrase without a passphrase. It
 * is derived once, when a sandbox is first used, and so is each account.
 */
let branch: HDKey | undefined
const derived = new Map<number, SandboxAccount>()

const accountAt = (index: number): SandboxAccount => {
  const known = derived.get(index)
  if (known) return known
  branch ??= HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512')).derive("m/44'/60'/0'/0")
  const privateKey = toHex(branch.deriveChild(index).privateKey ?? new Uint8Array())
  const account = { address: privateKeyToAccount(privateKey).address, privateKey }
  derived.set(index, account)
  return account
}
