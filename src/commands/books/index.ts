import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import {
  assetArgument,
  holderArgument,
  journalAccountArgument,
  positionArgument,
  viewArgument,
} from '../../console/arguments.ts'
import { BY, ZONE } from '../../console/book-options.ts'
import { inZone, typedAsOfArgument, typedTimeArgument } from '../../console/zoned-times.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

const FLAGS: Readonly<Record<string, string>> = { view: '--view', by: '--by', asOf: '--as-of', account: '--account' }

/** `daybook books …` and `daybook diff`: what the journal says of a moment, and what happened between two. */
export const declareBooks = (program: Command, shell: Shell): void => {
  const { onBooks, out } = shell
  const books = program
    .command('books')
    .description('the trial balance: what every account has')
    .option('--as-of <time|position>', 'as it was then', typedAsOfArgument)
    .option('--account <acc_…|usr_…|app_…>', 'only what is of this seller, user or app', holderArgument)
    .option('--view <platform|seller:acc_…|user:usr_…|app:app_…>', 'the books of one of them', viewArgument)
    .addOption(BY)
    .option('--from <time>', 'with --view: a period from this time on, with what was there before', typedTimeArgument)
    .option('--to <time>', 'with --view: a period up to and with this time', typedTimeArgument)
    .addOption(ZONE)
    .action((options) => onBooks(async (books) => (await import('./of-one.ts')).showBooks(books, out, inZone(options))))

  declareStatement(books, shell)

  program
    .command('diff')
    .description('what happened between two positions of the log')
    .argument('<position>', 'after this one', positionArgument)
    .argument('<position>', 'up to this one', positionArgument)
    .option('--account <acc_…|usr_…|app_…>', 'only what is of this seller, user or app', holderArgument)
    .action((from: bigint, to: bigint, options) =>
      onBooks(async (books) => (await import('./diff.ts')).diff(books, out, { from, to, ...options })),
    )
}

const declareStatement = (books: Command, { onBooks, out }: Shell): void => {
  books
    .command('statement')
    .description('the lines of one account, with what it had before and after')
    .argument('<account>', 'as the trial balance lists it, such as seller:acc_…:credit', journalAccountArgument)
    .option('--asset <code>', 'only of this asset', assetArgument)
    .option('--from <time>', 'from this time on (2026-11-20, 2026-11-20T14:30Z)', typedTimeArgument)
    .option('--to <time>', 'up to this time', typedTimeArgument)
    .addOption(ZONE)
    .action((account: string, _own, command: Command) => {
      // Options that `books` has too come to it, wherever they stand.
      const { asset, clock, from, to, ...others } = inZone(command.optsWithGlobals())
      const stray = ['view', 'by', 'asOf', 'account'].find((name) => others[name] !== undefined)
      if (stray) throw new BadSetting(`a statement is of the common journal: leave ${FLAGS[stray] ?? stray} out`)
      return onBooks(async (books) =>
        (await import('./balances.ts')).statement(books, out, {
          account,
          asset,
          clock,
          ...(from && { from }),
          ...(to && { to }),
        }),
      )
    })
}
