import { Counter, Histogram, type Registry } from 'prom-client'
import { assetOf } from '../../domain/kernel/assets.ts'
import { minorDigits } from '../../domain/kernel/currencies.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { ASIDE_REASONS } from '../../domain/selling/transfers/transfer-events.ts'
import type { EventData, EventType } from '../../domain/write-side/deciders.ts'

/**
 * Metrics of the business, counted by the events of the log. Their labels have few values that are known beforehand,
 * and never the id of anybody. They begin at 0 with each process; whoever looks sums over processes.
 */

type Counts = ReturnType<typeof countersIn>

/** Makes the counters; each event is to be counted in one process alone. */
export const businessCounters = (registry: Registry): { count(events: readonly RecordedEvent[]): void } => {
  const counts = countersIn(registry)
  const counting = handlers(counts)
  return {
    count(events) {
      for (const event of events) {
        // The data of an event that cannot be read may not be looked at.
        if (event.unreadable !== undefined) continue
        const handler = counting[event.type as EventType] as ((data: object, event: RecordedEvent) => void) | undefined
        handler?.(event.data, event)
      }
    },
  }
}

const countersIn = (registry: Registry) => {
  const counter = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    known: readonly Record<L, string>[] = [],
  ) => {
    const made = new Counter<L>({ name, help, labelNames, registers: [registry] })
    // A series that begins at 1 shows no increase to who has not seen it at 0.
    for (const labels of known) made.inc(labels as Partial<Record<L, string>>, 0)
    return made
  }
  const results = (names: readonly string[]) => names.map((result) => ({ result }))
  return {
    opened: counter('daybook_challenges_opened_total', 'Sets of challenges that were opened', ['mode'], MODES),
    settlements: counter('daybook_settlements_total', 'Payments that have settled, by how they came and in what', [
      'rail',
      'asset',
      'mode',
    ]),
    settledUsd: counter('daybook_settled_usd_total', 'What has settled, in US dollars', ['rail', 'mode']),
    unmatched: counter(
      'daybook_unmatched_payments_total',
      'Payments that came and settle nothing, by the reason',
      ['reason'],
      ASIDE_REASONS.map((reason) => ({ reason })),
    ),
    fees: counter('daybook_fees_usd_total', 'Fees taken from the credit of sellers, in US dollars', ['reason']),
    webhooks: counter(
      'daybook_webhooks_total',
      'Webhooks to sellers by what came of them',
      ['result'],
      results(['accepted', 'refused', 'unanswered', 'skipped']),
    ),
    notices: counter(
      'daybook_app_notices_total',
      'Attempts to notify apps by what came of them',
      ['result'],
      results(['accepted', 'failed', 'given-up', 'skipped']),
    ),
    letters: counter('daybook_letters_total', 'Letters by what came of them', ['result'], results(['sent', 'failed'])),
    mandates: counter('daybook_mandates_total', 'What became of mandates, and their debits', ['what']),
    signed: counter(
      'daybook_x402_payments_total',
      'Signed payments by what came of them',
      ['result'],
      results(['accepted', 'settled', 'failed', 'reverted', 'reversed']),
    ),
    toSettled: new Histogram({
      name: 'daybook_block_to_settled_seconds',
      help: 'Seconds from the time of a payment’s block to its settlement',
      labelNames: ['network'] as const,
      buckets: [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400],
      registers: [registry],
    }),
  }
}

const MODES = [{ mode: 'live' }, { mode: 'test' }]

type Handlers = { readonly [T in EventType]?: (data: EventData<T>, event: RecordedEvent) => void }

const handlers = (counts: Counts): Handlers => ({
  ...sales(counts),
  ...reached(counts),
  ...mandates(counts),
  ChallengeOpened: ({ test }) => counts.opened.inc({ mode: modeOf(test) }),
  CreditDebited: ({ amount, reason }) => counts.fees.inc({ reason }, usdOf(amount)),
  AuthorizationAccepted: () => counts.signed.inc({ result: 'accepted' }),
  AuthorizationSettled: () => counts.signed.inc({ result: 'settled' }),
  AuthorizationFailed: () => counts.signed.inc({ result: 'failed' }),
  AuthorizationReverted: () => counts.signed.inc({ result: 'reverted' }),
  AuthorizationReversed: () => counts.signed.inc({ result: 'reversed' }),
})

const sales = ({ settlements, settledUsd, toSettled, unmatched }: Counts): Handlers => {
  const settled = (rail: string, asset: string, usd: string, test: boolean) => {
    const mode = modeOf(test)
    settlements.inc({ rail, asset, mode })
    settledUsd.inc({ rail, mode }, usdOf(usd))
  }
  return {
    ChallengeSettled({ asset, transfer, usd, test }, { at }) {
      const rail = test ? 'simulated' : transfer.authorization === undefined ? 'transfer' : 'signed'
      // A seller's own token has a code of the seller's, of which there may be any number.
      settled(rail, assetOf(asset) ? asset : 'custom', usd, test)
      const seconds = (Date.parse(at) - Date.parse(transfer.minedAt)) / 1_000
      if (!test && networkOf(transfer.network) && seconds >= 0)
        toSettled.observe({ network: transfer.network }, seconds)
    },
    CardPaymentSettled: ({ currency, usd, test }) =>
      settled('card', minorDigits(currency) === undefined ? 'other' : currency.toLowerCase(), usd, test),
    TransferSetAside: ({ reason }) => unmatched.inc({ reason }),
    CardPaymentSetAside: ({ reason }) => unmatched.inc({ reason }),
  }
}

/** What reached somebody outside, or did not. */
const reached = ({ webhooks, notices, letters }: Counts): Handlers => ({
  DeliveryAccepted: () => webhooks.inc({ result: 'accepted' }),
  DeliveryFailed: ({ status, reason }) =>
    webhooks.inc({ result: reason === 'webhook-cleared' ? 'skipped' : status === null ? 'unanswered' : 'refused' }),
  DeliverySkipped: () => webhooks.inc({ result: 'skipped' }),
  NotificationAccepted: () => notices.inc({ result: 'accepted' }),
  NotificationAttemptFailed: ({ nextAt }) => notices.inc({ result: nextAt === null ? 'given-up' : 'failed' }),
  NotificationSkipped: () => notices.inc({ result: 'skipped' }),
  LetterSent: () => letters.inc({ result: 'sent' }),
  LetterFailed: ({ reason }) => letters.inc({ result: reason === 'erased' ? 'erased' : 'failed' }),
})

const mandates = ({ mandates, settlements, settledUsd }: Counts): Handlers => ({
  MandateCreated: () => mandates.inc({ what: 'created' }),
  MandateApproved: () => mandates.inc({ what: 'approved' }),
  MandateDeclined: () => mandates.inc({ what: 'declined' }),
  MandateRevoked: () => mandates.inc({ what: 'revoked' }),
  StandingOrderDebitMissed: () => mandates.inc({ what: 'debit-missed' }),
  BalanceSent({ kind, total }) {
    if (kind === 'standing-order') mandates.inc({ what: 'debited' })
    if (kind !== 'intent' && kind !== 'standing-order') return
    settlements.inc({ rail: 'balance', asset: 'usd', mode: 'live' })
    settledUsd.inc({ rail: 'balance', mode: 'live' }, usdOf(total))
  },
})

const modeOf = (test: boolean) => (test ? 'test' : 'live')

/** A metric is for looking at and need not be exact to the last millionth. */
const usdOf = (millionths: string): number => Number(millionths) / 1e6
