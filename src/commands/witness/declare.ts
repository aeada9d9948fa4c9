import { type Command, InvalidArgumentError } from 'commander'
import { type VerifierKey, vkeyIn } from '../../../adapters/audit/witness/note.ts'
import type { Shell } from '../../books/shell.ts'

/** `daybook witness …`: a witness of somebody else's log, which needs no database and no settings. */
export const declareWitness = (program: Command, { out }: Pick<Shell, 'out'>): void => {
  const witness = program.command('witness').description("vouch for the heads of somebody else's log")

  witness
    .command('key')
    .description('print the verifier key of a witness; the first call makes it')
    .requiredOption('--dir <folder>', 'where the witness keeps its key and the newest head of each log')
    .option('--name <name>', 'a name without a scheme, such as witness.example/w1; the first call needs it')
    .action(async (options) => (await import('./serve.ts')).showWitnessKey(out, options))

  witness
    .command('serve')
    .description('answer POST /add-checkpoint (c2sp.org/tlog-witness)')
    .requiredOption('--dir <folder>', 'of a witness that has its key (daybook witness key)')
    .requiredOption('--listen <host:port>', 'where to listen; a proxy with TLS belongs before it', listenArgument)
    .option(
      '--log <vkey>',
      'a log that it vouches for, as `daybook audit keys` shows it; more than one may be given',
      logKeysArgument,
      [],
    )
    .action(async (options) => (await import('./serve.ts')).serveWitnessCommand(out, options))
}

/** A verifier key of a log; added to those that were given before. */
export const logKeysArgument = (text: string, before: readonly VerifierKey[]): readonly VerifierKey[] => [
  ...before,
  vkeyArgument(text, 'key'),
]

/** A verifier key of a witness; added to those that were given before. */
export const witnessKeysArgument = (text: string, before: readonly VerifierKey[]): readonly VerifierKey[] => [
  ...before,
  vkeyArgument(text, 'cosigner'),
]

const vkeyArgument = (text: string, kind: VerifierKey['kind']): VerifierKey => {
  const key = vkeyIn(text)
  if (!key) throw new InvalidArgumentError('It is not a verifier key: <name>+<8 hex digits>+<base64>.')
  if (key.kind !== kind)
    throw new InvalidArgumentError(
      `It is the verifier key of a ${kind === 'key' ? 'witness, not of a log' : 'log, not of a witness'}.`,
    )
  return key
}

const listenArgument = (text: string): { host: string; port: number } => {
  const [, bracketed, plain, port = ''] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError('It is not host:port, such as 127.0.0.1:4030 or [::1]:4030.')
  return { host, port: Number(port) }
}
