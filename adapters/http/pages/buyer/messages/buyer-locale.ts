import { type Locale, localesOf } from '../../messages/locale.ts'
import { de } from './de.ts'
import { type BuyerMessages, en } from './en.ts'

/** The language of a buyer. A further one is a catalogue beside these two. */

export type BuyerLocale = Locale<BuyerMessages>

export const buyerLocale: (languages: string) => BuyerLocale = localesOf<BuyerMessages>({ en, de })
