import { setTimeout as pause } from 'node:timers/promises'
import { FIAT_DECIMALS, mulDivCeil, RATE_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import { GAS_USUAL } from './calls.ts'
import type { Fees, RelayChain } from './relay-chain.ts'

/**
 * Watches the price of gas on a network, and the coin that its relayer has left for it, so that an offer costs no
 * question.
 */

const EVERY_MS = 5_000
/** Milliseconds after which a reading no longer counts. */
const KNOWN_MS = 60_000
/** Payments that the relayer must be able to pay for; with less it takes none, and says so. */
const PAYMENTS_LEFT_MIN = 20n
/** A relayer that can pay for fewer than these is short: time to fill it up. */
const PAYMENTS_LEFT_SHORT = 500n

export type GasWatch = ReturnType<typeof watchGas>

type GasReading = Fees & { readonly balance: bigint; readonly rate: bigint; readonly at: number }

type WatchParts = {
  readonly chain: RelayChain
  readonly address: string
  /** US dollars for one whole coin of the network. */
  rate(): Promise<string>
  /** Millionths of a US dollar that the tip of one payment may cost, whatever the node suggests. */
  readonly tipUsdMax: bigint
  readonly log: Log
  readonly network: string
}

/** Looks until the signal aborts. */
export const watchGas = (parts: WatchParts, signal: AbortSignal) => {
  const { chain, address, rate, log, network } = parts
  let known: GasReading | undefined
  let lastRate: bigint | undefined
  const boundTip = tipBound(parts)

  const look = async () => {
    const [{ baseFee }, suggested, data, balance, perCoin] = await Promise.all([
      chain.newest(),
      chain.tip(),
      chain.dataFee(),
      chain.coinOf(address),
      rate().then((decimal) => toUnits(decimal, RATE_DECIMALS)),
    ])
    lastRate = perCoin
    const before = known
    const tip = boundTip(suggested, perCoin)
    known = { baseFee, tip, data, balance, rate: perCoin, at: performance.now() }
    if (isShort(known) && !(before && isShort(before)))
      log.error({ network, relayer: address, balance: String(balance) }, 'the relayer is running out of coin for gas')
  }
  const first = look().catch((error: unknown) => log.warn({ network, err: error }, 'gas prices are not known yet'))
  const looking = (async () => {
    await first
    while (!signal.aborted) {
      await pause(EVERY_MS, undefined, { signal }).catch(() => {})
      if (!signal.aborted)
        await look().catch((error: unknown) => log.warn({ network, err: error }, 'gas prices could not be read'))
    }
  })()
  const fresh = () => (known && performance.now() - known.at < KNOWN_MS ? known : undefined)

  return {
    /** Resolves once it has looked for the first time. */
    first,
    /** Resolves once the signal has aborted. */
    ended: looking,
    fees: () => fresh(),
    balance: () => fresh()?.balance,
    /** Whether it is time to fill the relayer up; undefined while that is not known. */
    isShort: () => {
      const now = fresh()
      return now && isShort(now)
    },
    /**
     * The cost of one payment in millionths of a US dollar, of a usual one or of one that takes `gas`; undefined while
     * that is not known, or the relayer could not pay.
     */
    cost(gas?: bigint): bigint | undefined {
      const now = fresh()
      if (!now || now.balance < PAYMENTS_LEFT_MIN * weiOf(now)) return undefined
      return usdOf(weiOf(now, gas), now.rate)
    },
    /** Wei in millionths of a US dollar, at the newest rate that was seen; undefined when none ever was. */
    inUsd: (wei: bigint) => (lastRate === undefined ? undefined : usdOf(wei, lastRate)),
  }
}

/**
 * The tip goes to whoever makes the block, in full, and no block says which one is right: a node that suggests an
 * absurd one would have the relayer's coin given away (N-174).
 */
const tipBound = ({ tipUsdMax, network, log }: Pick<WatchParts, 'tipUsdMax' | 'network' | 'log'>) => {
  let isTold = false
  return (suggested: bigint, perCoin: bigint): bigint => {
    const most = weiFor(tipUsdMax, perCoin) / GAS_USUAL
    const isTooHigh = suggested > most
    if (isTooHigh && !isTold)
      log.warn({ network, suggested: String(suggested), tip: String(most) }, 'the node suggests a tip that is too high')
    isTold = isTooHigh
    return isTooHigh ? most : suggested
  }
}

const isShort = ({ balance, ...fees }: GasReading) => balance < PAYMENTS_LEFT_SHORT * weiOf(fees)

type Log = { warn(fields: object, message: string): void; error(fields: object, message: string): void }

/** The gas of a call that was tried has the gas of its data in it. */
const weiOf = ({ baseFee, tip, data }: Fees, gas = GAS_USUAL + data.gas): bigint => gas * (baseFee + tip) + data.wei

/** Every EVM network's own coin has 18 decimals. */
const WEI_AND_RATE = 10n ** BigInt(18 + RATE_DECIMALS - FIAT_DECIMALS)
const usdOf = (wei: bigint, rate: bigint): bigint => mulDivCeil(wei * rate, 1n, WEI_AND_RATE)
/** The wei that so many millionths of a US dollar buy, rounded down; none of a coin that is worth nothing. */
const weiFor = (usd: bigint, rate: bigint): bigint => (rate === 0n ? 0n : (usd * WEI_AND_RATE) / rate)
