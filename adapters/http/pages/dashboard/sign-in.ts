import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
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
export const unconfirmedPage = (email: string): Reply =>
  peoplePage({
    status: 403,
    title: 'Confirm your email address',
    main: html`
      <p>We have sent a letter to <strong>${email}</strong>. Open the link in it, and you can sign in.</p>
      <p class="hint">
        It may take a minute, and may be among unwanted mail. Signing in again sends another one, five an hour at most.
      </p>
      <p class="ways"><a href=${MEMBER_PATHS.signIn}>Sign in</a></p>
    `,
  })

/** The password is right, and whoever runs the service has suspended the account. */
export const suspendedPage = (reason: string): Reply =>
  peoplePage({
    status: 403,
    title: 'This account is suspended',
    main: html`
      <p>${reason}</p>
      <p>Nobody can sign in to it. Payments that were asked for before still arrive. Please write to whoever runs this service.</p>
    `,
  })

/** The ways back for somebody who does not know the password. */
export const forgotPage = (cookies: readonly string[]): Reply =>
  peoplePage({
    cookies,
    title: 'Forgot your password?',
    main: html`
      <section>
        <h2>You have your owner key</h2>
        <p>
          Set another password with it: <code>POST /v1/reset-password</code>. It signs you in 24 hours later, so that a
          stolen key alone opens nothing.
        </p>
      </section>
      <section>
        <h2>You have lost your owner key</h2>
        <p>A mailed link gives you a new one, together with the password.</p>
        <p><a href="/recover-key">Ask for the letter</a></p>
      </section>
      <p>You have neither? Write to whoever runs this service.</p>
      <p class="ways"><a href=${MEMBER_PATHS.signIn}>Sign in</a></p>
    `,
  })
