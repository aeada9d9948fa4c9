import { CORRELATED_MAX, correlatedSteps, transactionLife } from '../../../adapters/audit/transaction-life.ts'
import type { Life, Step } from '../../../domain/reading/life.ts'
import { timelineProjection } from '../../../projections/audit/timeline.ts'
import { createQueries } from '../../../projections/index.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'

/** Prints the whole life of a transaction, by the number that its merchant knows it by. */
export const showLife = async (books: Books, out: Output, transactionId: string): Promise<void> => {
  const queries = createQueries(await readModel(books, out, timelineProjection))
  const life = await transactionLife({ store: await books.store(), queries }, transactionId)
  if (!life) throw new CommandFailure(`there is no transaction ${transactionId}`)
  await out.tell(life, [heading(life), table(life)].join('\n\n'))
}

/** Prints what was written under one correlation id: the name of a request, and of all that followed from it. */
export const showCorrelated = async (books: Books, out: Output, correlationId: string): Promise<void> => {
  const queries = createQueries(await readModel(books, out, timelineProjection))
  const steps = await correlatedSteps({ store: await books.store(), queries }, correlationId)
  if (steps.length === 0) throw new CommandFailure(`the log has no event with the correlation id ${correlationId}`)
  if (steps.length === CORRELATED_MAX) out.remark(`These are the first ${CORRELATED_MAX} events; there may be more.`)
  await out.tell({ correlationId, steps }, table({ steps }))
}

const heading = ({
  transactionId,
  accountId,
  status,
  test,
  refunded,
  refundSent,
  deleted,
  steps,
  durationMs,
  from,
}: Life): string => {
  const refund = refunded && (refundSent ? 'refunded' : 'refund recorded, not sent')
  const also = [test && 'a test', refund, deleted && 'deleted'].filter((each) => each !== false)
  return [
    `Transaction ${transactionId} of ${accountId}: ${[status, ...also].join(', ')}`,
    `${steps.length} events in ${time(durationMs)}, from ${from} on`,
  ].join('\n')
}

const table = ({ steps }: Pick<Life, 'steps'>): string =>
  columns([['#', 'At', 'After', 'By', 'Event'], ...steps.map(cells)], [0, 2])

/**
 * The cells of a step. An effect is indented below its cause; the arrow names the number of the event that caused it.
 */
const cells = ({ number, at, elapsedMs, actor, type, because, depth, facts }: Step): string[] => [
  String(number),
  at,
  elapsedMs === null ? '' : `+${time(elapsedMs)}`,
  actor,
  `${'  '.repeat(depth)}${because === null ? '' : `↳#${because} `}${type}${told(facts)}`,
]

const told = (facts: Step['facts']): string =>
  Object.entries(facts)
    .map(([name, value]) => `  ${name} ${value}`)
    .join('')

const SECOND_MS = 1_000
const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** A duration as people say it: 12 ms, 3.4 s, 5 min 3 s, 2 h 5 min, 3 d 4 h. */
const time = (ms: number): string => {
  if (ms < SECOND_MS) return `${ms} ms`
  const s = Math.floor(ms / SECOND_MS)
  if (s < MINUTE_S) return `${(ms / SECOND_MS).toFixed(1)} s`
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ${s % MINUTE_S} s`
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h ${Math.floor((s % HOUR_S) / MINUTE_S)} min`
  return `${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / HOUR_S)} h`
}
