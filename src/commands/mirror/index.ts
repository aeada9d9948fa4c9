import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'

/** `daybook mirror …`: the local mirror of the log of EventStoreDB, from which rebuilds and audits read. */
export const declareMirror = (program: Command, { onBooks, out, settings }: Shell): void => {
  const mirror = program.command('mirror').description('the local mirror of the log of EventStoreDB')

  mirror
    .command('status')
    .description('how far it goes, and whether it is of this log')
    .action(() => onBooks(async (books) => (await import('./state.ts')).mirrorStatus(books, settings(), out)))

  mirror
    .command('verify')
    .description('read it all and compare every segment with its seal')
    .option('--log', 'and compare every event with the log itself, over the network')
    .action((options) =>
      onBooks(async (books) => (await import('./state.ts')).verifyMirror(books, settings(), out, options)),
    )

  mirror
    .command('refill')
    .description('put the lost end of a log back from it, byte for byte, and take the database along')
    .action(() => onBooks(async (books) => (await import('./refill.ts')).refillLog(books, settings(), out)))

  mirror
    .command('rebuild')
    .description('set it aside as it is and write it anew from the log')
    .action(() => onBooks(async (books) => (await import('./rebuild.ts')).rebuildMirror(books, settings(), out)))
}
