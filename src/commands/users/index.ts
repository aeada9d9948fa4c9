import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import {
  grantArgument,
  limitArgument,
  reasonArgument,
  searchArgument,
  subjectArgument,
  usdArgument,
  userArgument,
} from '../../console/arguments.ts'

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

  declareSupport(users, { onBooks, out, settings })

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

/** What support does with one person. */
const declareSupport = (users: Command, { onBooks, out, settings }: Pick<Shell, 'onBooks' | 'out' | 'settings'>) => {
  users
    .command('find')
    .description('users by sub, by a whole email address, or by a part of their name')
    .argument('<text>', 'what is looked for', searchArgument)
    .option('--limit <n>', 'at most so many (20 unless given)', limitArgument)
    .option('--reveal', 'show whole email addresses, and names')
    .action((text: string, options) =>
      onBooks(async (books) => (await import('./support.ts')).findUsers(books, settings(), out, { ...options, text })),
    )

  users
    .command('show')
    .description('one user: how they sign in, and whether they are suspended')
    .argument('<usr_…>', 'the user', userArgument)
    .option('--reveal', 'show the whole email address, and the name')
    .action((sub: string, options) =>
      onBooks(async (books) => (await import('./support.ts')).showUser(books, settings(), out, { ...options, sub })),
    )

  for (const [name, { act, description }] of Object.entries(ACTS)) {
    const command = users
      .command(name)
      .description(description)
      .argument('<usr_…>', 'the user', userArgument)
      .requiredOption('--reason <text>', 'why; the user reads it, and it is kept in the log', reasonArgument)
      .addOption(
        new Option('--by <name>', 'who decided it; it is kept in the log')
          .default('operator')
          .argParser(reasonArgument),
      )
      .action((sub: string, options) =>
        onBooks(async (books) => (await import('./support.ts'))[act](books, settings(), out, { ...options, sub })),
      )
    if (name === 'unsuspend') command.alias('reinstate')
  }
}

const ACTS = {
  suspend: { act: 'suspendUser', description: 'keep a user from signing in and paying; what comes in is kept' },
  unsuspend: { act: 'unsuspendUser', description: 'let a suspended user sign in and pay again' },
  'reset-mfa': { act: 'resetUserFactors', description: 'take the second factors of a user away, who has lost them' },
  'end-sessions': { act: 'endUserSessions', description: 'sign a user out everywhere, and out of all apps' },
} as const

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
