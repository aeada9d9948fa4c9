import type { Logger } from 'pino'
import type { ChainNode, ChainOptions } from '../adapters/chains/chain-node.ts'
import { ProviderUnavailable } from '../adapters/chains/providers.ts'
import { type SandboxChain, startSandboxChain } from '../adapters/chains/sandbox.ts'
import { type AddressFamily, chainOf, networkOf } from '../domain/networks.ts'
import { BadSetting, type ChainConfig, type Config } from './config.ts'

export type Chains = {
  readonly byNetwork: ReadonlyMap<string, ChainNode>
  /** The chain that is started when none is configured, for trying things out. */
  readonly sandbox: SandboxChain | undefined
  close(): Promise<void>
}

const SANDBOX_BLOCK_SECONDS = 1

/** Connects the configured chains, or starts a sandbox in the place of Ethereum. A node on the wrong chain is a bad setting. */
export const openChains = async (config: Config, stateFile: string, log: Logger): Promise<Chains> => {
  const sandbox =
    config.chains.length === 0
      ? await startSandboxChain({ blockTimeSeconds: SANDBOX_BLOCK_SECONDS, stateFile })
      : undefined
  const configured = sandbox ? [sandboxConfig(sandbox)] : config.chains
  const byNetwork = new Map<string, ChainNode>()
  for (const { network, rpcUrls, chain } of configured) {
    const node = await adapters[network.family]({ network: network.name, rpcUrls, chain })
    await rightChain(node, network.name, log)
    byNetwork.set(network.name, node)
  }
  return {
    byNetwork,
    sandbox,
    async close() {
      await Promise.all([...byNetwork.values()].map((chain) => chain.close()))
      await sandbox?.stop()
    },
  }
}

/** How each family of chains is read. Its libraries are loaded only where one of its chains is configured. */
const adapters: Readonly<Record<AddressFamily, (options: ChainOptions) => Promise<ChainNode>>> = {
  evm: async (options) => (await import('../adapters/chains/evm.ts')).evmChain(options),
  bitcoin: async (options) => (await import('../adapters/chains/bitcoin/bitcoin.ts')).bitcoinChain(options),
  solana: async (options) => (await import('../adapters/chains/solana/solana.ts')).solanaChain(options),
  tron: async (options) => (await import('../adapters/chains/tron/tron.ts')).tronChain(options),
  ton: async (options) => (await import('../adapters/chains/ton/ton.ts')).tonChain(options),
}

const sandboxConfig = ({ url, chainId }: SandboxChain): ChainConfig => {
  const network = networkOf('eth')
  const chain = network && chainOf(network, String(chainId))
  if (!network || !chain) throw new Error('there is no network eth')
  return { network, rpcUrls: [url], chain }
}

/** A node that does not answer now may later; one that answers for another chain never will. */
const rightChain = async (chain: ChainNode, name: string, log: Logger) => {
  try {
    await chain.verifyChain()
  } catch (error) {
    if (error instanceof ProviderUnavailable) log.warn({ network: name }, 'the chain does not answer yet')
    else throw new BadSetting(`CHAIN_${name.toUpperCase()}_RPC: ${(error as Error).message}`)
  }
}
