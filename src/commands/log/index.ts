import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { asOfArgument, limitArgument, numberArgument, positionArgument } from '../../console/arguments.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/** `daybook replay`. */
export const declareReplay = (program: Command, { onBooks, out }: Shell): void => {
  program
    .command('replay')
    .description('rebuild every read model from the first event and put it in place')
    .addOption(new Option('--verify', 'change nothing; compare what serves with a replay').conflicts('asOf'))
    .option('--as-of <time|position>', 'show the books as they were, from the nearest snapshot on', asOfArgument)
    .option('--whole', 'with --as-of: from the first event, with the rows of every read model')
    .action(async ({ verify, asOf, whole }) => {
      if (whole && !asOf) throw new BadSetting('--whole is for --as-of')
      if (verify) await onBooks(async (books) => (await import('../../books/verify-read-models.ts')).verify(books, out))
      else if (asOf && whole)
        await onBooks(async (books) => (await import('../books/as-of-whole.ts')).asOfWhole(books, out, asOf))
      else if (asOf) await onBooks(async (books) => (await import('../books/as-of.ts')).asOf(books, out, asOf))
      else await onBooks(async (books) => (await import('./replay.ts')).replay(books, out))
    })
}

/** `daybook events …`. */
export const declareEvents = (program: Command, shell: Shell): void => {
  const { onBooks, out } = shell
  const events = program.command('events').description('look at the log')
  declareQuarantine(events, shell)
  declareCorrelated(events, shell)

  events
    .command('tail')
    .description('events in the order of the log, newest last')
    .option('--from <position>', 'from this position on; without it the newest ones', positionArgument)
    .option('--limit <n>', 'at most so many (20 without --from)', limitArgument)
    .option('--follow', 'go on with those that come, until Ctrl-C')
    .option('--type <type>', 'only of this type')
    .option('--stream <prefix>', 'only of streams that start so')
    .action(async (options) => {
      const { tailEvents } = await import('./events.ts')
      await onBooks((books, interrupted) => tailEvents(books, out, { ...options, interrupted }), options.follow)
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
          ? (await import('./events.ts')).showEvents(books, out, which ?? '')
          : (await import('./life.ts')).showLife(books, out, transaction),
      )
    })
}

/** `daybook events of`. */
const declareCorrelated = (events: Command, { onBooks, out }: Shell): void => {
  events
    .command('of')
    .description('what one request wrote and all that followed from it, by its correlation id')
    .argument('<id>', 'requestId or correlationId of a line of the service log, or X-Request-Id of an answer')
    .action(async (id: string) => {
      const { showCorrelated } = await import('./life.ts')
      await onBooks(async (books) => showCorrelated(books, out, id))
    })
}

/** `daybook events quarantine`. */
const declareQuarantine = (events: Command, { onBooks, out }: Shell): void => {
  events
    .command('quarantine')
    .description('set aside an event that cannot be read: it stays in the log, and everybody passes over it')
    .argument('<id>', 'the id of the event, as /readyz, the service log and daybook audit verify name it')
    .requiredOption('--reason <text>', 'why, for whoever reads the log later')
    .action(async (id: string, options) => {
      const { quarantineEvent } = await import('./quarantine.ts')
      await onBooks(async (books) => quarantineEvent(books, out, { id, ...options }))
    })
}

/** `daybook migrate`. */
export const declareMigrate = (program: Command, { onBooks, out, settings }: Shell): void => {
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
      await onBooks(async (books) => (await import('./migrate.ts')).migrate(books, out, config, options))
    })
}
