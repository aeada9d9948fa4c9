import type { Logger } from 'pino'
import { MULTICALL3 } from '../../adapters/chains/evm/multicall.ts'
import type { ProviderLimits } from '../../adapters/chains/rpc/providers.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import { type GasWatch, watchGas } from '../../adapters/relay/gas-watch.ts'
import { type RelayQueue, relayTurn } from '../../adapters/relay/queue.ts'
import { createRelayChain, type RelayChain } from '../../adapters/relay/relay-chain.ts'
import { createRelayer, gaslessTokensOn } from '../../adapters/relay/relayer.ts'
import { runRelay } from '../../adapters/relay/run.ts'
import { createWallet, type RelayWallet } from '../../adapters/relay/wallet.ts'
import { chainIdOf } from '../../adapters/x402/networks.ts'
import type { VoiceCounter } from '../../domain/chains/second-voice.ts'
import type { RelayLimits } from '../../domain/gasless/relay-budget.ts'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import type { Chain, Rates, World } from '../../domain/kernel/ports.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { ChainConfig } from '../settings/chain-settings.ts'

/** The relayer of one network, with everything that it does its work by. */

export type RunParts = {
  readonly leases: Leases
  readonly doors: LedgerDoors
  /** Signed payments that have neither settled nor failed; undefined while the read models are behind the log. */
  open(network: string, limit: number): Promise<readonly string[] | undefined>
  readonly limits: RelayLimits
  readonly world: World
  readonly hear: VoiceCounter
}

/** What the relayers of all networks share. */
export type OwnRelayerParts = {
  readonly key: `0x${string}`
  readonly queue: RelayQueue
  readonly rates: Rates
  readonly log: Logger
  readonly signal: AbortSignal
  readonly limits: Pick<ProviderLimits, 'timeoutMs'>
  /** Millionths of a US dollar that the tip of one payment may cost. */
  readonly tipUsdMax: bigint
}

export type OwnRelayer = {
  readonly relayer: Relayer
  readonly gas: GasWatch
  /** Carries out what waits, while this process has the turn, until the signal aborts. */
  run(parts: RunParts, signal: AbortSignal): Promise<unknown>
}

/** Undefined for a network that has no token for it. */
export const relayOn = (
  { network: { name: network }, chain: networkChain, rpcUrls, tip }: ChainConfig,
  chain: Chain,
  { key, queue, rates, log, signal: closing, limits, tipUsdMax }: OwnRelayerParts,
): OwnRelayer | undefined => {
  const chainId = chainIdOf(networkChain.caip2)
  const coin = assetsOn(network, networkChain.caip2).find(({ contract }) => contract === undefined)
  if (chainId === undefined || !coin || gaslessTokensOn(network, networkChain).size === 0) return undefined
  const wallet = createWallet(key, chainId)
  const asks = createRelayChain({ ...limits, network, chainId, urls: rpcUrls, tip })
  const { address } = wallet
  const rate = () => rates.usdPer(coin.code)
  const gas = watchGas({ chain: asks, address, rate, tipUsdMax, log, network }, closing)
  return {
    relayer: createRelayer({ network, chain: networkChain, address, asks, gas, queue }),
    gas,
    run: (parts, signal) => runUnderLease({ network, chain, asks, wallet, gas, queue, log }, parts, signal),
  }
}

type OwnParts = Pick<OwnRelayerParts, 'queue' | 'log'> & {
  readonly network: string
  readonly chain: Chain
  readonly asks: RelayChain
  readonly wallet: RelayWallet
  readonly gas: GasWatch
}

const runUnderLease = (
  { network, asks, ...own }: OwnParts,
  { leases, doors, open, limits, world, hear }: RunParts,
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
    const parts = { ...own, network, asks, ledger, limits, now, batches, hear }
    await runRelay({ ...parts, open: (limit) => open(network, limit) }, held)
  })
}
