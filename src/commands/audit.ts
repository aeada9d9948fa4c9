import type { Command } from 'commander'
import { sealWitnessIn } from '../seal-witness.ts'
import { fileArgument, positionArgument, publicKeysArgument } from './arguments.ts'
import { declareHeads, declareKeys } from './audit/declare-heads.ts'
import type { Shell } from './shell.ts'

/** `daybook audit …`: that the log is what was sealed, and that an event is in it (DESIGN §8). */

const KEY = [
  '--key <key>',
  'a public key that is trusted, in base64, or a file with some; more than one may be given',
  publicKeysArgument,
  [],
] as const

export const declareAudit = (program: Command, shell: Shell): void => {
  const { onBooks, out, settings } = shell
  const audit = program.command('audit').description('that the log is what was sealed, and what proves it')
  const dataDir = async () => (await import('../data-dir.ts')).openDataDir(settings())

  audit
    .command('verify')
    .description('check the log against its seals, and name the first event that does not fit')
    .option('--from <checkpoint>', 'go on from what an earlier look has written down', fileArgument)
    .option('--checkpoint <file>', 'write down what the next look can go on from')
    .option('--file <lines.jsonl>', 'of an exported log, on any machine', fileArgument)
    .option(...KEY)
    .action(async (options) => {
      const { verifyFile, verifyLog } = await import('./audit/verify.ts')
      if (options.file) process.exitCode = (await verifyFile(out, { ...options, file: options.file })) ? 0 : 1
      else
        await onBooks(async (books) =>
          verifyLog(books, out, { ...options, witness: sealWitnessIn(settings().dataDir) }),
        )
    })

  audit
    .command('prove')
    .description('write a proof that an event is in the sealed log')
    .argument('<position>', 'of the event, in the log', positionArgument)
    .option('--out <file>', 'write to a file')
    .action((position: bigint, options) =>
      onBooks(async (books) => (await import('./audit/prove.ts')).prove(books, out, position, options)),
    )

  audit
    .command('check-proof')
    .description('check a proof: with nothing but the public key')
    .argument('<proof.json>', 'the proof', fileArgument)
    .requiredOption(...KEY)
    .action(async (file: string, { key }: { key: readonly string[] }) => {
      const { checkProof } = await import('./audit/check-proof.ts')
      process.exitCode = (await checkProof(out, file, key)) ? 0 : 1
    })

  audit
    .command('export')
    .description('the log as the lines that are sealed, for `audit verify --file`')
    .option('--out <file>', 'write to a file, which is there whole or not at all')
    .action((options) => onBooks(async (books) => (await import('./audit/export.ts')).exportLines(books, out, options)))

  audit
    .command('seal')
    .description('seal what is not sealed yet, now')
    .action(() =>
      onBooks(async (books) => {
        const { masterKey, sealWitness } = await dataDir()
        await (await import('./audit/refused.ts')).mustNotBeRefused(books, settings().heads)
        await (await import('./audit/seal.ts')).sealNow(books, out, masterKey(), sealWitness)
      }),
    )

  declareHeads(audit, shell)
  declareKeys(audit, shell)
}
