import { decider } from '../kernel/decider.ts'

/**
 * What a seller is told of by letter, where its settings say so (`notifications.email`): sales, underpayments, money
 * that settles nothing, webhooks that failed. A stream is named by the account and one kind, and gives at most one
 * letter an hour, which tells all that has come since the one before.
 */

export type NewsKind = 'sale' | 'underpayment' | 'odd-payment' | 'webhook-failure'

/** One thing to be told. It names nobody, so that it need not be sealed. */
export type NewsItem = {
  /** The number of the transaction, or the challenge or the hash where none is known. */
  reference: string
  /** Decimals, with their currency or coin: what was sold, or what has come and what was asked. */
  amount?: string
  currency?: string
  asked?: string
  /** What a receiver has answered; null when it gave no answer. */
  status?: number | null
  /** Why there was no answer, or why money settles nothing. */
  reason?: string
}

type Noted = {
  accountId: string
  kind: NewsKind
  /** The place of the event that it is about, in the ledger's order. */
  order: string
}

export type NewsEvents = {
  /** Something is to be told by the next letter, because the last one was scheduled within the hour. */
  NewsNoted: Noted & { item: NewsItem }
  /** A letter is to be sent. It tells how much has come, and names the first of it. */
  NewsLetterScheduled: Noted & { count: number; items: readonly NewsItem[]; scheduledAt: string }
}

export type NewsCommands = {
  /** Does nothing for what was noted before: whoever reports it goes through the log in its order. */
  note: Noted & { item: NewsItem }
  /** Tells what waits, once the hour is over. */
  tell: Record<never, never>
}

/** Milliseconds from one letter of a kind to the next. */
export const NEWS_EVERY_MS = 3_600_000
/** Things that one letter names; it counts the others. */
export const NEWS_NAMED_MAX = 10

type State = {
  /** The place of the last event that was noted. */
  through: bigint
  scheduledAt: string
  /** What waits to be told: how much, and the first of it. */
  count: number
  items: readonly NewsItem[]
  of: Pick<Noted, 'accountId' | 'kind'> | undefined
}

const isDue = ({ scheduledAt }: State, now: string): boolean =>
  scheduledAt === '' || Date.parse(now) - Date.parse(scheduledAt) >= NEWS_EVERY_MS

const withItem = ({ items }: State, item: NewsItem): readonly NewsItem[] =>
  items.length < NEWS_NAMED_MAX ? [...items, item] : items

export const news = decider<NewsEvents, NewsCommands, State>({
  category: 'news',
  stateVersion: 1,
  initial: { through: -1n, scheduledAt: '', count: 0, items: [], of: undefined },
  decide: {
    note: (state, { item, ...noted }, now) => {
      if (BigInt(noted.order) <= state.through) return []
      if (!isDue(state, now)) return [{ type: 'NewsNoted', data: { ...noted, item } }]
      const told = { count: state.count + 1, items: withItem(state, item), scheduledAt: now }
      return [{ type: 'NewsLetterScheduled', data: { ...noted, ...told } }]
    },
    tell: (state, _, now) => {
      const { of, count, items, through } = state
      if (!of || count === 0 || !isDue(state, now)) return []
      const data = { ...of, order: String(through), count, items, scheduledAt: now }
      return [{ type: 'NewsLetterScheduled', data }]
    },
  },
  evolve: {
    NewsNoted: (state, { accountId, kind, order, item }) => ({
      ...state,
      through: BigInt(order),
      count: state.count + 1,
      items: withItem(state, item),
      of: { accountId, kind },
    }),
    NewsLetterScheduled: (_, { accountId, kind, order, scheduledAt }) => ({
      through: BigInt(order),
      scheduledAt,
      count: 0,
      items: [],
      of: { accountId, kind },
    }),
  },
})

/** The id of the stream of one kind of news of an account. */
export const newsId = (accountId: string, kind: NewsKind): string => `${accountId}.${kind}`
