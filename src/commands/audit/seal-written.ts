import type { SealedLog } from '../../../adapters/audit/containment.ts'
import { sealGuard } from '../../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../../adapters/audit/sealer.ts'
import type { Sql } from '../../../adapters/postgres/connect.ts'
import { createVault } from '../../../adapters/postgres/vault.ts'
import type { Books } from '../../books.ts'
import type { Config } from '../../config.ts'
import { openDataDir } from '../../data-dir.ts'
import { operatorLedger } from '../../operator-ledger.ts'
import { keeping, witnessedHere } from '../../sealing.ts'
import { world } from '../../world.ts'
import { describe } from '../failures.ts'

/**
 * Seals what a command has written when no service is there to do it. The command has done its work by then, so a seal that cannot be
 * written is a remark and no failure.
 */
export const sealWritten = async (books: Books, config: Config, remark: (text: string) => void): Promise<void> => {
  if (!books.wrote() || books.running) return
  const seal = async () => sealLog({ store: await books.store(), lines: books.lines }, await books.sql(), config)
  await seal().catch((error: unknown) => remark(`What was written is not sealed yet: ${describe(error)}`))
}

/**
 * Seals a log to its end. Rejects with HeadNotContinued when it does not contain the newest head that was witnessed here.
 * @param sql the database that has the data keys, because one of them opens the key that seals
 */
export const sealLog = async ({ store, lines }: SealedLog, sql: Sql, config: Config): Promise<void> => {
  const { masterKey, sealWitness } = openDataDir(config)
  const vault = await createVault({ sql, masterKey: masterKey() })
  try {
    const guard = sealGuard(() => witnessedHere(sealWitness))
    const sealing = { ledger: operatorLedger(store), vault, store, world, lines, guard, ...keeping(sealWitness) }
    await sealUpTo(sealing, await store.head(), false)
  } finally {
    await vault.close()
  }
}
