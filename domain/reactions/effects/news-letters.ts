import type { NewsItem, NewsKind } from '../../account/news.ts'
import type { Letter } from '../../kernel/mail.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/** Sends a seller the letters that its settings ask for (`notifications.email`). The event says what each one tells. */
export const sendNewsLetter: Effect = {
  name: 'send-news-letter',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    NewsLetterScheduled: ({ id, data }, context) =>
      mailOnce(context, id, data.accountId, () => newsLetter(context, data)),
  },
}

type News = EventData<'NewsLetterScheduled'>

const newsLetter = async (
  { ledger, vault, origins }: EffectContext,
  { accountId, kind, count, items }: News,
): Promise<Letter | undefined> => {
  const account = await ledger.account.read(accountId)
  const to = account.status === 'none' ? undefined : await vault.open(account.email)
  if (to === undefined) return undefined
  const { one, several, each, path } = WORDS[kind]
  const subject = count === 1 ? one : several(count)
  const more = count - items.length
  const text = [
    `${subject}:`,
    '',
    ...items.map((item) => `- ${each(item)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    `${origins.base}${path}`,
    '',
    'You get at most one such letter an hour. To end them, send',
    '{"notifications": {"email": false}} by PUT to the settings:',
    `${origins.base}/v1/settings`,
  ]
  return { to, subject, text: text.join('\n') }
}

type Words = {
  readonly one: string
  several(count: number): string
  each(item: NewsItem): string
  /** Where all of it is read. */
  readonly path: string
}

/** Why money settles nothing; the settlement log says the same. */
const WHY: Readonly<Record<string, string>> = {
  unmatched: ', which no open challenge asks for',
  late: ', after its challenge had expired',
  doubled: ', for what was paid already',
}

const WORDS: Readonly<Record<NewsKind, Words>> = {
  sale: {
    one: 'A payment has settled',
    several: (count) => `${count} payments have settled`,
    each: ({ reference, amount, currency }) => `${amount} ${currency}, transaction ${reference}`,
    path: '/v1/transactions',
  },
  underpayment: {
    one: 'A payment was too low',
    several: (count) => `${count} payments were too low`,
    each: ({ reference, amount, asked, currency }) => `${amount} of ${asked} ${currency} came for ${reference}`,
    path: '/v1/settlements',
  },
  'odd-payment': {
    one: 'A payment has come that settles nothing',
    several: (count) => `${count} payments have come that settle nothing`,
    each: ({ reference, amount = 'some', currency, reason = '' }) =>
      `${amount} ${currency}${WHY[reason] ?? ''}: ${reference}`,
    path: '/v1/settlements',
  },
  'webhook-failure': {
    one: 'A webhook could not be delivered',
    several: (count) => `${count} webhooks could not be delivered`,
    each: ({ reference, status, reason }) =>
      `transaction ${reference}: ${status == null ? `no answer${reason === undefined ? '' : ` (${reason})`}` : `your server answered ${status}`}`,
    path: '/v1/transactions',
  },
}
