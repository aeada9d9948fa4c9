import type { Logger } from 'pino'
import type { ChainNode, ChainOptions } from '../../adapters/chains/rpc/chain-node.ts'
import { ProviderUnavailable } from '../../adapters/chains/rpc/providers.ts'
import type { AddressFamily } from '../../domain/kernel/networks.ts'
import type { ChainConfig } from '../settings/chain-settings.ts'
import type { Config } from '../settings/config.ts'
import type { Sandbox, SandboxUrls } from '../settings/sandbox.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

export type Chains = {
  readonly byNetwork: ReadonlyMap<string, ChainNode>
  /** The configuration that they were opened with: that of the settings, or of the sandbox in their place. */
  readonly configured: readonly ChainConfig[]
  /** The sandbox, which is started when no chain is configured, for trying things out. */
  readonly sandbox: Sandbox | undefined
  close(): Promise<void>
}

/** Connects the configured chains, or starts the sandbox in their place. A node on the wrong chain is a bad setting. */
export const openChains = async (
  config: Pick<Config, 'chains'>,
  sandboxState: SandboxUrls,
  log: Logger,
): Promise<Chains> => {
  const sandbox =
    config.chains.length === 0 ? await (await import('../settings/sandbox.ts')).startSandbox(sandboxState) : undefined
  const configured = sandbox?.configs ?? config.chains
  const byNetwork = await connected(configured, log)
  if (!sandbox) for (const node of byNetwork.values()) sayVoices(node, log)
  return {
    byNetwork,
    configured,
    sandbox,
    async close() {
      await Promise.all([...byNetwork.values()].map((chain) => chain.close()))
      await sandbox?.stop()
    },
  }
}

/**
 * Connects the configured chains for a command, or those of the sandbox that a running service has; it starts none.
 * There are none where no chain is configured and no sandbox runs.
 */
export const readChains = async (
  config: Pick<Config, 'chains'>,
  running: SandboxUrls | null | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<Pick<Chains, 'byNetwork' | 'close'>> => {
  const isSandbox = config.chains.length === 0 && running
  const configured = isSandbox ? (await import('../settings/sandbox.ts')).runningSandbox(running) : config.chains
  const byNetwork = await connected(configured, log)
  return {
    byNetwork,
    async close() {
      await Promise.all([...byNetwork.values()].map((chain) => chain.close()))
    },
  }
}

const connected = async (
  configured: readonly ChainConfig[],
  log: Pick<Logger, 'warn'>,
): Promise<ReadonlyMap<string, ChainNode>> => {
  const byNetwork = new Map<string, ChainNode>()
  for (const config of configured) {
    const node = await openNode(config)
    await rightChain(node, config.network.name, log)
    byNetwork.set(config.network.name, node)
  }
  return byNetwork
}

/** Opens one configured chain; it is asked nothing yet. */
export const openNode = (
  { network, rpcUrls, chain }: ChainConfig,
  limits: Pick<ChainOptions, 'timeoutMs'> = {},
): Promise<ChainNode> => adapters[network.family]({ ...limits, network: network.name, rpcUrls, chain })

/** How each family of chains is read. Its libraries are loaded only where one of its chains is configured. */
const adapters: Readonly<Record<AddressFamily, (options: ChainOptions) => Promise<ChainNode>>> = {
  evm: async (options) => (await import('../../adapters/chains/evm/evm.ts')).evmChain(options),
  bitcoin: async (options) => (await import('../../adapters/chains/bitcoin/bitcoin.ts')).bitcoinChain(options),
  solana: async (options) => (await import('../../adapters/chains/solana/solana.ts')).solanaChain(options),
  tron: async (options) => (await import('../../adapters/chains/tron/tron.ts')).tronChain(options),
  ton: async (options) => (await import('../../adapters/chains/ton/ton.ts')).tonChain(options),
}

/** Logs how many providers are asked, as a warning where one decides alone over what is paid. */
const sayVoices = ({ network, voices = 1 }: ChainNode, log: Logger) =>
  voices > 1
    ? log.info({ network, voices }, 'so many providers are asked about large payments')
    : log.warn({ network, voices }, 'one provider decides alone over what is paid')

/** A node that does not answer now may later; one that answers for another chain never will. */
const rightChain = async (chain: ChainNode, name: string, log: Pick<Logger, 'warn'>) => {
  try {
    await chain.verifyChain()
  } catch (error) {
    if (error instanceof ProviderUnavailable)
      log.warn({ network: name, reason: error.message }, 'the chain does not answer yet')
    else throw new BadSetting(`CHAIN_${name.toUpperCase()}_RPC: ${(error as Error).message}`)
  }
}
