import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { fromBase64, type Hash } from '../../adapters/audit/hash.ts'
import { consistencyPath, isConsistent } from '../../adapters/audit/paths.ts'
import { rowSource, type SealRows } from '../../adapters/audit/row-source.ts'
import { signNewestHead } from '../../adapters/audit/witness/log-note.ts'
import { refusingWitnesses } from '../../adapters/audit/witness/refusing.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { hostAndPort } from '../../adapters/outbound/url-rules.ts'
import { COSIGNATURES } from '../../domain/audit/cosignatures.ts'
import type { Vault, World } from '../../domain/kernel/ports.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'
import { type JobParts, runTimedJob } from '../clock/timed-job.ts'
import type { HeadSettings } from '../settings/head-settings.ts'
import { type HeadsReport, headsReport } from './report.ts'
import { createStampDesk } from './stamp-desk.ts'
import { createWitnessDesk } from './witness-desk.ts'

/**
 * Signs each newest head for everybody to read, and has it signed by the witnesses and stamped; in one process at a
 * time.
 */
export type Heads = {
  /**
   * Whether the log may be sealed: not while a witness of the settings has seen another history of it. The first answer
   * waits until each witness was asked once, or the time for that is up.
   */
  maySeal(ledger: Ledger): Promise<boolean>
  report(): Promise<HeadsReport>
  /** Resolves once all of it has ended after the signal. */
  readonly ended: Promise<unknown>
}

export type HeadParts = Omit<JobParts, 'log'> & {
  readonly vault: Vault
  readonly world: World
  readonly queries: Pick<Queries, 'sealOf'> & SealRows
  readonly log: Logger
  /** The host of BASE_URL. */
  readonly host: string
}

const LOOK_EVERY_MS = 1_000
/** How long the first seal waits for witnesses that are down or slow at the start; nothing else waits for them. */
const FIRST_WORD_MS = 10_000

export const startHeads = (parts: HeadParts, settings: HeadSettings, signal: AbortSignal): Heads => {
  const { doors, vault, world, queries, host, log } = parts
  const { witnesses, cosignEverySeconds, stampUrl, stampEveryMinutes } = settings
  const outbound = ownWayOut(settings)
  const { exchange } = outbound
  const asking = { exchange, proof: (from: number, size: number) => proofBetween(queries, from, size) }
  const desks = witnesses.map((witness) => createWitnessDesk(witness, asking, cosignEverySeconds, log))
  const stamps =
    stampUrl === undefined ? undefined : createStampDesk({ exchange, world, log }, stampUrl, stampEveryMinutes)
  const first = Promise.withResolvers<void>()
  const round = async (ledger: Ledger, held: AbortSignal) => {
    await signNewestHead({ ledger, vault }, host)
    const state = await ledger.cosignatures.read(COSIGNATURES)
    // Nobody waits for them: one that is slow holds up neither the others nor the next head.
    void Promise.all(desks.map((desk) => desk.look(ledger, state, held))).then(() => first.resolve())
    void stamps?.look(ledger, state, held)
  }
  const published = runTimedJob({ name: 'publish-heads', everyMs: LOOK_EVERY_MS, round }, parts, signal)
  const waited = Promise.race([first.promise, pause(FIRST_WORD_MS, undefined, { signal, ref: false }).catch(() => {})])
  return {
    async maySeal(ledger) {
      if (desks.length === 0) return true
      await waited
      return (await refusingWitnesses(ledger, witnesses)).length === 0
    },
    async report() {
      const { ledger } = doors.open({ actor: 'heads', correlationId: 'heads' })
      return headsReport(await ledger.cosignatures.read(COSIGNATURES), desks, stamps, world.now())
    },
    ended: published.then(() => outbound.close()),
  }
}

/** The operator has named these addresses: they may be private, and without TLS. */
const ownWayOut = ({ witnesses, stampUrl }: HeadSettings) => {
  const urls = [...witnesses.map(({ url }) => url), ...(stampUrl === undefined ? [] : [stampUrl])]
  const allow = new Set(urls.map((url) => hostAndPort(new URL(url))))
  return createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
}

/**
 * The proof between two heads; undefined while the rows have not come to the newer one, or do not fit it: a witness
 * would take a proof from wrong rows for another history. Where we have no head of the witness' size, nothing can be
 * compared, and the witness judges.
 */
const proofBetween = async (
  queries: HeadParts['queries'],
  from: number,
  size: number,
): Promise<readonly Hash[] | undefined> => {
  const [older, newer] = await Promise.all([queries.sealOf(from), queries.sealOf(size)])
  if (!newer) return undefined
  const path = await consistencyPath(rowSource(queries), from, size)
  const fits =
    !older || isConsistent({ size: from, root: hashOf(older.root) }, { size, root: hashOf(newer.root) }, path)
  return fits ? path : undefined
}

const hashOf = (root: string): Hash => fromBase64(root) ?? ''
