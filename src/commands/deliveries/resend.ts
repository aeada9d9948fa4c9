import type { ResendRow } from '../../../projections/selling/deliveries.ts'
import type { Books } from '../../books/books.ts'
import { openOperatorLedger } from '../../books/operator-ledger.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { world } from '../../settings/world.ts'
import { RATE_PER_S } from './limits.ts'
import { type DeliverySelection, deliveryRows, filterOf } from './list.ts'
import { type PlannedResend, planResends, type ResendDecision } from './plan.ts'
import { openSender, type ResendOutcome, sendAll, summary } from './sending.ts'

type Wish = DeliverySelection & {
  id?: string | undefined
  run?: string
  limit?: number
  rate?: number
  yes?: boolean
  signal: AbortSignal
}

/** Payments that one call looks through. */
const PAYMENTS_MAX = 100_000
/** Payments named on a terminal. */
const NAMED_MAX = 50

/**
 * Sends the webhooks of payments again, each once; without `yes` it only tells which. Answers false when not all were
 * accepted.
 */
export const resendDeliveries = async (books: Books, config: Config, out: Output, wish: Wish): Promise<boolean> => {
  const { id, run: name, limit = PAYMENTS_MAX, rate = RATE_PER_S, yes = false, signal, ...which } = wish
  const run = name ?? runOf(id, which)
  const rows = await chosen(books, out, id, which)
  // Whoever asks for failed webhooks means payments that their merchant does not know of.
  const untold = which.status === 'failed' || which.status === 'skipped'
  const judging = { ledger: await openOperatorLedger(books), world }
  const plan = await planResends(judging, run, rows, { untold, signal })
  const due = plan.filter(({ verdict }) => verdict === 'send').slice(0, limit)
  const left = plan.filter(({ verdict }) => verdict !== 'send')
  if (!yes || due.length === 0) {
    await tellPlan(out, run, due, left)
    return true
  }
  const { flow } = await openOperator(books, config)
  const sent = await sendAll(await openSender(books, flow), run, due, { out, rate, signal })
  await tellOutcome(out, run, sent, left, due.length - sent.length)
  return sent.length === due.length && sent.every(({ status }) => status === 'accepted')
}

/**
 * The name of a run: the same for the same options on the same day, so that a repeated command goes on with what it had
 * begun.
 */
const runOf = (
  id: string | undefined,
  { account, transaction, status, from, to, slot, url, test }: DeliverySelection,
): string => {
  const wish = JSON.stringify([id, account, transaction, status, from, to, slot, url, ...(test ? ['test'] : [])])
  return `resend-${world.now().toISOString().slice(0, 10)}-${world.digest(wish).slice(0, 8)}`
}

/**
 * What is to be sent. By filters, that is of live payments unless test payments are asked for; whoever names one event
 * means that one.
 */
const chosen = async (
  books: Books,
  out: Output,
  eventId: string | undefined,
  { test = false, ...which }: DeliverySelection,
): Promise<readonly ResendRow[]> => {
  const filter = filterOf(which)
  const isNarrowed = Object.values(filter).some((value) => value !== undefined)
  if ((eventId === undefined) !== isNarrowed) throw new BadSetting('an event id is needed, or what to send by filters')
  const rows = await (await deliveryRows(books, out)).resendable(
    eventId === undefined ? { ...filter, test } : { eventId },
    PAYMENTS_MAX + 1,
  )
  if (rows.length > PAYMENTS_MAX)
    throw new CommandFailure(`these are more than ${PAYMENTS_MAX} payments: narrow them by --from and --to`)
  if (eventId !== undefined && rows.length === 0)
    throw new CommandFailure(`there is no webhook ${eventId} to be sent again`)
  return rows
}

const tellPlan = (
  out: Output,
  run: string,
  due: readonly PlannedResend[],
  left: readonly PlannedResend[],
): Promise<void> =>
  out.tell(
    { run, dry_run: true, payments: due.map(toldPlanned), left_out: left.map(toldLeft) },
    [
      ...(due.length === 0
        ? ['There is nothing to send again.']
        : [
            named([
              ['Transaction', 'Account', 'URL'],
              ...due.map((each) => [each.transactionId, each.accountId, each.url ?? '–']),
            ]),
            `${countText(due.length, 'payment')} would be sent again, as run ${run}: say --yes to do it.`,
          ]),
      ...leftText(left),
    ].join('\n\n'),
  )

const tellOutcome = (
  out: Output,
  run: string,
  sent: readonly ResendOutcome[],
  left: readonly PlannedResend[],
  notBegun: number,
): Promise<void> => {
  const bad = sent.filter(({ status }) => status !== 'accepted')
  const rows = bad.map((each) => [
    each.transactionId,
    each.eventId,
    each.status,
    String(each.httpStatus ?? each.reason ?? '–'),
  ])
  return out.tell(
    { run, dry_run: false, payments: sent.map(toldSent), left_out: left.map(toldLeft), not_begun: notBegun },
    [
      ...(bad.length > 0 ? [named([['Transaction', 'Event id', 'Status', 'Answer'], ...rows])] : []),
      `Run ${run}: ${countText(sent.length, 'payment')} sent again, ${summary(sent)}.`,
      ...(notBegun > 0 ? [`Stopped: ${notBegun} were not begun. The same command goes on with them.`] : []),
      ...leftText(left),
    ].join('\n\n'),
  )
}

const toldPlanned = ({ transactionId, accountId, eventId, url }: PlannedResend) => ({
  transaction_id: transactionId,
  account_id: accountId,
  event_id: eventId,
  url,
})

const toldLeft = ({ transactionId, accountId, verdict }: PlannedResend) => ({
  transaction_id: transactionId,
  account_id: accountId,
  because: verdict,
})

const toldSent = ({ transactionId, accountId, eventId, status, httpStatus, reason }: ResendOutcome) => ({
  transaction_id: transactionId,
  account_id: accountId,
  event_id: eventId,
  status,
  http_status: httpStatus,
  reason,
})

const BECAUSE: Readonly<Record<Exclude<ResendDecision, 'send'>, string>> = {
  'sent-before': 'this run has sent before (another --run <name> sends again)',
  'accepted-since': 'were accepted since',
  'not-completed': 'are not completed',
  'no-url': 'have no webhook URL',
}

const leftText = (left: readonly PlannedResend[]): readonly string[] => {
  const lines = Object.entries(BECAUSE).flatMap(([verdict, text]) => {
    const count = left.filter((each) => each.verdict === verdict).length
    return count > 0 ? [`${countText(count, 'payment')} left out that ${text}.`] : []
  })
  return lines.length > 0 ? [lines.join('\n')] : []
}

const named = (rows: readonly (readonly string[])[]): string => {
  const more = rows.length - 1 - NAMED_MAX
  return columns(rows.slice(0, NAMED_MAX + 1)) + (more > 0 ? `\n… and ${more} more (--json names all)` : '')
}
