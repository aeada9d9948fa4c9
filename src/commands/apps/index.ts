import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { appArgument, grantArgument, usdArgument, userArgument } from '../../console/arguments.ts'

/** `daybook apps …`: the apps that let people sign in (N-59). Each command is loaded when it is called. */
export const declareApps = (program: Command, shell: Shell): void => {
  const apps = program.command('apps').description('apps that let people sign in and pay')
  declareAll(apps, shell)
  declareOne(apps, shell)
}

const declareAll = (apps: Command, { onBooks, out, settings }: Shell): void => {
  apps
    .command('create')
    .description('register an app; its secrets are shown this once')
    .requiredOption('--name <name>', 'what people read when it asks for their consent')
    .requiredOption('--redirect <uri...>', 'where people are sent back to')
    .option('--confidential', 'it keeps a secret, and may push credit')
    .option('--first-party', 'it is our own: asks for no consent')
    .option('--development', 'it is being tried out: http://localhost may be a redirect URI; refused in production')
    .option('--backchannel <url>', 'where receipts and logout notifications go')
    .option('--owner <usr_…>', 'the user whose app it is', userArgument)
    .action((options) =>
      onBooks(async (books) => (await import('./apps.ts')).createApp(books, settings(), out, options)),
    )

  apps
    .command('list')
    .description('all apps, newest first')
    .action(() => onBooks(async (books) => (await import('./show.ts')).listApps(books, settings(), out)))

  apps
    .command('credit')
    .description('give an app credit that it can push to its users')
    .requiredOption('--client <app_…>', 'the app', appArgument)
    .requiredOption('--usd <amount>', 'how much, such as 12.50', usdArgument)
    .option('--id <id>', 'names the grant: given again it gives nothing', grantArgument)
    .action((options) =>
      onBooks(async (books) =>
        (await import('../users/users.ts')).credit(books, settings(), out, {
          ...options,
          to: `app:${options.client}`,
        }),
      ),
    )
}

/** Commands on one app, which is named first. */
const declareOne = (apps: Command, { onBooks, out, settings }: Shell): void => {
  const client = (name: string, description: string) =>
    apps.command(name).description(description).argument('<app_…>', 'the app', appArgument)

  client('show', 'everything about one app but its secrets').action((id: string) =>
    onBooks(async (books) => (await import('./show.ts')).showApp(books, settings(), out, id)),
  )

  client('rotate', 'make a new secret, which is shown this once')
    .option('--secret', 'the client secret')
    .option('--credit-push-key', 'the credit push key; the one before stays good for ten minutes')
    .option('--webhook-secret', 'what receipts are signed with')
    .option('--no-webhook-secret', 'receipts are not signed any more')
    .action((id: string, options) =>
      onBooks(async (books) => (await import('./apps.ts')).rotate(books, settings(), out, id, options)),
    )

  client('redirects', 'where people may be sent back to; without an option they are shown')
    .option('--set [uri...]', 'replaces them all')
    .option('--post-logout [uri...]', 'the same for where people go after a logout')
    .action((id: string, options) =>
      onBooks(async (books) => (await import('./apps.ts')).redirects(books, settings(), out, id, options)),
    )

  client('backchannel', 'where receipts and logout notifications go')
    .addOption(new Option('--url <url>', 'the endpoint').conflicts('none'))
    .option('--none', 'nowhere')
    .action((id: string, options) =>
      onBooks(async (books) => (await import('./apps.ts')).backchannel(books, settings(), out, id, options)),
    )

  client('domains', 'the domains of an app, and the TXT records that prove them')
    .argument('[add|verify|release]', 'what to do; without it they are shown')
    .argument('[domain]', 'such as shop.example')
    .action((id: string, act: string | undefined, domain: string | undefined) =>
      onBooks(async (books) => (await import('./apps.ts')).domains(books, settings(), out, { id, act, domain })),
    )

  client('disable', 'nobody signs in by it any more, and it can move no money')
    .option('--yes', 'it cannot be undone')
    .action((id: string, { yes }) =>
      onBooks(async (books) => (await import('./apps.ts')).disable(books, settings(), out, { id, yes })),
    )
}
