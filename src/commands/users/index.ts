import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { grantArgument, subjectArgument, usdArgument, userArgument } from '../../console/arguments.ts'

/** `daybook users …`: the people who sign in (N-59). */
export const declareUsers = (program: Command, { onBooks, out, settings }: Shell): void => {
  const users = program.command('users').description('people who sign in')

  users
    .command('create')
    .description('make a user')
    .requiredOption('--email <address>', 'the address they sign in with')
    .requiredOption('--password <password>', '8 to 256 characters')
    .option('--name <name>', 'what apps may learn as their name')
    .option('--verified', 'the address is known to be theirs: no letter is sent')
    .action((options) =>
      onBooks(async (books) => (await import('./users.ts')).createUser(books, settings(), out, options)),
    )

  users
    .command('list')
    .description('all users, newest first')
    .action(() => onBooks(async (books) => (await import('./users.ts')).listUsers(books, settings(), out)))

  users
    .command('credit')
    .description('give a user credit')
    .requiredOption('--sub <usr_…>', 'the user', userArgument)
    .requiredOption('--usd <amount>', 'how much, such as 12.50', usdArgument)
    .option('--description <text>', 'what the user reads in the own history')
    .option('--id <id>', 'names the grant: given again it gives nothing', grantArgument)
    .action((options) =>
      onBooks(async (books) =>
        (await import('./users.ts')).credit(books, settings(), out, { ...options, to: `user:${options.sub}` }),
      ),
    )
}

/** `daybook erase` and `daybook keys …`. */
export const declareErasure = (program: Command, { onBooks, out, settings }: Shell): void => {
  program
    .command('erase')
    .description('destroy the data key of an account, a user or a member: what is personal cannot be read any more')
    .argument('<acc_…|usr_…|mem_…>', 'the account, the user, or the member who owns no account', subjectArgument)
    .option('--yes', 'it cannot be undone')
    .action(async (who: string, { yes }) => {
      const { openDataDir } = await import('../../settings/data-dir.ts')
      const masterKey = () => openDataDir(settings()).masterKeys()
      await onBooks(async (books) => (await import('./erase.ts')).erase(books, out, { who, masterKey, yes }))
    })

  program
    .command('keys')
    .description('keys that sign ID tokens')
    .command('rotate')
    .description('publish the next key; it signs from a day later on')
    .action(async () => {
      const { openDataDir } = await import('../../settings/data-dir.ts')
      const masterKey = () => openDataDir(settings()).masterKeys()
      await onBooks(async (books) => (await import('./keys.ts')).rotateKeys(books, out, masterKey))
    })
}
