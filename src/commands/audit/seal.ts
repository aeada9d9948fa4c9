import type { SignedHead } from '../../../adapters/audit/head.ts'
import { sealGuard } from '../../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../../adapters/audit/sealer.ts'
import { refusingWitnesses } from '../../../adapters/audit/witness/refusing.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger, operatorLedger } from '../../books/operator-ledger.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure, describe } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { keeping, witnessedHere } from '../../engine/sealing.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import type { HeadSettings } from '../../settings/head-settings.ts'
import { world } from '../../settings/world.ts'

/** Seals what is not sealed yet. Beside a running service it does no harm: one of the two finds its seal needless. */
export const sealNow = async (books: Books, out: Output, masterKey: MasterKeys, witness: string): Promise<void> => {
  const heads = await sealAll(books, masterKey, witness)
  const newest = heads.at(-1)
  await out.tell(
    { seals: heads.length, head: newest ?? null },
    newest
      ? `${countText(heads.length, 'seal')}: ${newest.size} events, root ${newest.root}`
      : 'Everything is sealed already.',
  )
}

/**
 * Seals the log to its end and answers the new heads. Rejects with HeadNotContinued when the log does not contain the
 * newest head that was witnessed here.
 */
const sealAll = async (books: Books, masterKey: MasterKeys, witness: string): Promise<readonly SignedHead[]> => {
  const { ledger, vault } = await openSealedLedger(books, masterKey)
  const store = await books.store()
  const heads: SignedHead[] = []
  const guard = sealGuard(() => witnessedHere(witness))
  const kept = { ...keeping(witness), sealed: (head: SignedHead) => void heads.push(head) }
  await sealUpTo({ ledger, vault, store, world, lines: books.lines, guard, ...kept }, await store.head(), false)
  return heads
}

/**
 * Seals what a command has written when no service is there to do it. The command has done its work by then, so a seal
 * that cannot be written is a remark and no failure.
 */
export const sealWritten = async (books: Books, config: Config, remark: (text: string) => void): Promise<void> => {
  if (!books.wrote() || books.running) return
  const { masterKeys, sealWitness } = openDataDir(config)
  const seal = async () => sealAll(books, masterKeys, sealWitness)
  await seal().catch((error: unknown) => remark(`What was written is not sealed yet: ${describe(error)}`))
}

/**
 * Throws CommandFailure while a witness of the settings has seen another history of this log: no seal may go on from
 * this one.
 */
export const mustNotBeRefused = async (books: Books, { witnesses }: HeadSettings): Promise<void> => {
  const refusing = await refusingWitnesses(operatorLedger(await books.store()), witnesses)
  const [first] = refusing
  if (!first) return
  const seen = first.seen === null ? 'another head' : `a head of ${first.seen} events`
  throw new CommandFailure(
    [
      `nothing is sealed: the witness ${first.name} has seen ${seen} that this log of ${first.size} events does not go on from.`,
      'Put the log back that it has seen; a witness that is wrong has to be taken out of WITNESSES',
    ].join(' '),
  )
}
