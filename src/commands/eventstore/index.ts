import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { loginArgument } from '../../console/arguments.ts'

/** `daybook eventstore …`: an EventStoreDB from nothing to serving. */
export const declareEventStore = (program: Command, { out, settings, judge }: Shell): void => {
  const eventstore = program.command('eventstore').description('make an EventStoreDB ready, and look whether it is')

  eventstore
    .command('prepare')
    .description("make Daybook's user on a server with TLS and give it its rights; may be run again")
    .requiredOption('--admin <url>', 'esdb://admin:…@host:2113 of an admin of the server; the password URL-encoded')
    .option('--user <name>', 'the user to make', loginArgument, 'daybook')
    .option('--new-password', 'give the user a new password if it is there already')
    .action(async (options) => (await import('./prepare.ts')).prepareEventStore(out, options))

  eventstore
    .command('check')
    .description('say what the server of EVENTSTORE_URL lacks, and whether its log is ours alone')
    .action(async () => {
      const { eventStoreUrl } = settings()
      await judge((await import('./check.ts')).checkEventStore(out, eventStoreUrl))
    })
}
