import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import {
  accountArgument,
  eventIdArgument,
  limitArgument,
  numberArgument,
  timeArgument,
} from '../../console/arguments.ts'
import { RATE_MAX, RATE_PER_S, rateArgument, runArgument, urlArgument } from './limits.ts'

/**
 * `daybook deliveries …`: the webhooks to merchants, what was sent and what came back, and having them sent again.
 */
export const declareDeliveries = (program: Command, { onBooks, out, settings }: Shell): void => {
  const deliveries = program
    .command('deliveries')
    .description('webhooks to merchants: what was sent, what came back, and sending it again')

  narrowed(deliveries.command('list'), ['pending', 'accepted', 'failed', 'skipped'])
    .description('webhooks, newest first')
    .option('--run <name>', 'only what this run has sent again', runArgument)
    .option('--limit <n>', 'at most so many (20 unless given)', limitArgument)
    .action((options) => onBooks(async (books) => (await import('./list.ts')).listDeliveries(books, out, options)))

  deliveries
    .command('show')
    .description('one of them: the very bytes that were sent, the answer, and every other attempt of its transaction')
    .argument('<event_id>', 'the event_id of the webhook', eventIdArgument)
    .action((id: string) =>
      onBooks(async (books) => (await import('./show.ts')).showDelivery(books, settings(), out, id)),
    )

  narrowed(deliveries.command('resend'), ['accepted', 'failed', 'skipped'])
    .description('send payments again, each once; without --yes it is only told which')
    .argument('[event_id]', 'that of this webhook', eventIdArgument)
    .option('--test', 'those of test payments, and not of live ones')
    .option('--limit <n>', 'at most so many payments', limitArgument)
    .option('--rate <n>', `so many a second (${RATE_PER_S} unless given, at most ${RATE_MAX})`, rateArgument)
    .option('--run <name>', 'what the run is called: it sends a payment once, however often it is begun', runArgument)
    .option('--yes', 'do it')
    .action((id: string | undefined, options) =>
      onBooks(
        async (books, signal) =>
          (await import('./resend.ts')).resendDeliveries(books, settings(), out, { id, signal, ...options }),
        true,
      ),
    )
}

const narrowed = (command: Command, states: readonly string[]): Command =>
  command
    .option('--account <acc_…>', 'only of this account', accountArgument)
    .option('--transaction <number>', 'only of this transaction', numberArgument)
    .addOption(new Option('--status <status>', 'only of this outcome').choices(states))
    .option('--from <time>', 'scheduled from this instant on (2026-11-20, 2026-11-20T14:30Z)', timeArgument)
    .option('--to <time>', 'scheduled up to and with this instant', timeArgument)
    .addOption(new Option('--slot <slot>', 'only to this URL').choices(['transaction', 'store', 'agent', 'account']))
    .option('--url <prefix>', 'only to URLs that begin so', urlArgument)
