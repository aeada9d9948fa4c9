import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { amountArgument } from '../../console/arguments.ts'

/** `daybook serve` and `daybook doctor`. */
export const declareService = (program: Command, { onBooks, out, settings }: Shell): void => {
  program
    .command('serve')
    .description('run the service')
    .action(async () => {
      const read = settings()
      const { serveCommand } = await import('./serve.ts')
      await serveCommand(read, out)
    })

  program
    .command('doctor')
    .description('show whether log, database, data keys, master key, mirror and witness fit together')
    .action(() => onBooks(async (books) => (await import('../parts/doctor.ts')).doctor(books, settings(), out)))
}

/** `daybook sandbox …`: a buyer for trying things out. */
export const declareSandbox = (program: Command, { onBooks, out }: Shell): void => {
  program
    .command('sandbox')
    .description('try things out')
    .command('pay')
    .description('pay on a sandbox chain of the running service, from a test account')
    .option('--to <0x…>', 'who is paid')
    .option('--amount <coins>', 'how much, such as 0.04', amountArgument)
    .addOption(new Option('--asset <code>', 'of what').choices(['eth', 'usdc_base']).default('eth'))
    .addOption(new Option('--sign <url>', 'buy this by a signature instead').conflicts(['to', 'amount', 'asset']))
    .addOption(
      new Option('--session <url>', 'complete this checkout session, by a signature too').conflicts([
        'to',
        'amount',
        'asset',
        'sign',
      ]),
    )
    .action(async (options) => {
      await onBooks(async (books) => (await import('./sandbox-pay.ts')).sandboxPay(books, out, options))
    })
}
