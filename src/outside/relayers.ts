import type { Logger } from 'pino'
import type { ProviderLimits } from '../../adapters/chains/rpc/providers.ts'
import type { GasWatch } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue, type RelayQueue } from '../../adapters/relay/queue.ts'
import { budgetOf, lostUsd } from '../../domain/gasless/relay-budget.ts'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import type { Chain, Rates, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Config } from '../settings/config.ts'
import type { OwnRelayer, OwnRelayerParts, RunParts } from './own-relayer.ts'

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

/** A tip may cost this part of what a network may lose in an hour. */
const TIP_PART = 10n

type RelayerConfig = Pick<Config, 'relayerKey' | 'chains' | 'relayLimits'> & {
  readonly nodeLimits?: Pick<ProviderLimits, 'timeoutMs'>
}

/** Opens the relayers; resolves once each has looked at its chain for the first time, or could not. */
export const openRelayers = async (
  { relayerKey, chains: configured, relayLimits, nodeLimits = {} }: RelayerConfig,
  chains: ReadonlyMap<string, Chain>,
  rates: Rates,
  log: Logger,
): Promise<Relayers> => {
  const queue = createRelayQueue()
  const closing = new AbortController()
  const tipUsdMax = relayLimits.network / TIP_PART
  const parts = { queue, rates, log, signal: closing.signal, limits: nodeLimits, tipUsdMax }
  const own = relayerKey === undefined ? [] : await ownRelayers({ key: relayerKey, ...parts }, configured, chains)
  await Promise.all(own.map(({ gas }) => gas.first))
  let losses = async (_: string): Promise<Losses> => ({ lostUsd: 0n, limitUsd: 0n })
  return {
    byNetwork: new Map(own.map(({ relayer }) => [relayer.network, relayer])),
    arrived: queue.arrived,
    run(parts, signal) {
      losses = lossesOf(parts)
      return Promise.allSettled(own.map((one) => one.run(parts, signal)))
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

/** What carries out payments is loaded only where there is a key to do it with. */
const ownRelayers = async (
  parts: OwnRelayerParts,
  configured: RelayerConfig['chains'],
  chains: ReadonlyMap<string, Chain>,
): Promise<readonly OwnRelayer[]> => {
  const { relayOn } = await import('./own-relayer.ts')
  return configured.flatMap((config) => {
    const chain = chains.get(config.network.name)
    return (chain && relayOn(config, chain, parts)) ?? []
  })
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
