import {
  SANDBOX_CHAIN,
  type SandboxAccount,
  type SandboxChain,
  sandboxBuyer,
  startSandboxChain,
} from '../../adapters/chains/sandbox/sandbox.ts'
import { BASE_SEPOLIA, furnishSandbox } from '../../adapters/chains/sandbox/sandbox-dollar.ts'
import { chainOf, networkOf } from '../../domain/kernel/networks.ts'
import type { ChainConfig } from './chain-settings.ts'

/**
 * The chains that are started when none is configured: one in the place of Ethereum, one with a dollar in the place of
 * Base.
 */
export type Sandbox = {
  readonly urls: SandboxUrls
  /** The configuration of the chains, as settings would give it. */
  readonly configs: readonly ChainConfig[]
  /** Accounts with coins of their own, the same on both. */
  readonly accounts: readonly SandboxAccount[]
  /** The key of the account that pays the gas of signed payments when RELAYER_KEY names no other. */
  readonly relayerKey: `0x${string}` | undefined
  stop(): Promise<void>
}

/**
 * A URL for each chain, keyed by the network's name; or the file in which each chain is kept from one start to the
 * next.
 */
export type SandboxUrls = { readonly eth: string; readonly base: string }

/** CAIP-2: Base Sepolia, which x402 clients know by name. */
export const SANDBOX_BASE = `eip155:${BASE_SEPOLIA}`

const SANDBOX_BLOCK_SECONDS = 1
/** Wei for a unit of gas, as on Base; anvil's own choice is 200 times that, more than a sale of ten cents bears. */
const BASE_FEE = 5_000_000n
/** Wei for a unit of gas. Anvil suggests 1 gwei whatever it is told (1.7.1), which makes a payment cost 24 cents. */
const BASE_TIP = 10_000_000n
/**
 * The account of the relayer. It neither buys nor sells nor is paid for credit, because nobody else may use up its
 * nonces.
 */
const RELAYER_ACCOUNT = 0

/** Starts both at once; none stays when one does not start. */
export const startSandbox = async (stateFiles: SandboxUrls): Promise<Sandbox> => {
  const starts = await Promise.allSettled([
    startSandboxChain({ blockTimeSeconds: SANDBOX_BLOCK_SECONDS, stateFile: stateFiles.eth }),
    startBase(stateFiles.base),
  ])
  const [eth, base] = starts.map((start) => (start.status === 'fulfilled' ? start.value : undefined))
  const stop = async () => {
    await Promise.all([eth?.stop(), base?.stop()])
  }
  if (!eth || !base) {
    await stop()
    throw starts.find((start) => start.status === 'rejected')?.reason
  }
  return {
    urls: { eth: eth.url, base: base.url },
    configs: [configOf('eth', eth), { ...configOf('base', base), tip: BASE_TIP }],
    accounts: base.accounts,
    relayerKey: base.accounts[RELAYER_ACCOUNT]?.privateKey,
    stop,
  }
}

/** The configuration of the sandbox that a service runs, for a command beside it. */
export const runningSandbox = ({ eth, base }: SandboxUrls): readonly ChainConfig[] => [
  configOf('eth', { url: eth, chainId: SANDBOX_CHAIN }),
  configOf('base', { url: base, chainId: BASE_SEPOLIA }),
]

const startBase = async (stateFile: string): Promise<SandboxChain> => {
  const pace = { blockTimeSeconds: SANDBOX_BLOCK_SECONDS, baseFee: BASE_FEE }
  const chain = await startSandboxChain({ chainId: BASE_SEPOLIA, stateFile, ...pace })
  try {
    await furnishSandbox(chain.url, [sandboxBuyer().address])
    return chain
  } catch (error) {
    await chain.stop()
    throw error
  }
}

const configOf = (name: string, { url, chainId }: Pick<SandboxChain, 'url' | 'chainId'>): ChainConfig => {
  const network = networkOf(name)
  const chain = network && chainOf(network, String(chainId))
  if (!network || !chain) throw new Error(`there is no network ${name}`)
  return { network, rpcUrls: [url], chain }
}
