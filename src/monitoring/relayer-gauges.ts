import { Gauge, type Registry } from 'prom-client'
import type { RelayersReport } from '../outside/relayers.ts'

/** How the relayers of signed payments are. What is not known has no value. */
export const relayerGauges = (registry: Registry, relayers: () => Promise<RelayersReport>): void => {
  const shared = { registers: [registry], labelNames: ['network'] as const }
  new Gauge({
    ...shared,
    name: 'daybook_relayer_balance',
    help: 'What a relayer has left for gas, in whole coins of its network',
    async collect() {
      this.reset()
      for (const [network, { balance }] of await relayers())
        if (balance !== undefined) this.set({ network }, Number(balance) / WHOLE_COIN)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_short',
    help: '1 while a relayer is running out of coin for gas',
    async collect() {
      this.reset()
      for (const [network, { status }] of await relayers())
        if (status !== 'unknown') this.set({ network }, status === 'short' ? 1 : 0)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_payments_waiting',
    help: 'Signed payments that were taken and have neither settled nor failed',
    async collect() {
      this.reset()
      for (const [network, { waiting }] of await relayers()) this.set({ network }, waiting)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_oldest_seconds',
    help: 'How long the signed payment that waits longest has done so; 0 when none waits',
    async collect() {
      this.reset()
      for (const [network, { oldestSeconds }] of await relayers()) this.set({ network }, oldestSeconds ?? 0)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_lost_usd',
    help: 'What was lost within the hour to payments that came to nothing, in US dollars',
    async collect() {
      this.reset()
      for (const [network, { lostUsd }] of await relayers()) this.set({ network }, Number(lostUsd) / MILLIONTHS)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_lost_limit_usd',
    help: 'What may be lost in an hour (RELAY_LOSS_PER_HOUR), in US dollars',
    async collect() {
      this.reset()
      for (const [network, { limitUsd }] of await relayers()) this.set({ network }, Number(limitUsd) / MILLIONTHS)
    },
  })
}

/** Every EVM network's own coin has 18 digits; a gauge is for looking at and need not be exact. */
const WHOLE_COIN = 1e18

const MILLIONTHS = 1e6
