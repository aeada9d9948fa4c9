import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { challengeArgument, limitArgument, transferArgument } from '../../console/arguments.ts'

/** `daybook payments …`: money of which only the operator can say what it pays. */
export const declarePayments = (program: Command, { onBooks, out }: Shell): void => {
  const payments = program.command('payments').description('money that came to the platform and sold nothing')

  payments
    .command('odd')
    .description('payments to the platform, and to addresses that accounts contest, which nobody could tell apart')
    .option('--limit <n>', 'at most so many (100 unless given)', limitArgument)
    .action((options) => onBooks(async (books) => (await import('./odd.ts')).listOdd(books, out, options)))

  payments
    .command('match')
    .description('say which challenge one of them pays: it settles that, or is a part of its price')
    .argument('<transfer>', 'the payment, as daybook payments odd lists it', transferArgument)
    .requiredOption('--challenge <ch_…>', 'the challenge that it was meant for', challengeArgument)
    .action((transfer, options) =>
      onBooks(async (books) => (await import('./odd.ts')).matchOdd(books, out, { transfer, ...options })),
    )
}
