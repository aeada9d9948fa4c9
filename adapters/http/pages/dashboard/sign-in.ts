import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peopleLocale } from '../people/messages/people-locale.ts'
import type { SignInPaths } from '../people/sign-in.ts'
import { peoplePage } from '../people-page.ts'

/** What pages of signing in to the dashboard say that users' pages do not. */

export const MEMBER_PATHS: SignInPaths = {
  signIn: '/dashboard/sign-in',
  confirm: '/dashboard/sign-in/confirm',
  signOut: '/dashboard/sign-out',
  home: '/dashboard',
}

/** The password is right, and nobody has followed the letter to the address yet. */
export const unconfirmedPage = (languages: string, email: string): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  const [before, after] = sign.letterSent
  return peoplePage({
    status: 403,
    lang,
    title: sign.confirmEmail,
    main: html`
      <p>${before}<strong>${email}</strong>${after}</p>
      <p class="hint">${sign.letterMay} ${sign.sentAgain}</p>
      <p class="ways"><a href=${MEMBER_PATHS.signIn}>${sign.signIn}</a></p>
    `,
  })
}

/** The password is right, and the person has no seat in any account any more. */
export const seatlessPage = (languages: string): Reply => {
  const { lang, words } = peopleLocale(languages)
  return peoplePage({
    status: 403,
    lang,
    title: words.sign.seatless,
    main: html`
      <p>${words.sign.seatlessText}</p>
      <p class="ways"><a href=${MEMBER_PATHS.signIn}>${words.sign.signIn}</a></p>
    `,
  })
}

/**
 * The ways back for somebody who does not know the password. No letter alone is one of them: whoever reads the mail of
 * a seller would say where buyers pay (N-93).
 */
export const forgotPage = (languages: string, base: string, cookies: readonly string[]): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  return peoplePage({
    cookies,
    lang,
    title: sign.forgot,
    main: html`
      <p>${sign.forgotAbout}</p>
      <section>
        <h2>${sign.withPasskey}</h2>
        <p>${sign.withPasskeyText}</p>
        <p><a href=${MEMBER_PATHS.signIn}>${sign.byPasskey}</a></p>
      </section>
      <section>
        <h2>${sign.withKey}</h2>
        <p>${sign.withKeyText}</p>
        <pre class="call"><code>${resetCall(base)}</code></pre>
      </section>
      <section>
        <h2>${sign.lostKey}</h2>
        <p>${sign.lostKeyText}</p>
        <p><a href="/recover-key">${sign.lostKeyWay}</a></p>
      </section>
      <section>
        <h2>${sign.invited}</h2>
        <p>${sign.invitedText}</p>
      </section>
      <section>
        <h2>${sign.neither}</h2>
        <p>${sign.neitherText}</p>
      </section>
      <p class="ways"><a href=${MEMBER_PATHS.signIn}>${sign.signIn}</a></p>
    `,
  })
}

const resetCall = (base: string): string =>
  [
    `curl ${base}/v1/reset-password \\`,
    "  -H 'x-api-key: sk_live_…' \\",
    "  -H 'content-type: application/json' \\",
    `  -d '{"new_password":"a long one"}'`,
  ].join('\n')
