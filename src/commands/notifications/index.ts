import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { appArgument, eventIdArgument, limitArgument, timeArgument } from '../../console/arguments.ts'

/**
 * `daybook notifications …`: what was sent to the back-channel endpoints of apps, and having it sent again (A-RCP-06).
 */
export const declareNotifications = (program: Command, { onBooks, out, settings }: Shell): void => {
  const notifications = program
    .command('notifications')
    .description('receipts and logout notifications: the delivery log and replay')
  const status = () =>
    new Option('--status <status>', 'only of this outcome').choices(['pending', 'accepted', 'failed'])

  notifications
    .command('list')
    .description('what was sent to an app, newest first')
    .requiredOption('--client <app_…>', 'the app', appArgument)
    .addOption(status())
    .option('--from <time>', 'scheduled from this time on (2026-11-20, 2026-11-20T14:30Z)', timeArgument)
    .option('--limit <n>', 'at most so many (20 unless given)', limitArgument)
    .action((options) =>
      onBooks(async (books) => (await import('./notifications.ts')).listNotifications(books, out, options)),
    )

  notifications
    .command('show')
    .description('one of them, with every attempt')
    .argument('<event_id>', 'the event_id of the receipt', eventIdArgument)
    .action((id: string) =>
      onBooks(async (books) => (await import('./notifications.ts')).showNotification(books, out, id)),
    )

  notifications
    .command('replay')
    .description('send again what was accepted or given up; without --yes it is only told what would be sent')
    .argument('[event_id]', 'one of them', eventIdArgument)
    .option('--client <app_…>', 'all of an app', appArgument)
    .addOption(status())
    .option('--from <time>', 'scheduled from this time on', timeArgument)
    .option('--yes', 'do it')
    .action((id: string | undefined, options) =>
      onBooks(async (books) =>
        (await import('./notifications.ts')).replayNotifications(books, settings(), out, { id, ...options }),
      ),
    )
}
