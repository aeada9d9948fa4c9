import type { Command } from 'commander'
import type { JournalFormatName } from '../../../adapters/journal-export/open.ts'
import type { Shell } from '../../books/shell.ts'
import { accountArgument, holderArgument, viewArgument } from '../../console/arguments.ts'
import { BY, ZONE } from '../../console/book-options.ts'
import { inZone, typedTimeArgument } from '../../console/zoned-times.ts'

/** `daybook export …`: the journal for accountants, and the merchants' transactions. */

const JOURNAL: Readonly<Record<JournalFormatName, string>> = {
  csv: 'the journal as CSV, a posting a line',
  hledger: 'the journal for hledger and ledger-cli',
  beancount: 'the journal for beancount',
  jsonl: 'the journal as JSON Lines, an entry with its postings a line',
}

const OUT = ['--out <file>', 'write to a file, which is there whole or not at all'] as const
const HEAD = ['--head <file>', 'write what ties it to the log there; beside --out unless given'] as const

export const declareExports = (program: Command, { onBooks, out, settings }: Shell): void => {
  const exports = program.command('export').description('write the books out')

  for (const [format, description] of Object.entries(JOURNAL) as [JournalFormatName, string][])
    exports
      .command(format)
      .description(description)
      .option(
        '--account <acc_…|usr_…|app_…>',
        'every event on an account of this holder, with all its postings',
        holderArgument,
      )
      .option(
        '--view <platform|seller:acc_…|user:usr_…|app:app_…>',
        'the books of one of them, in place of the common journal',
        viewArgument,
      )
      .addOption(BY)
      .option('--from <time>', 'from this instant on, after one entry with the balances before it', typedTimeArgument)
      .option('--to <time>', 'up to and with this instant', typedTimeArgument)
      .addOption(ZONE)
      .option(...OUT)
      .option(...HEAD)
      .addHelpText(
        'after',
        '\nTimes are ISO 8601, of --zone unless they say otherwise; a day alone is its first instant.',
      )
      .action((options) =>
        onBooks(async (books) => (await import('./exports.ts')).exportJournal(books, out, format, inZone(options))),
      )

  exports
    .command('transactions')
    .description("the merchants' transactions as CSV, oldest first")
    .option('--account <acc_…>', 'of one account only', accountArgument)
    .option('--test', 'those of tests, in place of the live ones')
    .option(...OUT)
    .option(...HEAD)
    .action(async (options) => {
      const { openDataDir } = await import('../../settings/data-dir.ts')
      const masterKey = () => openDataDir(settings()).masterKeys()
      await onBooks(async (books) =>
        (await import('./exports.ts')).exportTransactions(books, out, { ...options, masterKey }),
      )
    })
}
