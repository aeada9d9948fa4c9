import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import type { SealWaiting } from '../engine/sealing.ts'
import type { PartsReport } from '../parts/check.ts'
import { soon } from './soon.ts'

/** What the gauges of the installation ask. */
export type InstallationSource = {
  /** The folder DATA_DIR. */
  readonly dataDir: string
  /** Whether the parts fit together, as of a second ago at most. */
  parts(): Promise<PartsReport>
  /** Whether this process can serve. */
  isReady(): Promise<boolean>
  /** Whether the log may not be sealed, because it is not the one that was sealed here. */
  isSealRefused(): boolean
  /** Undefined in a process that does not seal. */
  sealWaiting(): SealWaiting | undefined
}

const NONE: Pick<PartsReport, 'parts'> = { parts: [] }

/** Gauges of what a service stands on: its readiness, its disk, its parts and its seals. */
export const installationGauges = (registry: Registry, source: InstallationSource): void => {
  const { isReady, parts } = source
  new Gauge({
    name: 'daybook_ready',
    help: '1 while this process can serve, as /readyz says',
    registers: [registry],
    async collect() {
      this.set(Number(await soon(isReady(), false)))
    },
  })
  new Gauge({
    name: 'daybook_parts_fit',
    help: '1 for each part of the installation that fits the log, 0 for one that does not; none while nobody can tell',
    labelNames: ['part'] as const,
    registers: [registry],
    async collect() {
      this.reset()
      for (const { part, misfit } of (await soon(parts(), NONE)).parts) this.set({ part }, misfit === null ? 1 : 0)
    },
  })
  sealGauges(registry, source)
  diskGauges(registry, source.dataDir)
}

const sealGauges = (registry: Registry, { sealWaiting, isSealRefused }: InstallationSource): void => {
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const known = value()
        if (known === undefined) this.remove()
        else this.set(known)
      },
    })
  gauge(
    'daybook_seal_waiting_seconds',
    'Seconds that the oldest event without a seal has waited; only in the process that seals',
    () => sealWaiting()?.seconds,
  )
  gauge('daybook_seal_late', '1 while it has waited much longer than SEAL_EVERY_SECONDS', () => {
    const waiting = sealWaiting()
    return waiting && Number(waiting.isLate)
  })
  gauge('daybook_seal_refused', '1 while nothing is sealed, because the log is not the one that was sealed here', () =>
    Number(isSealRefused()),
  )
}

/** Where the disk cannot be looked at, there is no value. */
const diskGauges = (registry: Registry, dataDir: string): void => {
  const gauge = (
    name: string,
    help: string,
    bytes: (disk: { bavail: number; blocks: number; bsize: number }) => number,
  ) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const disk = await statfs(dataDir).catch(() => undefined)
        if (disk) this.set(bytes(disk))
        else this.remove()
      },
    })
  gauge('daybook_disk_free_bytes', 'Bytes that are free where DATA_DIR lies', ({ bavail, bsize }) => bavail * bsize)
  gauge('daybook_disk_size_bytes', 'Bytes that there are where DATA_DIR lies', ({ blocks, bsize }) => blocks * bsize)
}
