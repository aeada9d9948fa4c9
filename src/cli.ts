#!/usr/bin/env node
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Command, CommanderError, Option } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { Books } from './books/books.ts'
import { declareApps } from './commands/apps/index.ts'
import { declareAudit } from './commands/audit/index.ts'
import { declareBooks } from './commands/books/index.ts'
import { declareDeliveries } from './commands/deliveries/index.ts'
import { declareEventStore } from './commands/eventstore/index.ts'
import { declareExports } from './commands/exports/index.ts'
import { declareMirror } from './commands/mirror/index.ts'
import { declareNotifications } from './commands/notifications/index.ts'
import { declarePayments } from './commands/payments/index.ts'
import { declareUsers } from './commands/users/index.ts'
import { declareWallets } from './commands/wallets/index.ts'
import { declareWitness } from './commands/witness/declare.ts'
import {
  amountArgument,
  asOfArgument,
  limitArgument,
  numberArgument,
  positionArgument,
  subjectArgument,
} from './console/arguments.ts'
import { CommandFailure, exitCodeOf, messageOf } from './console/failures.ts'
import { createOutput } from './console/output.ts'
import { type Config, readConfig } from './settings/config.ts'
import { BadSetting } from './settings/setting-kinds.ts'

/**
 * The command line. Exit codes: 0 fine, 1 found something wrong or failed, 2 misused. Each command is loaded when it is
 * called.
 */

const CLOSE_LIMIT_MS = 30_000

const out = createOutput(process.argv.includes('--json'))
let config: Config | undefined
/** Set once a signal has come: how the process ends is then decided there. */
let interrupted: Promise<never> | undefined

const settings = (): Config => {
  config = readConfig()
  return config
}

/**
 * Runs a command on the log and the read models, and closes them whatever happens. An answer of false is exit code 1.
 */
const onBooks = async (act: (books: Books) => Promise<unknown>, ownSignals = false): Promise<void> => {
  const read = settings()
  const { openBooks } = await import('./books/books.ts')
  const books = openBooks(read, out.remark)
  if (!ownSignals) closeOnSignal(books)
  try {
    if ((await act(books)) === false) process.exitCode = 1
  } finally {
    if (books.wrote()) await (await import('./commands/audit/seal.ts')).sealWritten(books, read, out.remark)
    await (interrupted ?? books.close())
  }
}

const closeOnSignal = (books: Books) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      interrupted ??= Promise.race([books.close().catch(() => {}), pause(CLOSE_LIMIT_MS)]).then(() =>
        process.exit(128 + constants.signals[signal]),
      )
    })
}

/** The stable name of a failure that has one. */
const codeOf = (error: unknown) => (error instanceof CommandFailure && 'code' in error ? { code: error.code } : {})

const program = new Command('daybook')
  .description('An event-sourced payments ledger.')
  .version(packageJson.version)
  .option('--json', 'write JSON on stdout and nothing else')
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({ outputError: () => {}, writeErr: (text) => out.remark(text.trimEnd()) })
  .exitOverride()

const shell = { out, settings, onBooks }

program
  .command('serve')
  .description('run the service')
  .action(async () => {
    const read = settings()
    const { serveCommand } = await import('./commands/service/serve.ts')
    await serveCommand(read, out)
  })

program
  .command('doctor')
  .description('show whether log, database, data keys, master key, mirror and witness fit together')
  .action(() => onBooks(async (books) => (await import('./commands/parts/doctor.ts')).doctor(books, settings(), out)))

program
  .command('log')
  .description('the log itself')
  .command('accept-older')
  .description('go on with a log that was put back from a backup, without what came after it')
  .requiredOption('--reason <text>', 'why, for whoever reads the log later')
  .action(async (options) => {
    const { acceptOlder } = await import('./commands/parts/accept.ts')
    await onBooks(async (books) => acceptOlder(books, settings(), out, options))
  })

program
  .command('data-keys')
  .description('the keys of what is sealed')
  .command('accept-lost')
  .description('give up data keys that are gone: what was sealed under them reads (lost)')
  .requiredOption('--reason <text>', 'why, for whoever reads the log later')
  .action(async (options) => {
    const { acceptLost } = await import('./commands/parts/accept.ts')
    await onBooks(async (books) => acceptLost(books, settings(), out, options))
  })

program
  .command('replay')
  .description('rebuild every read model from the first event and put it in place')
  .addOption(new Option('--verify', 'change nothing; compare what serves with a replay').conflicts('asOf'))
  .option('--as-of <time|position>', 'show the books as they were, from the nearest snapshot on', asOfArgument)
  .option('--whole', 'with --as-of: from the first event, with the rows of every read model')
  .action(async ({ verify, asOf, whole }) => {
    if (whole && !asOf) throw new BadSetting('--whole is for --as-of')
    if (verify) await onBooks(async (books) => (await import('./books/verify-read-models.ts')).verify(books, out))
    else if (asOf && whole)
      await onBooks(async (books) => (await import('./commands/books/as-of-whole.ts')).asOfWhole(books, out, asOf))
    else if (asOf) await onBooks(async (books) => (await import('./commands/books/as-of.ts')).asOf(books, out, asOf))
    else await onBooks(async (books) => (await import('./commands/log/replay.ts')).replay(books, out))
  })

declareExports(program, shell)

const events = program.command('events').description('look at the log')

events
  .command('tail')
  .description('events in the order of the log, newest last')
  .option('--from <position>', 'from this position on; without it the newest ones', positionArgument)
  .option('--limit <n>', 'at most so many (20 without --from)', limitArgument)
  .option('--follow', 'go on with those that come, until Ctrl-C')
  .option('--type <type>', 'only of this type')
  .option('--stream <prefix>', 'only of streams that start so')
  .action(async (options) => {
    const tail = async (books: Books) => (await import('./commands/log/events.ts')).tailEvents(books, out, options)
    await onBooks(tail, options.follow)
  })

events
  .command('show')
  .description('one event by its id or position, all events of a stream, or the whole life of a transaction')
  .argument('[stream|id|position]')
  .option('--transaction <number>', 'from its challenge to its letters, with what brought each about', numberArgument)
  .action(async (which: string | undefined, { transaction }) => {
    if ((which === undefined) === (transaction === undefined))
      throw new BadSetting('missing required argument: a stream, an event id or a position, or --transaction')
    await onBooks(async (books) =>
      transaction === undefined
        ? (await import('./commands/log/events.ts')).showEvents(books, out, which ?? '')
        : (await import('./commands/log/life.ts')).showLife(books, out, transaction),
    )
  })

program
  .command('migrate')
  .description('move the log to another event store, and the database with it')
  .requiredOption(
    '--to <url>',
    'esdb://…, esdb+discover://…, unix:… or file:…; empty, or the beginning of this very log',
  )
  .option('--verify', 'write nothing; compare the two logs event by event')
  .action(async (options) => {
    const config = settings()
    await onBooks(async (books) => (await import('./commands/log/migrate.ts')).migrate(books, out, config, options))
  })

program
  .command('erase')
  .description('destroy the data key of an account or a user: what is personal cannot be read any more')
  .argument('<acc_…|usr_…>', 'the account or the user', subjectArgument)
  .option('--yes', 'it cannot be undone')
  .action(async (who: string, { yes }) => {
    const { openDataDir } = await import('./settings/data-dir.ts')
    const masterKey = () => openDataDir(settings()).masterKey()
    await onBooks(async (books) =>
      (await import('./commands/users/erase.ts')).erase(books, out, { who, masterKey, yes }),
    )
  })

program
  .command('keys')
  .description('keys that sign ID tokens')
  .command('rotate')
  .description('publish the next key; it signs from a day later on')
  .action(async () => {
    const { openDataDir } = await import('./settings/data-dir.ts')
    const masterKey = () => openDataDir(settings()).masterKey()
    await onBooks(async (books) => (await import('./commands/users/keys.ts')).rotateKeys(books, out, masterKey))
  })

program
  .command('sandbox')
  .description('try things out')
  .command('pay')
  .description('pay on a sandbox chain of the running service, from a test account')
  .option('--to <0x…>', 'who is paid')
  .option('--amount <coins>', 'how much, such as 0.04', amountArgument)
  .addOption(new Option('--asset <code>', 'of what').choices(['eth', 'usdc_base']).default('eth'))
  .addOption(new Option('--sign <url>', 'buy this by a signature instead').conflicts(['to', 'amount', 'asset']))
  .addOption(
    new Option('--session <url>', 'complete this checkout session, by a signature too').conflicts([
      'to',
      'amount',
      'asset',
      'sign',
    ]),
  )
  .action(async (options) => {
    await onBooks(async (books) => (await import('./commands/service/sandbox-pay.ts')).sandboxPay(books, out, options))
  })

declareBooks(program, shell)
declareEventStore(program, shell)
declareApps(program, shell)
declareUsers(program, shell)
declareWallets(program, shell)
declarePayments(program, shell)
declareNotifications(program, shell)
declareDeliveries(program, shell)
declareAudit(program, shell)
declareMirror(program, shell)
declareWitness(program, shell)

try {
  await program.parseAsync()
} catch (error) {
  if (interrupted) await interrupted
  process.exitCode = exitCodeOf(error)
  const message = messageOf(error)
  if (message !== undefined && out.json) await out.tell({ error: message, ...codeOf(error) }, '').catch(() => {})
  else if (message !== undefined) out.remark(message)
  const expected = error instanceof CommanderError || error instanceof BadSetting
  if (!expected && config?.logLevel === 'debug') out.remark(String((error as Error).stack))
}
process.exit()
