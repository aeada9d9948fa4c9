import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'

/**
 * `daybook log …` and `daybook data-keys …`: the ways out where the parts of an installation do not fit together; and
 * `daybook master-key …`.
 */
export const declareParts = (program: Command, { onBooks, out, settings }: Shell): void => {
  program
    .command('log')
    .description('the log itself')
    .command('accept-older')
    .description('go on with a log that was put back from a backup, without what came after it')
    .requiredOption('--reason <text>', 'why, for whoever reads the log later')
    .action(async (options) => {
      const { acceptOlder } = await import('./accept.ts')
      await onBooks(async (books) => acceptOlder(books, settings(), out, options))
    })

  program
    .command('data-keys')
    .description('the keys of what is sealed')
    .command('accept-lost')
    .description('give up data keys that are gone: what was sealed under them reads (lost)')
    .requiredOption('--reason <text>', 'why, for whoever reads the log later')
    .action(async (options) => {
      const { acceptLost } = await import('./accept.ts')
      await onBooks(async (books) => acceptLost(books, settings(), out, options))
    })

  program
    .command('master-key')
    .description('the key that the data keys are under')
    .command('rotate')
    .description('wrap all data keys under a new master key, also while the service serves')
    .action(async () => {
      const { rotateMasterKey } = await import('./master-key.ts')
      await onBooks(async (books) => rotateMasterKey(books, settings(), out))
    })
}
