/**
 * What accountants read the journal with: Debian's hledger, ledger-cli and beancount, and Python's reader of CSV, which
 * beancount brings.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { toUnits } from '../../domain/kernel/money.ts'
import { decimalsOf } from '../../domain/reading/journal.ts'
import { installed, provideAll } from './debian.ts'

const PROGRAMS = { hledger: '/usr/bin/hledger', ledger: '/usr/bin/ledger', beancount: '/usr/bin/bean-check' } as const
/** Debian's own, which finds Debian's beancount. */
const PYTHON = '/usr/bin/python3'
const RUN_LIMIT_MS = 60_000

export const haveAccountants = (): boolean => Object.values(PROGRAMS).every((path) => installed(path))

export const provideAccountants = (): void =>
  provideAll(PROGRAMS, 'every test of the journal in the programs of accountants')

/** Smallest units by account and asset, without what is zero. */
export type Balances = ReadonlyMap<string, bigint>

/** Runs a program on a text; answers what it says, also when it refuses the text. */
export const run = async (program: string, args: readonly string[], input: string) => {
  const child = spawn(program, args, {
    stdio: 'pipe',
    timeout: RUN_LIMIT_MS,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
  })
  // A program that refuses the text may not read it to its end.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, stdout, stderr }
}

/** Their words for an account and an asset, back to ours. */
export type Names = { account(name: string): string; asset(name: string): string }

export const hledgerBalances = async (journal: string, names: Names, ...options: string[]): Promise<Balances> => {
  const args = ['-f', '-', 'balance', '--flat', '--no-total', '--layout=bare', '-O', 'csv', ...options]
  const [, ...rows] = await csvRows(await must('hledger', args, journal))
  return summed(rows.map(([account = '', asset = '', amount = '']) => line(names, account, asset, amount)))
}

export const ledgerBalances = async (journal: string, names: Names): Promise<Balances> => {
  const format = '%(account)\t%(quantity(amount))\t%(commodity(amount))\n'
  const out = await must('ledger', ['--strict', '-f', '-', 'register', '--format', format], journal)
  const rows = out.split('\n').filter(Boolean)
  return summed(
    rows.map((row) => {
      const [account = '', amount = '', asset = ''] = row.split('\t')
      return line(names, account, asset.replaceAll('"', ''), amount)
    }),
  )
}

/** By beancount's own library: what bean-query prints is rounded. What it finds wrong is an error. */
export const beancountBalances = async (file: string): Promise<Balances> => {
  const rows: [account: string, asset: string, amount: string][] = JSON.parse(
    await must(PYTHON, ['-c', READ, file], ''),
  )
  const names = { account: decodeURIComponent, asset: decodeURIComponent }
  return summed(rows.map(([account, asset, amount]) => line(names, account, asset, amount)))
}

const READ = `
import json, sys
from beancount import loader
from beancount.core import data
entries, errors, _ = loader.load_file(sys.argv[1])
if errors: sys.exit(str(errors))
accounts = {e.account: e.meta['account'] for e in entries if isinstance(e, data.Open)}
assets = {e.currency: e.meta['asset'] for e in entries if isinstance(e, data.Commodity)}
print(json.dumps([(accounts[p.account], assets[p.units.currency], format(p.units.number, 'f'))
  for e in entries if isinstance(e, data.Transaction) for p in e.postings]))
`

/** By Python's reader. */
export const csvRows = async (csv: string): Promise<readonly (readonly string[])[]> => {
  const program = 'import csv, json, sys; print(json.dumps(list(csv.reader(sys.stdin))))'
  return JSON.parse(await must(PYTHON, ['-c', program], csv))
}

/** What an export as CSV comes to. Throws where an amount is not what its units are. */
export const csvBalances = async (csv: string): Promise<Balances> => {
  const [head, ...rows] = await csvRows(csv)
  const lines = rows.map((row) => Object.fromEntries(row.map((cell, at) => [head?.[at], plainCell(cell)])))
  return summed(
    lines.map(({ account = '', asset = '', amount = '', units = '' }) => {
      if (toUnits(amount, decimalsOf(asset)) !== BigInt(units)) throw new Error(`${amount} ${asset} is not ${units}`)
      return [`${account} ${asset}`, BigInt(units)]
    }),
  )
}

/** Without the mark that keeps a spreadsheet from running it. */
const plainCell = (cell: string) => cell.replace(/^'(?=[=+@\t\r\n-])/, '')

type Entry = { position: string | null; postings: { account: string; asset: string; amount: string; units: string }[] }

/** The same of JSON Lines; an entry that does not balance throws too. */
export const jsonlBalances = (jsonl: string): Balances => {
  const entries = jsonl
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry)
  for (const { position, postings } of entries)
    if (summed(postings.map(({ asset, units }) => [asset, BigInt(units)])).size > 0)
      throw new Error(`${position} is not balanced`)
  return summed(
    entries.flatMap(({ postings }) =>
      postings.map(({ account, asset, amount, units }) => {
        if (toUnits(amount, decimalsOf(asset)) !== BigInt(units)) throw new Error(`${amount} ${asset} is not ${units}`)
        return [`${account} ${asset}`, BigInt(units)] as const
      }),
    ),
  )
}

const must = async (program: string, args: readonly string[], input: string): Promise<string> => {
  const { code, stdout, stderr } = await run(program, args, input)
  if (code !== 0 || stderr !== '') throw new Error(`${program} ended with ${code}: ${stderr}`)
  return stdout
}

type Line = readonly [key: string, units: bigint]

const line = (names: Names, account: string, asset: string, amount: string): Line => {
  const ours = names.asset(asset)
  return [`${names.account(account)} ${ours}`, toUnits(amount, decimalsOf(ours))]
}

export const summed = (lines: readonly Line[]): Balances => {
  const sums = new Map<string, bigint>()
  for (const [key, units] of lines) sums.set(key, (sums.get(key) ?? 0n) + units)
  return new Map([...sums].filter(([, units]) => units !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
