import { toUnits } from '../domain/kernel/money.ts'
import { decimalsOf } from '../domain/reading/journal.ts'
import { debianProgram, sayLeftOut } from './debian.ts'
import { type WholeRun, wholeRun } from './whole-process.ts'

/** The programs that accountants read the exported journal with. */

type Accountant = 'hledger' | 'ledger'

/** A question to one of them; its answer has the balances, where the program says them. */
export type AccountantRun = {
  readonly name: string
  readonly program: Accountant
  run(journal: string): Promise<WholeRun & { readonly balances?: ReadonlyMap<string, bigint> }>
}

/** Milliseconds for one run: hledger takes 80 s and 10 GB for a million transactions. */
const LIMIT_MS = 900_000

/** The runs of those programs that are installed, or can be. */
export const accountantRuns = (): readonly AccountantRun[] =>
  (['hledger', 'ledger'] as const).flatMap((program) => {
    const path = debianProgram(program)
    if (!path) sayLeftOut(program, `${program} over the exported journal`)
    return path ? runs[program](path) : []
  })

const runs: Readonly<Record<Accountant, (path: string) => readonly AccountantRun[]>> = {
  hledger: (path) => [
    {
      name: 'hledger balance',
      program: 'hledger',
      run: async (journal) => {
        const args = ['-f', journal, 'balance', '--flat', '--no-total', '--layout=bare', '-O', 'csv']
        const ran = await wholeRun(path, args, LIMIT_MS)
        // The names of a journal of sales have neither quotes nor commas in them.
        const [, ...rows] = ran.stdout.trim().split('\n')
        return { ...ran, balances: summed(rows.map((row) => row.replaceAll('"', '').split(','))) }
      },
    },
    {
      name: 'hledger check',
      program: 'hledger',
      run: (journal) => wholeRun(path, ['-f', journal, 'check'], LIMIT_MS),
    },
  ],
  ledger: (path) => [
    {
      name: 'ledger balance',
      program: 'ledger',
      run: async (journal) => {
        const ran = await wholeRun(path, ['-f', journal, 'balance', '--flat', '--no-total'], LIMIT_MS)
        return { ...ran, balances: summed(ledgerRows(ran.stdout)) }
      },
    },
  ],
}

/** `  1.00 "USD"` for each asset of an account, with the account behind the last of them. */
const ledgerRows = (stdout: string): readonly (readonly string[])[] => {
  let waiting: [asset: string, amount: string][] = []
  return stdout.split('\n').flatMap((row) => {
    const [, amount, asset, account] = /^\s*(-?[\d.]+) "?([^\s"]+)"?(?:\s+(\S+))?$/.exec(row) ?? []
    if (amount === undefined || asset === undefined) return []
    waiting.push([asset, amount])
    if (account === undefined) return []
    const rows = waiting.map(([of, much]) => [account, of, much])
    waiting = []
    return rows
  })
}

const summed = (rows: readonly (readonly string[])[]): ReadonlyMap<string, bigint> =>
  new Map(
    rows.map(([account = '', asset = '', amount = '']) => [`${account} ${asset}`, toUnits(amount, decimalsOf(asset))]),
  )
