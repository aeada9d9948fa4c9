/**
 * A log for accountants: whole histories as they happen, and two months of every event that moves money, in known and
 * unknown coins.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { assets } from '../../domain/kernel/assets.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postedTypes } from '../../domain/reading/journal.ts'
import { consoleHistory } from '../projections/console-history.ts'
import { wholeHistory } from '../projections/history.ts'
import { signInHistory } from '../projections/sign-in-history.ts'
import { everything } from './ledger.ts'

/** Contracts of tokens, some as nobody would write them who means well. */
export const HOSTILE = [
  '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  '=1+1',
  '@SUM(A1)',
  '"quoted"',
  'a  b ; c',
  'two\nlines\n2026-01-01 open Assets:Mine',
  'tab\tand\\back',
  '%41 {curly} [2026-01-01]',
  'ünï🐢\u2028',
  `long${'g'.repeat(200)}`,
]

const golden: { type: string; data: object }[] = JSON.parse(
  readFileSync(new URL('../golden/events.json', import.meta.url), 'utf8'),
)
const START = Date.parse('2026-03-03T08:00:00.000Z')
const STEP_MS = 5 * 3_600_000 + 1_234_567
const MADE = 360

export const variedHistory = async (): Promise<readonly RecordedEvent[]> => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-varied-'))
  const core = openCore(join(dir, 'log.db'))
  try {
    const store = embeddedStore(core)
    for (const history of [wholeHistory, consoleHistory, signInHistory]) await history(store)
    const lived = await everything(store)
    const last = lived.at(-1)
    return [...lived, ...(last ? Array.from({ length: MADE }, (_, n) => made(last, n)) : [])]
  } finally {
    await core.close()
    await rm(dir, { recursive: true })
  }
}

/** The n-th event after the last that was lived: each type in turn, with other amounts, holders, coins and times. */
const made = (last: RecordedEvent, n: number): RecordedEvent => {
  const type = postedTypes[n % postedTypes.length] ?? ''
  const { data = {} } = golden.find((each) => each.type === type) ?? {}
  const position = last.position + BigInt(n + 1) * 100n
  return {
    ...last,
    type,
    id: randomUUID(),
    stream: streamOf(type, n % 3),
    revision: BigInt(n),
    position,
    order: position,
    at: new Date(START + n * STEP_MS).toISOString(),
    data: { ...data, ...amounts(n), ...sale(data, n) },
  }
}

const streamOf = (type: string, holder: number): string => {
  if (type.startsWith('Balance')) return `userAccount-usr_${holder}`
  if (type.startsWith('App')) return `appAccount-app_${holder}`
  return `creditAccount-acc_${holder}`
}

const amounts = (n: number) => ({ amount: unitsOf(n, 12), total: unitsOf(n, 9), owed: unitsOf(n + 7, 7) })

/** Up to so many digits, the smallest units among them, and nothing at times. */
const unitsOf = (n: number, digits: number): string =>
  n % 17 === 0 ? '0' : String(((BigInt(n + 1) * 7_919_999_999_999_999_999_989n) % 10n ** BigInt(1 + (n % digits))) + 1n)

const sale = (data: object, n: number) => {
  if (!('transfer' in data)) return {}
  const turn = Math.floor(n / postedTypes.length)
  const known = assets[turn % assets.length]
  const coin =
    turn % 2 === 0 && known
      ? { network: known.network, asset: known.code }
      : { network: 'eth', asset: HOSTILE[(n + turn) % HOSTILE.length] }
  const transfer = { ...(data.transfer as object), ...coin, amount: unitsOf(n, 26) }
  return { accountId: `acc_${turn % 3}`, transfer, test: false }
}
