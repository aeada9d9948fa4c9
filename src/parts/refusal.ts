import { setTimeout as pause } from 'node:timers/promises'
import { CommandFailure } from '../console/failures.ts'
import { columns } from '../console/output.ts'
import type { PartsReport } from './check.ts'
import { events, type InstallationPart, type Misfit } from './part.ts'

/**
 * The parts of the installation do not fit together, so nothing is started. The message is the table, and the ways out.
 */
export class PartsUnfit extends CommandFailure {
  override readonly name = 'PartsUnfit'
  override readonly lines = true
  readonly code = 'parts_unfit'
  readonly report: PartsReport
  constructor(report: PartsReport) {
    super(`the parts of this installation do not fit together\n\n${tableOf(report)}\n\n${waysOut(report)}`)
    this.report = report
  }
}

/** How long a server may take to show what another process has just seen there, and how often it is asked. */
const LATE_MS = 2_000
const LOOK_AGAIN_MS = 200

/**
 * Throws PartsUnfit. A log of a server that ends too early is looked at again for two seconds, because a database that
 * another process writes may know an event before every node of the server does.
 */
export const mustFit = async (check: () => Promise<PartsReport>, onServer = false): Promise<void> => {
  for (const until = performance.now() + (onServer ? LATE_MS : 0); ; await pause(LOOK_AGAIN_MS)) {
    const report = await check()
    if (report.fits) return
    const mayBeLate = report.parts.every(({ misfit }) => misfit === null || misfit === 'log-older')
    if (!mayBeLate || performance.now() >= until) throw new PartsUnfit(report)
  }
}

/** The parts as a table for people. */
export const tableOf = ({ parts }: PartsReport): string =>
  columns([
    ['part', 'whose', 'as far as', 'fits'],
    ...parts.map(({ part, whose, reach, fits, says }) => [part, whose ?? '–', reach, verdict(fits, says)]),
  ])

/** The same as JSON, as `doctor --json` and `/readyz` have it. */
export const jsonOf = ({ fits, parts }: PartsReport) => ({
  status: fits ? 'ok' : 'unfit',
  parts: parts.map(({ misfit, position, ...part }) => ({
    ...part,
    position: position === null ? null : String(position),
    misfit,
  })),
})

/** What is wrong, and what can be done about it; empty when the parts fit. */
export const waysOut = (report: PartsReport): string =>
  KINDS.filter((kind) => report.parts.some(({ misfit }) => misfit === kind))
    .map((kind) => WAYS_OUT[kind](report))
    .join('\n\n')

const verdict = (fits: InstallationPart['fits'], says: string): string =>
  fits === null ? says || '–' : [fits ? 'yes' : 'no', says].filter((text) => text !== '').join(': ')

/** The parts with a misfit, and their verb: `the database and the mirror have`. */
const whoHave = ({ parts }: PartsReport, kind: Misfit): string => {
  const names = parts.flatMap(({ part, misfit }) => (misfit === kind ? [`the ${part}`] : []))
  const last = names.pop() ?? ''
  return names.length === 0 ? `${last} has` : `${names.join(', ')} and ${last} have`
}

const WAYS_OUT: Readonly<Record<Misfit, (report: PartsReport) => string>> = {
  'another-log': (report) =>
    `The log is not the one that ${whoHave(report, 'another-log')} followed. Set EVENTSTORE_URL or DATA_DIR to that log, ` +
    'or move the database to a copy of it with daybook migrate.',
  'log-gone': (report) =>
    lines(
      `The log is empty, and ${whoHave(report, 'log-gone')} seen events of it. Set EVENTSTORE_URL or DATA_DIR to the log ` +
        'that was followed, or put the log back from its newest backup.',
      ...refillWay(report),
    ),
  'log-older': (report) =>
    lines(
      `The log ends before what ${whoHave(report, 'log-older')} seen: it was probably put back from a backup. ` +
        'Put the newer log back, or:',
      ...refillWay(report),
    ),
  'log-parted': (report) =>
    lines(
      `The log goes on otherwise than ${whoHave(report, 'log-parted')} seen: it was put back from a backup, and written ` +
        'to since. Put the log back that was followed, or:',
      ACCEPT_OLDER,
    ),
  'keys-missing': () =>
    lines(
      'The data keys are older than the log, or gone: they were probably put back from a backup, or the database is new. ' +
        'Put the newest backup of the schema daybook_vault back, or:',
      `  ${way('daybook data-keys accept-lost --reason "…"', 'goes on without them; what was sealed under them reads (lost)')}`,
    ),
  'master-key': () => 'Set MASTER_KEY, or DATA_DIR/master.key, to the key that this database was set up with.',
  'witness-unreadable': () => 'Put the file heads.jsonl back from a backup, or move it aside to be written anew.',
}

/** What can be done about a log that has lost its end; the mirror puts it back where it has it. */
const refillWay = ({ parts }: PartsReport): readonly string[] => {
  const mirror = parts.find(({ part }) => part === 'mirror')
  const accept = parts.some(({ misfit }) => misfit === 'log-older') ? [ACCEPT_OLDER] : []
  if (mirror?.position == null) return [...accept, 'There is no mirror of the log to refill it from.']
  if (mirror.beyond === null) return [...accept, 'The mirror cannot refill it: it has no more than the log has.']
  const does = `appends the ${events(mirror.beyond)} from the mirror, byte for byte`
  return [`  ${way('daybook mirror refill', does)}`, ...accept]
}

const WAY_WIDTH = 46

const way = (command: string, does: string): string => `${command.padEnd(WAY_WIDTH)} ${does}`

const ACCEPT_OLDER = `  ${way(
  'daybook log accept-older --reason "…"',
  'goes on without them; read models are built anew, nobody is told twice',
)}`

const lines = (...texts: readonly string[]): string => texts.join('\n')

const KINDS = Object.keys(WAYS_OUT) as readonly Misfit[]
