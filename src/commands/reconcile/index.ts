import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { sellerArgument, timeArgument } from '../../console/arguments.ts'

/** `daybook reconcile`: whether lists, journal and chains say the same of each transfer. */
export const declareReconcile = (program: Command, { onBooks, out, settings }: Shell): void => {
  program
    .command('reconcile')
    .description('transactions, journal and chains held against each other, transfer by transfer')
    .option('--account <seller:acc_…|acc_…|platform>', 'only of this account', sellerArgument)
    .option('--from <time>', 'from this time on (2026-11-20, 2026-11-20T14:30Z)', timeArgument)
    .option('--to <time>', 'up to and with this time', timeArgument)
    .addOption(
      new Option('--by <time>', 'the time that counts: when it was recorded, or when its coins were mined').choices([
        'settled',
        'mined',
      ]),
    )
    .option('--no-chain', 'ask no chain: transactions against the journal alone')
    .option('--differences', 'list only what differs, or could not be asked')
    .addHelpText('after', '\nExit code 0: all agree. 1: something differs, or a chain does not answer. 2: misuse.')
    .action((options) =>
      onBooks(async (books) => (await import('./reconcile.ts')).reconcile(books, out, settings(), options)),
    )
}
