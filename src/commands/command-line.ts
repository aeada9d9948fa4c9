import type { EventEmitter } from 'node:events'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import { inTime } from '../../adapters/timing/time-limit.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Books } from '../books/books.ts'
import type { Shell } from '../books/shell.ts'
import { CommandFailure, exitCodeOf, messageOf } from '../console/failures.ts'
import { createOutput, type Output } from '../console/output.ts'
import { type Config, gatherGiven, readConfig } from '../settings/config.ts'
import { BadSetting } from '../settings/setting-kinds.ts'
import { declareAccounts } from './accounts/index.ts'
import { declareApps } from './apps/index.ts'
import { declareAudit } from './audit/index.ts'
import { declareBackup } from './backup/index.ts'
import { declareBooks } from './books/index.ts'
import { declareConfig } from './config/index.ts'
import { declareDeliveries } from './deliveries/index.ts'
import { declareEventStore } from './eventstore/index.ts'
import { declareExports } from './exports/index.ts'
import { declareEvents, declareMigrate, declareReplay } from './log/index.ts'
import { declareMirror } from './mirror/index.ts'
import { declareNotifications } from './notifications/index.ts'
import { declareParts } from './parts/index.ts'
import { declarePayments } from './payments/index.ts'
import { declareReconcile } from './reconcile/index.ts'
import { declareSandbox, declareService } from './service/index.ts'
import { declareSettings } from './settings/index.ts'
import { declareErasure, declareUsers } from './users/index.ts'
import { declareWallets } from './wallets/index.ts'
import { declareWitness } from './witness/declare.ts'

/** The surroundings that a command is called in: those of the process, or of a test. */
export type CommandCall = {
  /** The words after the program's name. */
  readonly args: readonly string[]
  /** The environment; that of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdout: Writable
  readonly stderr: Writable
  /** Emits SIGINT and SIGTERM. */
  readonly signals: Pick<EventEmitter, 'on' | 'once'>
}

const CLOSE_LIMIT_MS = 30_000

/**
 * Runs one command and answers its exit code: 0 fine, 1 found something wrong or failed, 2 misused, 128 and the number
 * of the signal that ended it. Each command is loaded when it is called.
 */
export const runCommandLine = async (call: CommandCall): Promise<number> => {
  const out = createOutput(call.args.includes('--json'), call)
  const { shell, run } = createShell(call, out)
  return run(() => programOf(shell, call.stdout).parseAsync(call.args, { from: 'user' }))
}

/** The shell of one command, and what runs the command in it. */
const createShell = (call: CommandCall, out: Output) => {
  let exitCode = 0
  let config: Config | undefined
  /** Set once a signal has come: the exit code that the command ends with. */
  let interrupted: Promise<number> | undefined
  const stopped = Promise.withResolvers<number>()

  const settings = (): Config => {
    config = readConfig(call.env)
    return config
  }
  const closeOnSignal = (books: Books) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      call.signals.on(signal, () => {
        const closed = inTime(books.close(), undefined, CLOSE_LIMIT_MS)
        interrupted ??= closed.then(() => 128 + constants.signals[signal])
        void interrupted.then(stopped.resolve)
      })
  }
  const abortOnSignal = (): AbortSignal => {
    const ending = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) call.signals.once(signal, () => ending.abort())
    return ending.signal
  }
  const onBooks: Shell['onBooks'] = async (act, ownSignals = false) => {
    const read = settings()
    const { openBooks } = await import('../books/books.ts')
    const books = openBooks(read, out.remark)
    const signal = ownSignals ? abortOnSignal() : NEVER
    if (!ownSignals) closeOnSignal(books)
    try {
      if ((await act(books, signal)) === false) exitCode = 1
    } finally {
      if (books.wrote()) await (await import('./audit/seal.ts')).sealWritten(books, read, out.remark)
      await (interrupted ?? books.close())
    }
  }
  const shell: Shell = {
    out,
    settings,
    given: () => gatherGiven(call.env),
    onBooks,
    async judge(found) {
      if (!(await found)) exitCode = 1
    },
  }
  return {
    shell,
    /** Runs the command to its end, or until a signal has closed its books. */
    run: (command: () => Promise<unknown>): Promise<number> => {
      const done = command().then(
        () => interrupted ?? exitCode,
        async (error: unknown) => {
          if (interrupted) return interrupted
          await tellFailure(out, error, config)
          return exitCodeOf(error)
        },
      )
      return Promise.race([done, stopped.promise])
    },
  }
}

const NEVER = new AbortController().signal

const tellFailure = async (out: Output, error: unknown, config: Config | undefined): Promise<void> => {
  const message = messageOf(error)
  if (message !== undefined && out.json) await out.tell({ error: message, ...codeOf(error) }, '').catch(() => {})
  else if (message !== undefined) out.remark(message)
  const expected = error instanceof CommanderError || error instanceof BadSetting
  if (!expected && config?.logLevel === 'debug') out.remark(String((error as Error).stack))
}

/** The stable name of a failure that has one. */
const codeOf = (error: unknown) => (error instanceof CommandFailure && 'code' in error ? { code: error.code } : {})

const programOf = (shell: Shell, stdout: Writable): Command => {
  const program = new Command('daybook')
    .description('An event-sourced payments ledger.')
    .version(packageJson.version)
    .option('--json', 'write JSON on stdout and nothing else')
    // Who names two accounts where one is taken would think that both were meant.
    .allowExcessArguments(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => shell.out.remark(text.trimEnd()),
    })
    .exitOverride()
  for (const declare of GROUPS) declare(program, shell)
  return program
}

/** The commands, in the order of the help. */
const GROUPS: readonly ((program: Command, shell: Shell) => void)[] = [
  declareService,
  declareParts,
  declareBackup,
  declareConfig,
  declareSettings,
  declareReplay,
  declareExports,
  declareEvents,
  declareMigrate,
  declareErasure,
  declareSandbox,
  declareBooks,
  declareReconcile,
  declareEventStore,
  declareAccounts,
  declareApps,
  declareUsers,
  declareWallets,
  declarePayments,
  declareNotifications,
  declareDeliveries,
  declareAudit,
  declareMirror,
  declareWitness,
]
