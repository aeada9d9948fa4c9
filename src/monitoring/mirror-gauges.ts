import { Gauge, type Registry } from 'prom-client'
import type { MirrorWorker } from '../engine/mirror.ts'

/** How the mirror of the log is, in a service that has one. */
export const mirrorGauges = (registry: Registry, { report, head }: Pick<MirrorWorker, 'report' | 'head'>): void => {
  new Gauge({
    name: 'daybook_mirror_stopped',
    help: '1 while the mirror of the log cannot be written',
    registers: [registry],
    collect() {
      this.set(report().state === 'stopped' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'daybook_mirror_lag_positions',
    help: 'Log positions between the newest event and the last in the mirror, where this process writes it',
    registers: [registry],
    collect() {
      const { state, at } = report()
      if (state === 'standby') this.remove()
      else this.set(Math.max(0, Number(head() - at)))
    },
  })
}
