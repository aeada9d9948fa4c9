import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'

/** `daybook settings …`: what all processes on one log have alike. */
export const declareSettings = (program: Command, { onBooks, out }: Shell): void => {
  const settings = program.command('settings').description('what all processes on one log have alike')

  settings
    .command('shared')
    .description('the origins and the chains that were noted for this log')
    .action(async () => {
      const { showShared } = await import('./shared.ts')
      await onBooks(async (books) => showShared(books, out))
    })

  settings
    .command('accept')
    .description('let the next start note its own origins and chains, while no service runs')
    .action(async () => {
      const { acceptSettings } = await import('./shared.ts')
      await onBooks(async (books) => acceptSettings(books, out))
    })
}
