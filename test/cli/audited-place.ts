/** An installation that is stopped, whose log has seals, for the tests of the auditor's commands. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ExecutionContext } from 'ava'
import { openCore } from '../../adapters/store/node/core.ts'
import { openBooks } from '../../src/books/books.ts'
import { type VerifyWish, verifyLog } from '../../src/commands/audit/verify.ts'
import type { Output } from '../../src/console/output.ts'
import { readConfig } from '../../src/settings/config.ts'
import { sealWitnessIn, writeSealWitness } from '../../src/settings/seal-witness.ts'
import { newDirectory } from '../store/open.ts'
import { sealedLog } from '../support/sealed-log.ts'
import { daybook } from './daybook.ts'

/**
 * A data directory with a log of 24 events under 4 seals, two events that are not sealed yet, and its newest head
 * beside it.
 */
export const place = async (t: ExecutionContext) => {
  const dir = newDirectory(t)
  const core = openCore(join(dir, 'events.db'))
  const log = sealedLog(t, core)
  await log.write(20)
  await log.seal(10)
  await log.write(2)
  await log.seal()
  await log.write(1)
  await core.close()
  const publicKeys = [log.heads[0]?.publicKey ?? '']
  const head = log.heads.at(-1)?.head
  for (const witness of log.witnesses) writeSealWitness(sealWitnessIn(dir), witness)
  const env = { DATA_DIR: dir }
  const audit = async (...args: string[]) => {
    const { code, stdout, stderr } = await daybook(env, '--json', 'audit', ...args)
    return { code, stderr, said: stdout === '' ? undefined : JSON.parse(stdout) }
  }
  return {
    dir,
    env,
    audit,
    key: publicKeys[0] ?? '',
    size: head?.size ?? 0,
    position: (n: number) => positions(dir)[n] ?? 0,
    /** Writes and seals more, as a service would that ran in between. */
    async goOn() {
      const again = openCore(join(dir, 'events.db'))
      const more = sealedLog(t, again)
      await more.write(13)
      await more.seal(6)
      await again.close()
      for (const witness of more.witnesses) writeSealWitness(sealWitnessIn(dir), witness)
    },
  }
}

/**
 * `audit verify` in this process, which spares the start of one: whether all is well and what it tells. Refusals are
 * told by their words.
 */
export const verifyHere = async (dir: string, wish: Partial<VerifyWish> = {}) => {
  const told: unknown[] = []
  const out: Output = { json: true, tell: async (value) => void told.push(value), remark: () => {} }
  const books = openBooks(readConfig({ DATA_DIR: dir }))
  try {
    const whole = await verifyLog(books, out, { key: [], witness: sealWitnessIn(dir), ...wish })
    return { whole, said: told[0] as { wrong: { what: string; index: number } } }
  } catch (error) {
    return { whole: false, refused: (error as Error).message }
  } finally {
    await books.close()
  }
}

export const rows = <T>(dir: string, query: string): T[] => {
  const db = new DatabaseSync(join(dir, 'events.db'))
  try {
    return db.prepare(query).all() as T[]
  } finally {
    db.close()
  }
}

export const positions = (dir: string): number[] =>
  rows<{ position: number }>(dir, 'select position from events where position > 0 or stream > 1 order by position').map(
    ({ position }) => position,
  )
