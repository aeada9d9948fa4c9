import { type Locale as LocaleOf, localesOf } from '../../messages/locale.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'

/** The language of a member, and how numbers, money and times are written in it. */

export type Locale = LocaleOf<Messages>

/** A further language is a catalogue beside these two. */
const localeIn = localesOf<Messages>({ en, de })

/** The locale of a member: what the browser asks for, and the time zone of the account where it is known. */
export const localeFor = ({ languages, zone }: { readonly languages: string; readonly zone?: string }): Locale =>
  localeIn(languages, zone)
