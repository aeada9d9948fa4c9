import { type Locale, localesOf } from '../../messages/locale.ts'
import { de } from './de.ts'
import { en, type StoreWords } from './en.ts'

/** The language of who visits a store. */

export type StoreLocale = Locale<StoreWords>

export const storeLocale: (languages: string) => StoreLocale = localesOf<StoreWords>({ en, de })

/** The sentence of a refusal in the language of a page; one that nobody has put into it stays in English. */
export const faultIn = ({ words: { refusals } }: StoreLocale, text: string | undefined): string | undefined =>
  text === undefined ? undefined : (refusals[text] ?? text)
