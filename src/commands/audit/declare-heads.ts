import { type Command, InvalidArgumentError } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { fileArgument } from '../../console/arguments.ts'
import { logKeysArgument, witnessKeysArgument } from '../witness/declare.ts'

/** The commands of `daybook audit …` about heads that others have signed, and about the keys of the log. */
export const declareHeads = (audit: Command, { onBooks, out, settings, judge }: Shell): void => {
  audit
    .command('check-checkpoint')
    .description(
      'check a checkpoint (/audit/checkpoint) with nothing but keys: who has signed it, and which log it is of',
    )
    .argument('<note>', 'the file with the note', fileArgument)
    .option('--log <vkey>', 'a verifier key of the log (daybook audit keys)', logKeysArgument, [])
    .option(
      '--witness <vkey>',
      'a witness that has to have signed; more than one may be given',
      witnessKeysArgument,
      [],
    )
    .option('--at-least <n>', 'so many of the witnesses are enough; all of them unless given', countArgument)
    .option('--file <lines.jsonl>', 'an exported log that has to contain it (daybook audit export)', fileArgument)
    .action(async (file: string, options) => {
      const { checkCheckpoint } = await import('./check-checkpoint.ts')
      await judge(checkCheckpoint(out, file, options))
    })

  audit
    .command('verify-export')
    .description('hold an export against the log: its lines, its head, and the same export made again')
    .argument('<file>', 'as `daybook export` or `daybook audit export` wrote it, with <file>.head.json', fileArgument)
    .action((file: string) =>
      onBooks(async (books) => {
        const { openDataDir } = await import('../../settings/data-dir.ts')
        const masterKey = () => openDataDir(settings()).masterKeys()
        return (await import('./verify-export.ts')).verifyExport(books, out, file, masterKey)
      }),
    )

  audit
    .command('stamps')
    .description('the time stamps of the log’s heads (RFC 3161)')
    .option('--dir <folder>', 'write each there as two files for `openssl ts -verify`')
    .action((options) => onBooks(async (books) => (await import('./stamps.ts')).listStamps(books, out, options)))
}

export const declareKeys = (audit: Command, { onBooks, out, settings }: Shell): void => {
  const keys = audit
    .command('keys')
    .description('the public keys that seal the log, the newest last')
    .action(() =>
      onBooks(async (books) => (await import('./keys.ts')).listKeys(books, out, new URL(settings().origins.base).host)),
    )
  keys
    .command('rotate')
    .description('publish the next key; it seals from now on')
    .action(() =>
      onBooks(async (books) => {
        const { openDataDir } = await import('../../settings/data-dir.ts')
        const { masterKeys, sealWitness } = openDataDir(settings())
        await (await import('./keys.ts')).rotateKey(books, out, masterKeys, sealWitness)
      }),
    )
}

const countArgument = (text: string): number => {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.')
  return Number(text)
}
