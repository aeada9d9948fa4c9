import type { Logger } from 'pino'
import { MULTICALL3 } from '../../adapters/chains/evm/multicall.ts'
import type { ProviderLimits } from '../../adapters/chains/rpc/providers.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import { type GasWatch, watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue, type RelayQueue } from '../../adapters/relay/queue.ts'
import { createRelayChain, type RelayChain } from '../../adapters/relay/relay-chain.ts'
import { createRelayer, gaslessTokensOn } from '../../adapters/relay/relayer.ts'
import { runRelay } from '../../adapters/relay/run.ts'
import { createWallet, type RelayWallet } from '../../adapters/relay/wallet.ts'
import { chainIdOf } from '../../adapters/x402/networks.ts'
import type { VoiceCounter } from '../../domain/chains/second-voice.ts'
import { budgetOf, lostUsd, type RelayLimits } from '../../domain/gasless/relay-budget.ts'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import type { Chain, Rates, RecordedEvent, World } from '../../domain/kernel/ports.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { ChainConfig } from '../settings/chain-settings.ts'
import type { Config } from '../settings/config.ts'

/**
 * The relayers that carry signed payments to the chains: one for each connected network that has a token for it, all
 * with the one key of the settings.
 */
export type Relayers = {
  readonly byNetwork: ReadonlyMap<string, Relayer>
  /** Takes note of every event that arrives. */
  arrived(events: readonly RecordedEvent[]): void
  /** Carries out what waits, each network in one process at a time, until the signal aborts. */
  run(parts: RunParts, signal: AbortSignal): Promise<unknown>
  /** The state of each relayer, keyed by its network. */
  report(): Promise<RelayersReport>
  close(): Promise<void>
}

/** `short`: it is running out of coin for gas; `unknown`: its chain does not answer. Balances are in smallest units. */
export type RelayersReport = ReadonlyMap<
  string,
  {
    status: 'ok' | 'short' | 'unknown'
    address: string
    balance: bigint | undefined
    waiting: number
    /** Seconds that the oldest of them has waited, as far as this process knows. */
    oldestSeconds: number | undefined
    /**
     * The loss of the last hour to payments that came to nothing, and the most that may be lost, in millionths of a US
     * dollar.
     */
    lostUsd: bigint
    limitUsd: bigint
  }
>

type RunParts = {
  readonly leases: Leases
  readonly doors: LedgerDoors
  /** Signed payments that have neither settled nor failed; undefined while the read models are behind the log. */
  open(network: string, limit: number): Promise<readonly string[] | undefined>
  readonly limits: RelayLimits
  readonly world: World
  readonly hear: VoiceCounter
}

type RelayerConfig = Pick<Config, 'relayerKey' | 'chains'> & { readonly limits?: Pick<ProviderLimits, 'timeoutMs'> }

/** Opens the relayers; resolves once each has looked at its chain for the first time, or could not. */
export const openRelayers = async (
  { relayerKey, chains: configured, limits = {} }: RelayerConfig,
  chains: ReadonlyMap<string, Chain>,
  rates: Rates,
  log: Logger,
): Promise<Relayers> => {
  const queue = createRelayQueue()
  const closing = new AbortController()
  const own = (relayerKey === undefined ? [] : configured).flatMap((config) => {
    const chain = chains.get(config.network.name)
    const one =
      chain &&
      relayerKey &&
      relayOn(config, chain, { key: relayerKey, queue, rates, log, signal: closing.signal, limits })
    return one ? [one] : []
  })
  await Promise.all(own.map(({ gas }) => gas.first))
  let losses = async (_: string): Promise<Losses> => ({ lostUsd: 0n, limitUsd: 0n })
  return {
    byNetwork: new Map(own.map(({ relayer }) => [relayer.network, relayer])),
    arrived: queue.arrived,
    run(parts, signal) {
      losses = lossesOf(parts)
      return Promise.allSettled(own.map((one) => runUnderLease(one, queue, parts, log, signal)))
    },
    report: async () =>
      new Map(
        await Promise.all(
          own.map(async ({ relayer, gas }) => {
            const report = { ...reportOf(relayer, gas, queue), ...(await losses(relayer.network)) }
            return [relayer.network, report] as const
          }),
        ),
      ),
    async close() {
      closing.abort()
      await Promise.all(own.map(({ gas }) => gas.ended))
    },
  }
}

type OwnRelayer = {
  readonly relayer: Relayer
  readonly chain: Chain
  readonly asks: RelayChain
  readonly wallet: RelayWallet
  readonly gas: GasWatch
}

const relayOn = (
  { network: { name: network }, chain: networkChain, rpcUrls, tip }: ChainConfig,
  chain: Chain,
  {
    key,
    queue,
    rates,
    log,
    signal,
    limits,
  }: Pick<Required<RelayerConfig>, 'limits'> & {
    key: `0x${string}`
    queue: RelayQueue
    rates: Rates
    log: Logger
    signal: AbortSignal
  },
): OwnRelayer | undefined => {
  const chainId = chainIdOf(networkChain.caip2)
  const coin = assetsOn(network, networkChain.caip2).find(({ contract }) => contract === undefined)
  if (chainId === undefined || !coin || gaslessTokensOn(network, networkChain).size === 0) return undefined
  const wallet = createWallet(key, chainId)
  const asks = createRelayChain({ ...limits, network, chainId, urls: rpcUrls, tip })
  const { address } = wallet
  const gas = watchGas({ chain: asks, address, rate: () => rates.usdPer(coin.code), log, network }, signal)
  return {
    relayer: createRelayer({ network, chain: networkChain, address, asks, gas, queue }),
    chain,
    asks,
    wallet,
    gas,
  }
}

const reportOf = ({ network, address }: Relayer, gas: GasWatch, queue: RelayQueue) => {
  const isShort = gas.isShort()
  const status = isShort === undefined ? ('unknown' as const) : isShort ? ('short' as const) : ('ok' as const)
  const oldestSeconds = queue.oldestSeconds(network)
  return { status, address, balance: gas.balance(), waiting: queue.waiting(network).length, oldestSeconds }
}

type Losses = { lostUsd: bigint; limitUsd: bigint }

/** The losses of each network's relayer, as the log tells them. */
const lossesOf = ({ doors, limits, world }: RunParts): ((network: string) => Promise<Losses>) => {
  const { ledger } = doors.open({ actor: 'report', correlationId: 'report' })
  return async (network) => ({
    lostUsd: lostUsd(await ledger.relayBudget.recent(budgetOf('network', network)), world.now().toISOString()),
    limitUsd: limits.network,
  })
}

/** The name of the turn that one process takes. */
export const relayTurn = (network: string): string => `relay-${network}`

const runUnderLease = (
  { relayer: { network }, chain, asks, wallet, gas }: OwnRelayer,
  queue: RelayQueue,
  { leases, doors, open, limits, world, hear }: RunParts,
  log: Logger,
  signal: AbortSignal,
) => {
  const name = relayTurn(network)
  const { ledger } = doors.open({ actor: name, correlationId: name })
  return leases.hold(name, signal, async (held) => {
    const batches = await asks.codeHash(MULTICALL3).then(
      (hash) => hash !== undefined,
      () => false,
    )
    const now = () => world.now().toISOString()
    const parts = { network, ledger, wallet, asks, chain, gas, queue, limits, now, batches, hear, log }
    await runRelay({ ...parts, open: (limit) => open(network, limit) }, held)
  })
}
