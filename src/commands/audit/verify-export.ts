import { leafOf, toBase64 } from '../../../adapters/audit/hash.ts'
import { isSeal } from '../../../adapters/audit/sealer.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import type { ExportHead } from '../../../adapters/journal-export/export-head.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { SEALS } from '../../../domain/audit/seals.ts'
import type { Books } from '../../books/books.ts'
import { operatorLedger } from '../../books/operator-ledger.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { measureContent, openExportFile } from './export-file.ts'
import { madeAgain } from './made-again.ts'

/** The result of one check. `unknown` fails nothing, and is told. */
type Check = { readonly check: string; readonly result: 'ok' | 'wrong' | 'unknown'; readonly words: string }

/**
 * Holds an export against the log: its lines are those that were hashed, its head is one of this log, its position is
 * in it, and the same export made again has the same bytes. Answers whether nothing is wrong.
 */
export const verifyExport = async (
  books: Books,
  out: Output,
  file: string,
  masterKey: MasterKeys,
): Promise<boolean> => {
  const { head, content } = await openExportFile(file)
  const log = await lookAt(books, head)
  const checks = [
    linesCheck(head, await measureContent(content())),
    headCheck(head, log),
    positionCheck(head, log),
    againCheck(await madeAgain(books, head, content(), masterKey)),
  ]
  const holds = checks.every(({ result }) => result !== 'wrong')
  const shown = { ok: '      ok', wrong: '   WRONG', unknown: 'not known' } as const
  await out.tell(
    { holds, export: head.export, position: head.position, head: head.head, checks },
    [
      holds ? 'The export is of this log.' : 'The export is NOT of this log.',
      ...checks.map(({ check, result, words }) => `${shown[result].padStart(9)}  ${check}: ${words}`),
    ].join('\n'),
  )
  return holds
}

/** What the log itself says of an export's head and position. */
type Sight = {
  readonly log: string | undefined
  readonly events: number
  readonly last: bigint
  /** The root of its first events, as many as the head covers; undefined when it has fewer. */
  readonly root: string | undefined
  /** Number of events up to the last one within the position of the export that is no seal. */
  readonly reached: number
  /** Number of events under its newest seal. */
  readonly sealed: number
}

const lookAt = async (books: Books, { head, position }: ExportHead): Promise<Sight> => {
  const store = await books.store()
  const sealed = (await operatorLedger(store).seals.read(SEALS)).head?.size ?? 0
  const tree = growingTree()
  const until = position === null ? -1n : BigInt(position)
  let log: string | undefined
  let root: string | undefined
  let [last, reached] = [-1n, 0]
  for await (const page of books.lines(-1n, await store.head()))
    for (const { line, order, type } of page) {
      log ??= (JSON.parse(line) as { id: string }).id
      tree.add(leafOf(line))
      last = order
      if (tree.size() === head?.size) root = toBase64(tree.root())
      // A seal is never under itself, and no export shows one but that of the whole log.
      if (order <= until && !isSeal(type)) reached = tree.size()
    }
  return { log, events: tree.size(), last, root, reached, sealed }
}

const linesCheck = (head: ExportHead, { sha256, lines }: { sha256: string; lines: number }): Check => {
  const check = 'its lines'
  if (sha256 === head.sha256) return { check, result: 'ok', words: `${countText(lines, 'line')}, SHA-256 ${sha256}` }
  const many =
    lines === head.lines ? 'as many lines, and others' : `${countText(lines, 'line')} in place of ${head.lines}`
  return { check, result: 'wrong', words: `they are not those that it was written with: ${many}` }
}

const headCheck = ({ head }: ExportHead, { log, root, events }: Sight): Check => {
  const check = 'its head'
  const wrong = (words: string): Check => ({ check, result: 'wrong', words })
  if (!head) return wrong('it names none: the log was not sealed when it was written. Write it again')
  if (head.log !== log) return wrong(`it is of another log: ${head.log}`)
  if (root === undefined) return wrong(`the log has ${events} events, and the head covers ${head.size}`)
  if (root !== head.root) return wrong(`the first ${countText(head.size, 'event')} of the log are not what it covers`)
  return { check, result: 'ok', words: `${countText(head.size, 'event')}, root ${root}` }
}

const positionCheck = ({ head, position }: ExportHead, { last, reached, sealed }: Sight): Check => {
  const check = 'its position'
  if (position === null) return { check, result: 'unknown', words: 'it names none' }
  if (BigInt(position) > last) return { check, result: 'wrong', words: `the log ends at ${last}, before ${position}` }
  if (head && reached <= head.size) return { check, result: 'ok', words: `${position}, under that head` }
  if (reached <= sealed)
    return { check, result: 'ok', words: `${position}, behind that head and under the newest one, of ${sealed} events` }
  return { check, result: 'unknown', words: `${position} is not sealed yet: daybook audit seal` }
}

const againCheck = (made: Awaited<ReturnType<typeof madeAgain>>): Check => {
  const check = 'made again'
  if (made.kind === 'unknown') return { check, result: 'unknown', words: made.why }
  if (made.differs === undefined) return { check, result: 'ok', words: 'the same bytes' }
  return { check, result: 'wrong', words: `line ${made.differs} is another one` }
}
