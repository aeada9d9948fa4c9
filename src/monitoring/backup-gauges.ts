import { Gauge, type Registry } from 'prom-client'
import type { Backups } from '../clock/backups.ts'
import { soon } from './soon.ts'

/** Gauges of the backups, in a service that makes them by the clock. */
export const backupGauges = (registry: Registry, { report, known }: Pick<Backups, 'report' | 'known'>): void => {
  new Gauge({
    name: 'daybook_backup_age_seconds',
    help: 'Seconds since the newest whole backup was begun, which is what a loss now would cost; +Inf where there is none or nobody can tell',
    registers: [registry],
    async collect() {
      // Without labels a gauge that was reset shows 0, which would be the best of ages.
      this.set((await soon(report(), undefined))?.age ?? Number.POSITIVE_INFINITY)
    },
  })
  new Gauge({
    name: 'daybook_backup_late',
    help: '1 while the newest backup is older than two rounds; where this process has seen none, once it has run for two',
    registers: [registry],
    async collect() {
      this.set(Number((await known()).late))
    },
  })
  new Gauge({
    name: 'daybook_backup_failures',
    help: 'Backups since the start that this process has begun and could not end',
    registers: [registry],
    async collect() {
      this.set((await known()).failures)
    },
  })
}
