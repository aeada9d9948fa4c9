import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'
import { type FactorFields, factorFields, PASSKEY_SCRIPTS, passkeyButton } from './factor-fields.ts'
import { field, hiddenFields, problem } from './fields.ts'
import { peopleLocale, refusalIn } from './messages/people-locale.ts'

/** The pages by which somebody signs in. */

/** The paths of signing in: users and members have the same pages at other paths. */
export type SignInPaths = {
  readonly signIn: string
  readonly confirm: string
  readonly signOut: string
  /** Where somebody is who stays signed in. */
  readonly home: string
}

const USER_PATHS: SignInPaths = {
  signIn: '/sign-in',
  confirm: '/sign-in/confirm',
  signOut: '/sign-out',
  home: '/account',
}

export type SignInPage = {
  readonly languages: string
  readonly paths?: SignInPaths
  readonly cookies?: readonly string[]
  /** Hidden fields that every form carries on. */
  readonly carried: Readonly<Record<string, string | undefined>>
  readonly email?: string | undefined
  readonly error?: string | undefined
  /** Somebody who is signed in has to sign in again. */
  readonly again?: boolean
  readonly challenge: string
  readonly options: string
  /** Links that keep where the browser is led afterwards. */
  readonly links: { readonly signUp: string; readonly forgot: string }
  /** Origins at which the browser may end up beside our own pages. */
  readonly formTo: readonly string[]
  readonly status?: number
}

export const signInPage = ({
  languages,
  paths = USER_PATHS,
  carried,
  email,
  error,
  again,
  challenge,
  options,
  links,
  ...frame
}: SignInPage): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  return peoplePage({
    ...frame,
    lang,
    title: again ? sign.signInAgain : sign.signIn,
    scripts: PASSKEY_SCRIPTS,
    main: html`
      ${again && html`<p>${sign.again}</p>`}
      ${problem(refusalIn(sign, error))}
      <form method="post" action=${paths.signIn}>
        ${hiddenFields(carried)}
        ${field({
          name: 'email',
          label: sign.email,
          type: 'email',
          autocomplete: 'username webauthn',
          maxlength: 254,
          value: email,
          autofocus: email === undefined,
        })}
        ${field({
          name: 'password',
          label: sign.password,
          type: 'password',
          autocomplete: 'current-password',
          autofocus: email !== undefined,
          maxlength: 1_000,
        })}
        <button type="submit">${sign.signIn}</button>
      </form>
      <form method="post" action=${paths.signIn} class="beside">
        ${hiddenFields({ ...carried, challenge })} ${passkeyButton({ options, label: sign.byPasskey, words: sign })}
      </form>
      <p class="ways"><a href=${links.forgot}>${sign.forgot}</a> <a href=${links.signUp}>${sign.signUp}</a></p>
    `,
  })
}

export type SecondFactorPage = Omit<FactorFields, 'error' | 'words'> & {
  readonly languages: string
  readonly error?: string | undefined
  readonly csrf: string | undefined
  readonly formTo: readonly string[]
  readonly paths?: SignInPaths
}

export const secondFactorPage = ({ paths = USER_PATHS, languages, ...factor }: SecondFactorPage): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  const error = refusalIn(sign, factor.error)
  return peoplePage({
    ...(error !== undefined && { status: 422 }),
    lang,
    title: sign.oneMore,
    formTo: factor.formTo,
    scripts: factor.options === undefined ? [] : PASSKEY_SCRIPTS,
    main: html`
      ${problem(factor.totp ? undefined : error)}
      <form method="post" action=${paths.confirm}>
        ${hiddenFields({ csrf: factor.csrf })} ${factorFields({ ...factor, words: sign, error: factor.totp ? error : undefined })}
        <button type="submit">${sign.goOn}</button>
      </form>
      <p class="ways"><a href=${paths.signIn}>${sign.startAgain}</a></p>
    `,
  })
}

/** The page when the password is right, but nobody has shown yet that the address is theirs. */
export const unverifiedPage = (languages: string, email: string): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  const [before, after] = sign.letterSent
  return peoplePage({
    lang,
    title: sign.confirmEmail,
    main: html`
      <p>${before}<strong>${email}</strong>${after}</p>
      <p class="hint">${sign.letterMay}</p>
    `,
  })
}

/**
 * Somebody has proven who they are, and whoever runs the service has suspended them, or their account; `text` says what
 * that means.
 */
export const suspendedPage = (
  languages: string,
  reason: string,
  text: 'suspendedText' | 'suspendedUserText',
): Reply => {
  const { lang, words } = peopleLocale(languages)
  return peoplePage({
    status: 403,
    lang,
    title: words.sign.suspended,
    main: html`
      <p>${reason}</p>
      <p>${words.sign[text]}</p>
    `,
  })
}

export const signOutPage = (languages: string, csrf: string, paths = USER_PATHS): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  return peoplePage({
    lang,
    title: sign.signOut,
    main: html`
      <form method="post" action=${paths.signOut}>
        ${hiddenFields({ csrf })}
        <button type="submit">${sign.signOut}</button>
      </form>
      <p class="ways"><a href=${paths.home}>${sign.staySignedIn}</a></p>
    `,
  })
}

export const signedOutPage = (languages: string, paths = USER_PATHS, cookies: readonly string[] = []): Reply => {
  const { lang, words } = peopleLocale(languages)
  return peoplePage({
    lang,
    cookies,
    title: words.sign.signedOut,
    main: html`<p class="ways"><a href=${paths.signIn}>${words.sign.signIn}</a></p>`,
  })
}
