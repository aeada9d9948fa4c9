import { type Locale, localesOf } from '../../messages/locale.ts'
import { frontWords as frontDe } from './front-de.ts'
import { type FrontWords, frontWords as frontEn } from './front-en.ts'
import { signWords as signDe } from './sign-de.ts'
import { type SignWords, signWords as signEn } from './sign-en.ts'

/** What the pages for people say who are not signed in, in their language. */

type PeopleMessages = { readonly front: FrontWords; readonly sign: SignWords }

export type PeopleLocale = Locale<PeopleMessages>

export const peopleLocale: (languages: string) => PeopleLocale = localesOf<PeopleMessages>({
  en: { front: frontEn, sign: signEn },
  de: { front: frontDe, sign: signDe },
})

/** The sentence of a refusal in the language of a page; one that nobody has put into it stays in English. */
export const refusalIn = ({ refusals }: SignWords, text: string | undefined): string | undefined =>
  text === undefined ? undefined : (refusals[text] ?? text)
