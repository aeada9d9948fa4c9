import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'
import { type FactorFields, factorFields, PASSKEY_SCRIPTS, passkeyButton } from './factor-fields.ts'
import { field, hiddenFields, problem } from './fields.ts'

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
  paths = USER_PATHS,
  carried,
  email,
  error,
  again,
  challenge,
  options,
  links,
  ...frame
}: SignInPage): Reply =>
  peoplePage({
    ...frame,
    title: again ? 'Sign in again' : 'Sign in',
    scripts: PASSKEY_SCRIPTS,
    main: html`
      ${again && html`<p>What you are about to do needs to know that it is still you.</p>`}
      ${problem(error)}
      <form method="post" action=${paths.signIn}>
        ${hiddenFields(carried)}
        ${field({
          name: 'email',
          label: 'Email address',
          type: 'email',
          autocomplete: 'username webauthn',
          maxlength: 254,
          value: email,
          autofocus: email === undefined,
        })}
        ${field({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          autofocus: email !== undefined,
          maxlength: 1_000,
        })}
        <button type="submit">Sign in</button>
      </form>
      <form method="post" action=${paths.signIn} class="beside">
        ${hiddenFields({ ...carried, challenge })} ${passkeyButton({ options, label: 'Sign in with a passkey' })}
      </form>
      <p class="ways"><a href=${links.forgot}>Forgot your password?</a> <a href=${links.signUp}>Create an account</a></p>
    `,
  })

export type SecondFactorPage = Omit<FactorFields, 'error'> & {
  readonly error?: string | undefined
  readonly csrf: string | undefined
  readonly formTo: readonly string[]
  readonly paths?: SignInPaths
}

export const secondFactorPage = ({ paths = USER_PATHS, ...factor }: SecondFactorPage): Reply =>
  peoplePage({
    ...(factor.error !== undefined && { status: 422 }),
    title: 'One more step',
    formTo: factor.formTo,
    scripts: factor.options === undefined ? [] : PASSKEY_SCRIPTS,
    main: html`
      ${problem(factor.totp ? undefined : factor.error)}
      <form method="post" action=${paths.confirm}>
        ${hiddenFields({ csrf: factor.csrf })} ${factorFields({ ...factor, error: factor.totp ? factor.error : undefined })}
        <button type="submit">Continue</button>
      </form>
      <p class="ways"><a href=${paths.signIn}>Start again</a></p>
    `,
  })

/** The page when the password is right, but nobody has shown yet that the address is theirs. */
export const unverifiedPage = (email: string): Reply =>
  peoplePage({
    title: 'Confirm your email address',
    main: html`
      <p>We have sent a letter to <strong>${email}</strong>. Open the link in it, and you can sign in.</p>
      <p class="hint">It may take a minute, and may be among unwanted mail. Signing in again sends another one.</p>
    `,
  })

export const signOutPage = (csrf: string, paths = USER_PATHS): Reply =>
  peoplePage({
    title: 'Sign out',
    main: html`
      <form method="post" action=${paths.signOut}>
        ${hiddenFields({ csrf })}
        <button type="submit">Sign out</button>
      </form>
      <p class="ways"><a href=${paths.home}>Stay signed in</a></p>
    `,
  })

export const signedOutPage = (paths = USER_PATHS, cookies: readonly string[] = []): Reply =>
  peoplePage({
    cookies,
    title: 'You are signed out',
    main: html`<p class="ways"><a href=${paths.signIn}>Sign in</a></p>`,
  })
