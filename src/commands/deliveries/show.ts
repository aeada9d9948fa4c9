import type { EventStore, RecordedEvent, Vault } from '../../../domain/kernel/ports.ts'
import type { DeliveryOutcome, SentBody } from '../../../domain/reading/sent-body.ts'
import { sentWebhook } from '../../../domain/reading/sent-webhook.ts'
import type { ScheduledDelivery } from '../../../domain/selling/webhooks/delivery-request.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger } from '../../books/operator-ledger.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { world } from '../../settings/world.ts'
import { deliveryRecord, deliveryRows, table } from './list.ts'

/** Attempts of one transaction that are shown. */
const ATTEMPTS_SHOWN = 100

/** Shows what was sent, to the byte, what came back and when, and every attempt of the same transaction. */
export const showDelivery = async (books: Books, config: Config, out: Output, eventId: string): Promise<void> => {
  const store = await books.store()
  const [scheduled, outcome] = await streamOf(store, `delivery-${eventId}`)
  if (!scheduled) throw new CommandFailure(`there is no webhook ${eventId}`)
  const rows = await deliveryRows(books, out)
  const { transactionId } = scheduled.data as { transactionId: string }
  const attempts = transactionId === '' ? [] : await rows.deliveriesOf(transactionId, ATTEMPTS_SHOWN)
  const sent = isSent(scheduled) ? await sentOf(books, config, scheduled, outcome) : undefined
  const received = outcome && receivedOf(outcome.data as DeliveryOutcome)
  await out.tell(
    {
      event_id: eventId,
      ...whose(scheduled),
      ...sent,
      received: received ?? null,
      attempts: attempts.map(deliveryRecord),
    },
    [
      heading(eventId, scheduled),
      sent ? sentText(sent.sent) : 'Nothing was sent: there was no URL when the payment completed.',
      ...(received ? [answerText(received)] : sent ? ['No answer is known yet.'] : []),
      ...(attempts.length > 0 ? [`Every attempt of the transaction:\n${table(attempts)}`] : []),
    ].join('\n\n'),
  )
}

const isSent = (event: RecordedEvent): event is ScheduledDelivery => event.type === 'DeliveryScheduled'

const sentOf = async (
  books: Books,
  config: Config,
  scheduled: ScheduledDelivery,
  outcome: RecordedEvent | undefined,
) => {
  const { url, transactionId } = scheduled.data
  const history = transactionId === '' ? [] : await streamOf(await books.store(), `transaction-${transactionId}`)
  const events = outcome ? [scheduled, outcome] : [scheduled]
  const sent = await sentWebhook({ vault: lazyVault(books, config), world }, events, history)
  return { sent: { url, method: 'POST', headers: sent?.headers ?? {}, ...bodyOf(sent?.body) } }
}

const bodyOf = (body: SentBody | undefined) => ({
  body: body?.text ?? null,
  body_sha256: body?.sha256 ?? null,
  body_is: body?.proof ?? null,
})

const receivedOf = ({ status, reason, bodyHead, durationMs, attemptedAt }: DeliveryOutcome) => ({
  status,
  reason,
  body: bodyHead,
  duration_ms: durationMs,
  at: attemptedAt,
})

const whose = ({ at, data }: RecordedEvent) => {
  const { accountId, transactionId, slot, reason, run } = data as Partial<ScheduledDelivery['data']>
  return {
    account_id: accountId,
    transaction_id: transactionId,
    kind: reason ?? 'first',
    run: run ?? null,
    slot: slot ?? null,
    scheduled_at: at,
  }
}

const heading = (eventId: string, event: RecordedEvent): string => {
  const { account_id, transaction_id, kind, slot, scheduled_at } = whose(event)
  const what = transaction_id === '' ? 'which tried a URL out' : `of transaction ${transaction_id}`
  const to = slot ? `, to the URL of the ${slot}` : ''
  return `Webhook ${eventId} ${what} of ${account_id}\n${kind}${to}, scheduled ${scheduled_at}`
}

type SentDelivery = Awaited<ReturnType<typeof sentOf>>['sent']

const sentText = ({ url, headers, body, body_sha256, body_is }: SentDelivery): string =>
  [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body ?? '(there is no such transaction)',
    '',
    `SHA-256 of the body: ${body_sha256} (${body_is ? PROOFS[body_is] : '–'})`,
  ].join('\n')

const PROOFS: Readonly<Record<SentBody['proof'], string>> = {
  same: 'as noted when it was sent: these are the very bytes',
  likely: 'made again from the facts of that time; no digest was noted to prove it',
  erased: 'what it told of a person was erased since, and the digest with it',
  different: 'NOT what was noted when it was sent: another release made it',
}

const answerText = ({ status, reason, body, duration_ms, at }: ReturnType<typeof receivedOf>): string =>
  [
    `Answered ${status ?? `nothing (${reason ?? 'no reason is known'})`} after ${duration_ms} ms; sent at ${at}`,
    ...(body === '' ? [] : [body]),
  ].join('\n')

const streamOf = async (store: EventStore, stream: string): Promise<readonly RecordedEvent[]> =>
  (await Array.fromAsync(store.read(stream))).flat()

/**
 * A vault that is opened when it is first asked: few transactions hold something sealed, and only they need the master
 * key.
 */
const lazyVault = (books: Books, config: Config): Pick<Vault, 'open'> => {
  let opening: Promise<{ vault: Vault }> | undefined
  return {
    open: async (sealed) => {
      opening ??= openSealedLedger(books, () => openDataDir(config).masterKeys())
      return (await opening).vault.open(sealed)
    },
  }
}
