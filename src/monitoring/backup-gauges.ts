import { Gauge, type Registry } from 'prom-client'
import type { Backups } from '../clock/backups.ts'

/** Gauges of the backups, in a service that makes them by the clock. */
export const backupGauges = (registry: Registry, { report }: Pick<Backups, 'report'>): void => {
  new Gauge({
    name: 'daybook_backup_age_seconds',
    help: 'Seconds since the newest whole backup was begun, which is what a loss now would cost; +Inf where there is none or nobody can tell',
    registers: [registry],
    async collect() {
      const found = await reported(report)
      if (found && found.age !== null) this.set(found.age)
      // Without labels a gauge that was reset shows 0, which would be the best of ages.
      else this.set(Number.POSITIVE_INFINITY)
    },
  })
  new Gauge({
    name: 'daybook_backup_failures',
    help: 'Backups since the start that this process has begun and could not end',
    registers: [registry],
    async collect() {
      this.set((await reported(report))?.failures ?? 0)
    },
  })
}

/** A place that cannot be asked does not keep the other metrics from being told. */
const reported = (report: Backups['report']) => report().catch(() => undefined)
