import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { claimantArgument, limitArgument, placeArgument, reasonArgument } from '../../console/arguments.ts'

/** `daybook wallets …`: the holders of receive addresses. */
export const declareWallets = (program: Command, { onBooks, out, settings }: Shell): void => {
  const wallets = program.command('wallets').description('whose the receive addresses are')

  wallets
    .command('claims')
    .description('addresses and their holders, those that several accounts contest first')
    .option('--contested', 'only what is contested')
    .option('--limit <n>', 'at most so many (100 unless given)', limitArgument)
    .action((options) => onBooks(async (books) => (await import('./claims.ts')).listClaims(books, out, options)))

  wallets
    .command('move')
    .description('give an address to an account; whoever had it is told by letter, and not paid there any more')
    .argument('<network:address>', 'the address, such as eth:0x…', placeArgument)
    .requiredOption('--to <acc_…>', 'the account', claimantArgument)
    .requiredOption('--reason <text>', 'why; it is kept in the log', reasonArgument)
    .action((place, options) =>
      onBooks(async (books) => (await import('./claims.ts')).moveClaim(books, settings(), out, { place, ...options })),
    )
}
