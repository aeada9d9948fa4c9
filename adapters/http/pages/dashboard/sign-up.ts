import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peopleLocale } from '../people/messages/people-locale.ts'
import { peoplePage } from '../people-page.ts'

/** The page after sign-up: the owner key, once, and the letter to be opened. It is the same for every address. */
export const newAccountPage = (languages: string, email: string, apiKey: string): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  const [before, after] = sign.letterSent
  return peoplePage({
    lang,
    title: sign.lookIntoMail,
    main: html`
      <p>${before}<strong>${email}</strong>${after}</p>
      <section>
        <h2>${sign.ownerKey}</h2>
        <p>${sign.ownerKeyText} <strong>${sign.ownerKeyOnce}</strong></p>
        <p><code>${apiKey}</code></p>
      </section>
      <p class="hint">${sign.letterMay}</p>
      <p class="ways"><a href="/dashboard/sign-in">${sign.signIn}</a></p>
    `,
  })
}
