import { pageWith } from '../message.ts'
import { buyerLocale } from './messages/buyer-locale.ts'
import type { BuyerMessages } from './messages/en.ts'

/** Why a buyer gets no page, in plain words; what exactly was refused is for machines. */
export const failurePage = (status: number, languages: string, waitS?: number): string => {
  const { lang, words } = buyerLocale(languages)
  const [title, text] = words.failures[FAILURES[status] ?? 'ours']
  return pageWith({ lang, title, text: status === 429 && waitS !== undefined ? waitWords(words, waitS) : text })
}

type Failure = Exclude<keyof BuyerMessages['failures'], 'waitSeconds' | 'waitMinutes'>

const FAILURES: Readonly<Record<number, Failure>> = {
  400: 'link',
  404: 'missing',
  405: 'browser',
  409: 'paid',
  410: 'over',
  429: 'crowded',
  503: 'later',
}

/** From so many seconds on a wait is told in minutes. */
const MINUTES_FROM_S = 90

const waitWords = ({ failures }: BuyerMessages, seconds: number): string =>
  seconds < MINUTES_FROM_S ? failures.waitSeconds(seconds) : failures.waitMinutes(Math.ceil(seconds / 60))
