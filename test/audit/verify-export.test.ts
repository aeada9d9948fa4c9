/**
 * Exports that were tied to the log, held against it: as they were written, after the log went on, and after somebody
 * changed them.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import test from 'ava'
import type { ExportHead, ExportKind } from '../../adapters/journal-export/export-head.ts'
import { consoleHistory } from '../projections/console-history.ts'
import { csvBalances, haveAccountants, run } from '../support/accountants.ts'
import { ledgerOn } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { dropLived, livedPlace, liveOneSeller, newPlace } from './export-places.ts'

test.after.always(dropLived)

const FINE = { results: 'ok ok ok ok', words: '' }
const KINDS: readonly ExportKind[] = ['csv', 'hledger', 'beancount', 'jsonl', 'transactions', 'log']
const COMMENT = '\n; daybook-export: '

const headOf = (file: string): ExportHead => {
  const text = readFileSync(file, 'utf8')
  const at = text.lastIndexOf(COMMENT)
  return JSON.parse(at >= 0 ? text.slice(at + COMMENT.length) : readFileSync(`${file}.head.json`, 'utf8'))
}

/** Changes the lines of an export and, with `rehashed`, says in its head that these are the lines. */
const rewrite = (
  file: string,
  change: (text: string) => string,
  rehashed: boolean,
  other: Partial<ExportHead> = {},
) => {
  const text = readFileSync(file, 'utf8')
  const at = text.lastIndexOf(COMMENT)
  const content = change(at >= 0 ? text.slice(0, at) : text)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const own = rehashed ? { sha256, lines: content.split('\n').length - 1 } : {}
  const head = JSON.stringify({ ...headOf(file), ...own, ...other })
  writeFileSync(file, at >= 0 ? `${content}${COMMENT}${head}\n` : content)
  if (at < 0) writeFileSync(`${file}.head.json`, head)
}

test('an export of any kind is of this log, also after the log has gone on', async (t) => {
  const place = await livedPlace(t)
  const account = firstAccount(await place.write('csv'))
  const files = [
    ...(await inTurn(KINDS, (kind) => place.write(kind))),
    await place.write('hledger', { account }, 'mine'),
    await place.write('jsonl', { from: new Date('2026-03-02T10:00:01.000Z') }, 'from'),
    await place.write('csv', { account, to: new Date('2026-03-02T10:00:01.000Z') }, 'until'),
    await place.write('transactions', { account }, 'sold'),
  ]
  for (const file of files) t.deepEqual(await place.check(file), FINE, file)
  const before = headOf(files[0] ?? '')
  await place.change(async (log) => {
    const { creditAccount } = ledgerOn(log.sealing.store, fixedWorld('later'))
    await creditAccount.grant('acc_1', { amount: '7000000', reason: 'top-up', ref: 'x', source: 's', position: '1' })
    await consoleHistory(log.sealing.store)
  })
  for (const file of files) t.deepEqual(await place.check(file), FINE, file)
  const now = headOf(await place.write('csv', {}, 'now'))
  t.true((now.head?.size ?? 0) > (before.head?.size ?? 0) && BigInt(now.position ?? 0) > BigInt(before.position ?? 0))
})

test('an export that a former release wrote, without what was added since, is of this log', async (t) => {
  const place = await livedPlace(t)
  // What stands at the end of each line, by kind.
  const added: readonly (readonly [ExportKind, RegExp])[] = [
    ['csv', /(,[^,\n]*){4}$/gm],
    ['transactions', /(,[^,\n]*){10}$/gm],
    ['hledger', /, (transaction_id|fiat_amount|fiat_currency|rate):[^,\n]*/g],
    ['beancount', /^ {2}(transaction_id|fiat_amount|fiat_currency|rate): .*\n/gm],
    ['jsonl', /,"(transaction_id|fiat_amount|fiat_currency|rate)":"[^"]*"/g],
  ]
  for (const [kind, tags] of added) {
    const file = await place.write(kind)
    rewrite(file, (text) => text.replace(tags, ''), true, { format: 'daybook-export/1' })
    t.deepEqual(await place.check(file), FINE, kind)
    rewrite(file, (text) => text, true, { format: 'daybook-export/2' })
    t.is((await place.check(file)).results, 'ok ok ok wrong', kind)
  }
  const file = await place.write('transactions')
  const edited = /(,edited_by_hand,edited_time|,"","")$/gm
  rewrite(file, (text) => text.replace(edited, ''), true, { format: 'daybook-export/2' })
  t.deepEqual(await place.check(file), FINE, 'the second form told nothing of edits by hand')
})

test('whatever is changed in an export is found, also when its hash was changed with it', async (t) => {
  const place = await livedPlace(t)
  for (const kind of KINDS) {
    const file = await place.write(kind)
    const keep = () => {
      copyFileSync(file, `${file}.kept`)
      if (kind !== 'hledger' && kind !== 'beancount') copyFileSync(`${file}.head.json`, `${file}.kept.head.json`)
    }
    keep()
    const restored = () => {
      copyFileSync(`${file}.kept`, file)
      if (kind !== 'hledger' && kind !== 'beancount') copyFileSync(`${file}.kept.head.json`, `${file}.head.json`)
    }
    const tamperings: Readonly<Record<string, (text: string) => string>> = {
      'an amount': (text) => text.replace(/(\d)(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
      'a line that is gone': (text) => text.split('\n').toSpliced(-2, 1).join('\n'),
      'a line that is there twice': (text) => text.replace(/([^\n]+\n)$/, '$1$1'),
      'the end': (text) => text.slice(0, -9),
    }
    for (const [what, tamper] of Object.entries(tamperings)) {
      if (what === 'the end') {
        rewrite(file, tamper, false)
        t.is((await place.check(file)).results, 'wrong ok ok wrong', `${kind}: ${what}`)
        restored()
      }
      rewrite(file, tamper, true)
      const { results, words } = await place.check(file)
      t.is(results, 'ok ok ok wrong', `${kind}: ${what}, with its hash`)
      t.regex(words, /^line \d+ is another one$/)
      restored()
    }
    t.deepEqual(await place.check(file), FINE, kind)
  }
})

test('both sides of an entry changed to a balance that is right are found', async (t) => {
  const place = await livedPlace(t)
  const file = await place.write('csv')
  const balances = await csvBalances(readFileSync(file, 'utf8'))
  // The fees of a seller one millionth higher, and what it has left as much lower.
  const units = (line: string, more: number) => {
    const cells = line.split(',')
    const amount = Number(cells[9]) + more
    return [...cells.slice(0, 8), String(amount / 1e6), String(amount), ...cells.slice(10)].join(',')
  }
  rewrite(
    file,
    (text) => {
      const lines = text.split('\n')
      const inDollars = (line = '') => line.split(',')[7] === 'USD'
      const at = lines.findIndex((line, n) => inDollars(line) && inDollars(lines[n + 1]))
      return lines
        .with(at, units(lines[at] ?? '', 1))
        .with(at + 1, units(lines[at + 1] ?? '', -1))
        .join('\n')
    },
    true,
  )
  const changed = await csvBalances(readFileSync(file, 'utf8'))
  t.is(sumOf(changed), sumOf(balances))
  t.notDeepEqual(changed, balances)
  const { results, words } = await place.check(file)
  t.is(results, 'ok ok ok wrong')
  t.regex(words, /^line \d+ is another one$/)
})

test('a head that the log has not is told, and so is an export without one', async (t) => {
  const [place, other] = [await newPlace(t), await livedPlace(t)]
  await place.change(liveOneSeller, false)
  const file = await place.write('csv')
  t.like(await place.check(file), { results: 'ok wrong unknown ok' })
  await place.change(async () => {})
  await place.write('csv')
  t.deepEqual(await place.check(file), FINE)

  const theirs = await other.write('csv')
  t.regex((await place.check(theirs)).words, /^it is of another log: /)
  const { head, position } = headOf(file)
  if (!head) return t.fail()
  for (const [change, words] of [
    [{ head: headOf(theirs).head }, /it is of another log/],
    [{ head: { ...head, size: head.size - 1 } }, /^the first \d+ events of the log are not what it covers$/],
    [{ head: { ...head, size: head.size + 9 } }, /^the log has \d+ events, and the head covers \d+$/],
    [{ head: { ...head, root: Buffer.alloc(32).toString('base64') } }, /are not what it covers/],
    [{ head: null }, /it names none/],
    [{ position: String(BigInt(position ?? 0) + 10n ** 9n) }, /the log ends at \d+, before \d+/],
    [{ position: '1' }, /line \d+ is another one/],
    [{ account: 'acc_none' }, /line 2 is another one/],
    [{ export: 'jsonl' }, /line 1 is another one/],
  ] as const) {
    await place.write('csv')
    rewrite(file, (text) => text, false, change as Partial<ExportHead>)
    const { results, words: told } = await place.check(file)
    t.regex(results, /wrong/, JSON.stringify(change))
    t.regex(told, words)
  }
  rmSync(`${file}.head.json`)
  await t.throwsAsync(place.check(file), { message: /^nothing ties .*csv to a log/ })
  writeFileSync(`${file}.head.json`, '{}')
  await t.throwsAsync(place.check(file), { message: /is not the head of this export$/ })
  const cut = await place.write('hledger')
  writeFileSync(cut, readFileSync(cut, 'utf8').slice(0, -9))
  await t.throwsAsync(place.check(cut), { message: /^nothing ties .*hledger to a log/ })
})

const withAccountants = haveAccountants() ? test : test.skip

withAccountants('the programs of accountants read on over the line that ties an export to the log', async (t) => {
  const place = await livedPlace(t)
  for (const [kind, program, ...args] of [
    ['hledger', 'hledger', 'check', '--strict', '-f'],
    ['beancount', 'bean-check'],
  ] as const) {
    const file = await place.write(kind, {}, `books.${kind}`)
    t.like(await run(program, [...args, file], ''), { code: 0, stderr: '' }, kind)
    t.true(headOf(file).lines > 10)
  }
})

const firstAccount = (csv: string): string => /seller:(acc_[a-z0-9]+):/.exec(readFileSync(csv, 'utf8'))?.[1] ?? ''

const sumOf = (balances: ReadonlyMap<string, bigint>): bigint =>
  [...balances].filter(([name]) => name.endsWith(' USD')).reduce((sum, [, units]) => sum + units, 0n)

const inTurn = async <A, B>(list: readonly A[], act: (each: A) => Promise<B>): Promise<B[]> => {
  const done: B[] = []
  for (const each of list) done.push(await act(each))
  return done
}
