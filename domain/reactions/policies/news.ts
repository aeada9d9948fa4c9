import { type NewsItem, type NewsKind, newsId } from '../../account/news.ts'
import { assetOf } from '../../kernel/assets.ts'
import { idOf } from '../../kernel/decider.ts'
import { toDecimal } from '../../kernel/money.ts'
import type { RecordedEvent, World } from '../../kernel/ports.ts'
import { challengeParts, coinFacts } from '../../selling/challenge-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * Milliseconds after which something is no news any more, so that nobody is written to about a log that is read anew.
 */
const NEWS_AGE_MAX_MS = 86_400_000

/**
 * Notes what a seller wants letters about: each sale that settles, each underpayment, money that settles nothing, each
 * webhook that failed. Tests
 * are no news, and neither is what the seller has done by hand and was answered at once (N-33).
 */
export const noteNews: Policy = policy({
  name: 'note-news',
  // The news of one kind tell by the event's place what was noted.
  keys: {
    TransactionCompleted: ({ data }) => [newsId(data.accountId, 'sale')],
    ChallengeUnderpaid: ({ data }) => [newsId(data.accountId, 'underpayment')],
    TransferSetAside: ({ data }) => [newsId(data.accountId, 'odd-payment')],
    DeliveryFailed: ({ data }) => [newsId(data.accountId, 'webhook-failure')],
  },
  on: {
    TransactionCompleted: (event, known) =>
      note(event, known, 'sale', async () => {
        if (event.data.test) return undefined
        // The state is at least what the event that is answered here has made of it.
        const sale = await known.ledger.transaction.recent(idOf(event.stream))
        if (sale.status === 'none' || sale.payoutId !== undefined) return undefined
        const { amountFiat, currency, amount, cryptocurrency } = sale
        const price = amountFiat === '' ? { amount, currency: cryptocurrency } : { amount: amountFiat, currency }
        return { reference: idOf(event.stream), ...price }
      }),
    ChallengeUnderpaid: (event, known) =>
      note(event, known, 'underpayment', async () => {
        const { test, challengeId, asset, asked, transfer, paid = transfer.amount, paymentRequest } = event.data
        if (test) return undefined
        const decimals = event.data.decimals ?? (await decimalsOf(known.ledger, challengeId, asset))
        const coins = (units: string) => toDecimal(BigInt(units), decimals)
        const reference = paymentRequest?.transactionId ?? challengeId
        return { reference, amount: coins(paid), asked: coins(asked), currency: asset }
      }),
    TransferSetAside: (event, known) =>
      note(event, known, 'odd-payment', async () => {
        const { challengeId, asset, reason, transfer } = event.data
        const decimals = event.data.decimals ?? assetOf(asset)?.decimals
        const amount = decimals === undefined ? {} : { amount: toDecimal(BigInt(transfer.amount), decimals) }
        return { reference: challengeId ?? transfer.tx, ...amount, currency: asset, reason }
      }),
    DeliveryFailed: (event, known) =>
      note(event, known, 'webhook-failure', async () => {
        const delivery = await known.ledger.delivery.read(idOf(event.stream))
        if (delivery.status !== 'done' || delivery.test) return undefined
        const isByHand = delivery.reason !== undefined && delivery.run === undefined
        const { transactionId: reference, status, reason } = event.data
        return isByHand ? undefined : { reference, status, ...(reason !== null && { reason }) }
      }),
  },
})

type Known = { readonly ledger: Ledger; readonly world: World }
type SellersEvent = RecordedEvent<{ readonly type: string; readonly data: { readonly accountId: string } }>

const note = async (
  { at, order, data: { accountId } }: SellersEvent,
  { ledger, world }: Known,
  kind: NewsKind,
  item: () => Promise<NewsItem | undefined>,
): Promise<void> => {
  if (world.now().getTime() - Date.parse(at) > NEWS_AGE_MAX_MS) return
  if (!(await ledger.settings.recent(accountId)).notifications.email) return
  const told = await item()
  if (told) await ledger.news.note(newsId(accountId, kind), { accountId, kind, order: String(order), item: told })
}

const decimalsOf = async (ledger: Ledger, challengeId: string, asset: string): Promise<number> => {
  const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? '')
  const entry = set.status === 'none' ? undefined : set.entries.find((each) => each.asset === asset)
  return entry ? coinFacts(entry).decimals : 0
}
