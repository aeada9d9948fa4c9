/** What anybody may have written stays a name in the files of accountants, whatever it looks like. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { beancountFormat } from '../adapters/journal-export/beancount.ts'
import type { JournalFormat } from '../adapters/journal-export/format.ts'
import { hledgerFormat } from '../adapters/journal-export/hledger.ts'
import { jsonlFormat } from '../adapters/journal-export/jsonl.ts'
import * as names from '../adapters/journal-export/names.ts'
import { assets } from '../domain/kernel/assets.ts'
import { toUnits } from '../domain/kernel/money.ts'
import { decimalsOf } from '../domain/reading/journal.ts'
import {
  beancountBalances,
  haveAccountants,
  hledgerBalances,
  ledgerBalances,
  run,
  summed,
} from './support/accountants.ts'
import { anyCharacter } from './support/any-character.ts'

const withAccountants = haveAccountants() ? test : test.skip

/** Characters that mean something to one of the programs, and any others; words that are directives of one of them. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'=+-@;:"\'\\%#*!|,.()[]{}<>~&$^_/ \t\r\n\u0000\u2028aZ0🐢'), maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom('include /etc/passwd', '2026-01-01 open Assets:Mine', '; type: A', '5 USD', 'X'.repeat(300)),
)
const code = fc.constantFrom('USD', ...assets.map((asset) => asset.code))
const asset = fc.oneof(
  text.map((contract) => `eth:${contract}`),
  code,
)
const holder = fc.oneof(text, fc.stringMatching(/^acc[_-][a-z0-9]{1,26}$/))
const account = fc.oneof(
  holder.map((id) => `seller:${id}:credit`),
  text.map((word) => `platform:${word}`),
  fc.constantFrom('buyers', 'in-transit', 'seller:acc_1:owed', 'seller:acc-1:owed', 'platform:fees'),
)
const units = fc.bigInt({ min: 1n, max: 10n ** 27n })
const event = fc.record({ position: fc.constant('12'), id: text, stream: text })
const sale = fc.record({ type: text, event, account, other: account, asset, units })
type Sale = typeof sale extends fc.Arbitrary<infer T> ? T : never

const AT = '2026-03-02T10:00:00.000Z'

const postingsOf = ({ account, other, asset, units }: Sale) => [
  { account, asset, units: String(units) },
  { account: other, asset, units: String(-units) },
]

const fileOf = (format: JournalFormat, sales: readonly Sale[]): string => {
  const postings = sales.flatMap(postingsOf)
  const accounts = [...new Set(postings.map(({ account }) => account))]
  const assets = [...new Set(postings.map(({ asset }) => asset))]
  return [
    format.head?.({}) ?? '',
    ...accounts.map((each) => format.declares?.account(each, AT) ?? ''),
    ...assets.map((each) => format.declares?.asset(each, AT) ?? ''),
    ...sales.map(
      (each) =>
        `${format.entry({ at: AT, ...each })}${postingsOf(each).map(format.posting).join(format.join)}${format.end}`,
    ),
  ].join('')
}

/** Every line that may stand in a file, and how many of those that are counted an entry has. */
const grammars = {
  hledger: {
    format: hledgerFormat,
    entry: /^2026-03-02 [\w.:@/ %-]* {2}; time:[\d:.TZ-]+, position:12, event:[\w.:@/ %-]*, stream:[\w.:@/ %-]*$/,
    posting: /^ {4}[a-z][\w-]*(:[\w-]+)* {2}-?\d+(\.\d+)? "[\w.:-]+"$/,
    others: [
      /^$|^; [^\n]*$/,
      /^account [a-z][\w-]*(:[\w-]+)*$/,
      /^commodity "[\w.:-]+"$/,
      /^ {2}; (type: [ALERX]|name: [\w.:@/ %-]*)$/,
      /^ {2}format 1\.0+ "\w+"$/,
    ],
  },
  beancount: {
    format: beancountFormat,
    entry: /^2026-03-02 \* "[\w.:@/ %-]*"$/,
    posting:
      /^ {2}(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z][A-Za-z0-9-]*)+ {2}-?\d+(\.\d+)? [A-Z][A-Z0-9_]{1,23}$/,
    others: [
      /^$|^; [^\n]*$|^option "[a-z_]+" "(0|USD)"$/,
      /^2026-03-02 open [A-Z][a-z]+(:[A-Z][A-Za-z0-9-]*)+$/,
      /^2026-03-02 commodity [A-Z][A-Z0-9_]{1,23}$/,
      /^ {2}(account|asset|name|time|position|event|stream): "[\w.:@/ %-]*"$/,
    ],
  },
} as const

for (const [program, { format, entry, posting, others }] of Object.entries(grammars))
  test(`no text adds a line, a directive or a tag to a file for ${program}`, (t) => {
    fc.assert(
      fc.property(sale, (each) => {
        const lines = fileOf(format, [each]).split('\n')
        t.is(lines.filter((line) => entry.test(line)).length, 1)
        t.is(lines.filter((line) => posting.test(line)).length, 2)
        for (const line of lines)
          t.true(
            [entry, posting, ...others].some((known) => known.test(line)),
            line,
          )
      }),
    )
  })

test('JSON Lines give every text back, an entry a line', (t) => {
  fc.assert(
    fc.property(sale, (each) => {
      const [line = '', ...rest] = fileOf(jsonlFormat, [each]).split('\n')
      t.deepEqual(rest, [''])
      const { type, event, asset, units } = each
      const amount = (value: bigint) => value * 10n ** BigInt(18 - decimalsOf(asset))
      const { postings, ...told } = JSON.parse(line)
      t.deepEqual(told, { position: '12', time: AT, type, id: event.id, stream: event.stream })
      t.deepEqual(
        postings.map((told: { amount: string }) => ({ ...told, amount: toUnits(told.amount, 18) })),
        postingsOf(each).map((told) => ({ ...told, amount: amount(BigInt(told.units)) })),
      )
      t.is(BigInt(postings[0].units), units)
    }),
  )
})

test('two accounts never share a name, nor do two assets, and amounts keep every digit', (t) => {
  const { plainAccount, beancountAccount, plainAsset, beancountCurrency } = names
  const near = (each: string) =>
    fc.constantFrom(each, each.toUpperCase(), each.replaceAll('_', '-'), each.replaceAll('-', '_'), plainAsset(each))
  const pair = (one: fc.Arbitrary<string>) =>
    one.chain((each) => fc.tuple(fc.constant(each), fc.oneof(one, near(each)))).filter(([a, b]) => a !== b)
  fc.assert(
    fc.property(pair(account), pair(asset), ([a, b], [c, d]) => {
      for (const name of [plainAccount, beancountAccount]) t.not(name(a), name(b))
      for (const name of [plainAsset, beancountCurrency]) t.not(name(c), name(d))
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.bigInt(), fc.nat({ max: 18 }), (value, decimals) => {
      const written = names.fullDecimal(String(value), decimals)
      t.is(toUnits(written, decimals), value)
      t.is(written.split('.')[1]?.length ?? 0, decimals)
    }),
  )
})

withAccountants('hledger, ledger-cli and beancount read what hostile text is written as', async (t) => {
  const sales = fc.sample(sale, { numRuns: 400, seed: 8 })
  const postings = sales.flatMap(postingsOf)
  const expected = summed(postings.map(({ account, asset, units }) => [`${account} ${asset}`, BigInt(units)]))
  const ours = {
    account: (name: string) => postings.find(({ account }) => names.plainAccount(account) === name)?.account ?? name,
    asset: (name: string) => postings.find(({ asset }) => names.plainAsset(asset) === name)?.asset ?? name,
  }
  const journal = fileOf(hledgerFormat, sales)
  t.like(await run('hledger', ['-f', '-', 'check', '--strict'], journal), { code: 0, stderr: '' })
  t.deepEqual(await hledgerBalances(journal, ours), expected)
  t.deepEqual(await ledgerBalances(journal, ours), expected)
  const dir = await mkdtemp(join(tmpdir(), 'daybook-names-'))
  t.teardown(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'a.beancount'), fileOf(beancountFormat, sales))
  t.deepEqual(await beancountBalances(join(dir, 'a.beancount')), expected)
})
