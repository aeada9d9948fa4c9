import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'

/** `daybook backup …`: copies of an installation from which it can be put back. */
export const declareBackup = (program: Command, shell: Shell): void => {
  const { onBooks, out, settings } = shell
  const backup = program.command('backup').description('copies of this installation, encrypted, and putting them back')

  backup
    .command('key')
    .description('make a pair of keys: backups are encrypted for the public one, and opened with the file')
    .requiredOption('--out <file>', 'the file for the identity; keep it away from this machine')
    .action(async (options) => (await import('./key.ts')).makeKey(out, options))

  backup
    .command('create')
    .description('back up log, data keys, pictures and heads, also of a running service')
    .option('--to <place>', 'a directory, or s3://bucket/prefix (BACKUP_TO)')
    .option('--recipient <key...>', 'public keys of age that may open it (BACKUP_RECIPIENTS)')
    .option('--with-master-key', 'put the master key into it, which is otherwise kept apart')
    .action((options) =>
      onBooks(async (books) => (await import('./create.ts')).create(books, settings(), out, options)),
    )

  backup
    .command('list')
    .description('the backups of a place')
    .option('--from <place>', 'a directory, or s3://bucket/prefix (BACKUP_TO)')
    .action(async (options) => (await import('./list.ts')).list(settings(), out, options))

  backup
    .command('verify [name]')
    .description('read a backup, the newest unless one is named, and say whether it is whole')
    .option('--from <place>', 'a directory, or s3://bucket/prefix (BACKUP_TO)')
    .option('--identity <file>', 'the file with the identity; without it the files alone are compared')
    .action(async (name, options) =>
      (await import('./verify.ts')).verify(settings(), out, { name, from: options.from, identity: options.identity }),
    )

  backup
    .command('restore [name]')
    .description('put a backup, the newest unless one is named, back into an empty place')
    .option('--from <place>', 'a directory, or s3://bucket/prefix (BACKUP_TO)')
    .requiredOption('--identity <file>', 'the file with the identity')
    .action(async (name, options) =>
      (await import('./restore.ts')).restore(settings(), out, { name, from: options.from, identity: options.identity }),
    )

  backup
    .command('drill [name]')
    .description('put a backup back into a temporary place, build its books there, and compare them with this log')
    .option('--from <place>', 'a directory, or s3://bucket/prefix (BACKUP_TO)')
    .requiredOption('--identity <file>', 'the file with the identity')
    .action((name, options) =>
      onBooks(async (books) =>
        (await import('./drill.ts')).drill(books, settings(), out, {
          name,
          from: options.from,
          identity: options.identity,
        }),
      ),
    )
}
