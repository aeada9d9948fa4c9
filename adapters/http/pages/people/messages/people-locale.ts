import { type Locale, localesOf } from '../../messages/locale.ts'
import { accountWords as accountDe } from './account-de.ts'
import { type AccountWords, accountWords as accountEn } from './account-en.ts'
import { frontWords as frontDe } from './front-de.ts'
import { type FrontWords, frontWords as frontEn } from './front-en.ts'
import { securityWords as securityDe } from './security-de.ts'
import { type SecurityWords, securityWords as securityEn } from './security-en.ts'
import { signWords as signDe } from './sign-de.ts'
import { type SignWords, signWords as signEn } from './sign-en.ts'

/** What the pages for people say of signing in and of their security, in their language. */

type PeopleMessages = {
  readonly front: FrontWords
  readonly sign: SignWords
  readonly security: SecurityWords
  readonly account: AccountWords
}

export type PeopleLocale = Locale<PeopleMessages>

export const peopleLocale: (languages: string) => PeopleLocale = localesOf<PeopleMessages>({
  en: { front: frontEn, sign: signEn, security: securityEn, account: accountEn },
  de: { front: frontDe, sign: signDe, security: securityDe, account: accountDe },
})

/** The sentence of a refusal in the language of a page; one that nobody has put into it stays in English. */
export const refusalIn = ({ refusals }: SignWords, text: string | undefined): string | undefined =>
  text === undefined ? undefined : (refusals[text] ?? text)
