import { type Command, Option } from 'commander'
import type { Shell } from '../../books/shell.ts'
import {
  accountArgument,
  limitArgument,
  memberArgument,
  reasonArgument,
  searchArgument,
} from '../../console/arguments.ts'

/** `daybook accounts …`: the sellers, their owner keys, and stopping an account. */
export const declareAccounts = (program: Command, shell: Shell): void => {
  const accounts = program.command('accounts').description('the sellers and their owner keys')
  declareLooks(accounts, shell)
  declareActs(accounts, shell)
}

const ACCOUNT = '<acc_…>'

/** The commands that change nothing. */
const declareLooks = (accounts: Command, { onBooks, out, settings }: Shell): void => {
  accounts
    .command('list')
    .description('all accounts, newest first')
    .option('--suspended', 'only those that are suspended')
    .option('--limit <n>', 'at most so many (100 unless given)', limitArgument)
    .action((options) =>
      onBooks(async (books) => (await import('./accounts.ts')).listAccounts(books, settings(), out, options)),
    )

  accounts
    .command('find')
    .description('accounts by id, by a member’s id, by a whole email address, or by a part of the brand’s name')
    .argument('<text>', 'what is looked for', searchArgument)
    .option('--limit <n>', 'at most so many (20 unless given)', limitArgument)
    .option('--reveal', 'show whole email addresses')
    .action((text: string, options) =>
      onBooks(async (books) =>
        (await import('./support.ts')).findAccounts(books, settings(), out, { ...options, text }),
      ),
    )

  accounts
    .command('show')
    .description('one account, with its owner keys and where each was last used')
    .argument(ACCOUNT, 'the account', accountArgument)
    .action((id: string) =>
      onBooks(async (books) => (await import('./accounts.ts')).showAccount(books, settings(), out, id)),
    )
}

/** The commands that change an account, each for a reason. */
const declareActs = (accounts: Command, { onBooks, out, settings }: Shell): void => {
  const by = () =>
    new Option('--by <name>', 'who decided it; it is kept in the log').default('operator').argParser(reasonArgument)

  /** A command that changes an account, for a reason. */
  const change = (name: string, description: string) =>
    accounts
      .command(name)
      .description(description)
      .argument(ACCOUNT, 'the account', accountArgument)
      .requiredOption('--reason <text>', 'why; the account reads it, and it is kept in the log', reasonArgument)
      .addOption(by())

  change('rotate-key', 'replace the owner key; the new one is printed once, and the account is told by letter')
    .addOption(
      new Option('--old-key <how>', 'how long the old key stays good').choices(['hour', 'none']).default('none'),
    )
    .action((id: string, options) =>
      onBooks(async (books) => (await import('./accounts.ts')).rotateKey(books, settings(), out, { id, ...options })),
    )

  change('suspend', 'stop every key of an account and all new sales; what was asked for may still be paid').action(
    (id: string, options) =>
      onBooks(async (books) => (await import('./accounts.ts')).suspend(books, out, { id, ...options })),
  )

  change('reinstate', 'let the keys of a suspended account work again')
    .alias('unsuspend')
    .action((id: string, options) =>
      onBooks(async (books) => (await import('./accounts.ts')).reinstate(books, out, { id, ...options })),
    )

  change('reset-mfa', 'take the second factors of a member away, who has lost them')
    .option('--member <mem_…>', 'the member; the owner unless given', memberArgument)
    .action((id: string, options) =>
      onBooks(async (books) =>
        (await import('./support.ts')).resetMemberFactors(books, settings(), out, { ...options, id }),
      ),
    )

  change('end-sessions', 'sign everybody of an account out; its keys go on')
    .option('--member <mem_…>', 'this member alone, everywhere', memberArgument)
    .action((id: string, options) =>
      onBooks(async (books) =>
        (await import('./support.ts')).endAccountSessions(books, settings(), out, { ...options, id }),
      ),
    )
}
