import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { amountArgument, noticeArgument, partsArgument, workersArgument } from '../../console/arguments.ts'
import { SERVICE_PARTS, type ServicePart } from '../../settings/service-role.ts'

type ServeOptions = { parts: readonly ServicePart[]; workers?: number; worker?: number; stopNotice: number }

/** `daybook serve`, `daybook doctor` and `daybook upgrade`. */
export const declareService = (program: Command, { onBooks, out, settings }: Shell): void => {
  program
    .command('serve')
    .description('run the service')
    .addOption(
      new Option('--parts <list>', 'what this process does of it, such as web')
        .argParser(partsArgument)
        .default(SERVICE_PARTS, SERVICE_PARTS.join()),
    )
    .option('--workers <n>', 'run so many processes at one port, and start those again that end', workersArgument)
    .option('--stop-notice <seconds>', 'serve on so long before a stop, while /readyz says so', noticeArgument, 0)
    .addOption(new Option('--worker <n>').argParser(workersArgument).hideHelp())
    .action(async ({ parts, workers, worker, stopNotice }: ServeOptions) => {
      const read = settings()
      const { serveCommand, serveWorker } = await import('./serve.ts')
      const part = { parts, stopNotice }
      if (worker !== undefined) return serveWorker(read, part, worker)
      if (workers === undefined) return serveCommand(read, out, part)
      await (await import('./workers.ts')).serveWorkers({ config: read, part, count: workers }, out)
    })

  program
    .command('doctor')
    .description('show whether log, database, data keys, master key, mirror and witness fit together')
    .action(() => onBooks(async (books) => (await import('../parts/doctor.ts')).doctor(books, settings(), out)))

  program
    .command('upgrade')
    .description('another release')
    .command('check')
    .description('show what a start of this release builds anew, and from how many events')
    .action(() => onBooks(async (books) => (await import('./upgrade.ts')).checkUpgrade(books, settings(), out)))
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
