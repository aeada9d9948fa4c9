import type { Command } from 'commander'
import type { Shell } from '../../books/shell.ts'
import { countArgument, fileArgument, positionArgument, publicKeysArgument } from '../../console/arguments.ts'
import { sealWitnessIn } from '../../settings/seal-witness.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { declareHeads, declareKeys } from './declare-heads.ts'

/** `daybook audit …`: that the log is what was sealed, and that an event is in it (docs/decisions/audit.md). */

const KEY = [
  '--key <key>',
  'a public key that is trusted, in base64, or a file with some; more than one may be given',
  publicKeysArgument,
  [],
] as const

export const declareAudit = (program: Command, shell: Shell): void => {
  const { onBooks, out, settings } = shell
  const audit = program.command('audit').description('that the log is what was sealed, and what proves it')
  const dataDir = async () => (await import('../../settings/data-dir.ts')).openDataDir(settings())

  const journal = () => sealWitnessIn(settings().dataDir)

  declareVerify(audit, shell)

  declareProofs(audit, shell)

  audit
    .command('export')
    .description('the log as the lines that are sealed, for `audit verify --file`')
    .option('--out <file>', 'write to a file, which is there whole or not at all')
    .option('--head <file>', 'write what ties it to the log there; beside --out unless given')
    .action((options) =>
      onBooks(async (books) =>
        (await import('./export.ts')).exportLines(books, out, { ...options, witness: journal() }),
      ),
    )

  audit
    .command('seal')
    .description('seal what is not sealed yet, now')
    .action(() =>
      onBooks(async (books) => {
        const { masterKeys, sealWitness } = await dataDir()
        await (await import('./seal.ts')).mustNotBeRefused(books, settings().heads)
        await (await import('./seal.ts')).sealNow(books, out, masterKeys, sealWitness)
      }),
    )

  declareHeads(audit, shell)
  declareKeys(audit, shell)
}

const declareVerify = (audit: Command, { onBooks, out, settings, judge }: Shell): void => {
  audit
    .command('verify')
    .description('check the log against its seals, and name the first event that does not fit')
    .option(
      '--from <checkpoint>',
      'the log has to contain this: what --checkpoint has written, or the note of /audit/checkpoint',
      fileArgument,
    )
    .option('--checkpoint <file>', 'write down what every later log has to contain')
    .option('--file <lines.jsonl>', 'of an exported log, on any machine', fileArgument)
    .option('--max-unsealed <events>', 'most events at the end that may have no seal (1000)', countArgument)
    .option(
      '--max-unsealed-seconds <seconds>',
      'most time that they may span (a minute more than SEAL_EVERY_SECONDS)',
      countArgument,
    )
    .option('--unsealed-ok', 'nothing has to be sealed yet: for a log that is being born')
    .option(...KEY)
    .action(async (options) => {
      const { verifyFile, verifyLog } = await import('./verify.ts')
      const { unsealedSecondsMax } = await import('./unsealed.ts')
      const { sealEverySeconds, dataDir } = settings()
      const wish = { maxUnsealedSeconds: unsealedSecondsMax(sealEverySeconds), ...options }
      if (options.file) await judge(verifyFile(out, wish))
      else await onBooks(async (books) => verifyLog(books, out, { ...wish, witness: sealWitnessIn(dataDir) }))
    })
}

const declareProofs = (audit: Command, { onBooks, out, settings, judge }: Shell): void => {
  audit
    .command('prove')
    .description('write a proof that an event is in the sealed log, or that the log goes on from a checkpoint')
    .argument('[position]', 'of the event, in the log', positionArgument)
    .option('--consistency <checkpoint>', 'that the log goes on from this checkpoint', fileArgument)
    .option(
      '--to <checkpoint>',
      'with --consistency: up to this later checkpoint, and not to the newest head',
      fileArgument,
    )
    .option('--out <file>', 'write to a file')
    .option(...KEY)
    .action((position: bigint | undefined, options) =>
      onBooks(async (books) => {
        const { prove, proveConsistency } = await import('./prove.ts')
        const wish = { ...options, witness: sealWitnessIn(settings().dataDir) }
        if (options.consistency !== undefined && position === undefined) return proveConsistency(books, out, wish)
        if (options.consistency !== undefined || position === undefined)
          throw new BadSetting('missing required argument: the position of an event, or --consistency <checkpoint>')
        return prove(books, out, position, wish)
      }),
    )

  audit
    .command('check-consistency')
    .description('check offline that the later of two checkpoints goes on from the earlier one (RFC 6962)')
    .argument('<old.checkpoint>', 'what `audit verify --checkpoint` wrote before', fileArgument)
    .argument('<new.checkpoint>', 'what it wrote later', fileArgument)
    .argument('[proof.json]', 'what `audit prove --consistency` wrote', fileArgument)
    .option(...KEY)
    .action(async (older: string, newer: string, proof: string | undefined, { key }: { key: readonly string[] }) => {
      const { checkConsistency } = await import('./check-proofs.ts')
      await judge(checkConsistency(out, { older, newer, proof, keys: key }))
    })

  audit
    .command('check-proof')
    .description('check a proof: with nothing but the public key')
    .argument('<proof.json>', 'the proof', fileArgument)
    .requiredOption(...KEY)
    .action(async (file: string, { key }: { key: readonly string[] }) => {
      const { checkProof } = await import('./check-proofs.ts')
      await judge(checkProof(out, file, key))
    })
}
