import { html } from 'htm/preact'
import type { Profile } from '../../../../domain/use-cases/signin/register-user.ts'
import type { Reply } from '../../core/endpoint.ts'
import { type PeopleFrame, peoplePage } from '../people-page.ts'
import { accountPage, when } from './account-frame.ts'
import { doneNotice, field, hiddenFields, problem } from './fields.ts'
import { type PeopleLocale, refusalIn } from './messages/people-locale.ts'
import { newPassword } from './sign-up.ts'

/** The pages of one's own account: who one is, how one is reached, and where one is signed in. */

type Errors = Readonly<Record<string, string | undefined>>

export type ProfilePage = {
  readonly csrf: string
  readonly profile: Profile
  readonly errors?: Errors
  readonly done?: string | undefined
}

export const profilePage = ({ csrf, profile, errors, done: said }: ProfilePage): Reply =>
  accountPage({
    ...(errors && { status: 422 }),
    csrf,
    at: '/account',
    title: 'Your profile',
    main: html`
      ${doneNotice(said)}
      <p>Apps that you sign in to learn this when you let them.</p>
      <form method="post" action="/account">
        ${hiddenFields({ csrf })}
        ${field({ ...text('name', 'Name', 'name'), value: profile.name, error: errors?.name })}
        ${field({
          ...text('preferred_username', 'Short name', 'nickname'),
          value: profile.preferred_username,
          error: errors?.preferred_username,
        })}
        ${field({
          ...text('picture', 'Address of a picture', 'photo'),
          type: 'url',
          maxlength: 1_000,
          value: profile.picture,
          error: errors?.picture,
          hint: 'Starts with https://',
        })}
        ${field({
          ...text('locale', 'Language', 'language'),
          maxlength: 35,
          value: profile.locale,
          error: errors?.locale,
          hint: 'Such as en, de-CH or pt-BR',
        })}
        <button type="submit">Save</button>
      </form>
    `,
  })

const text = (name: string, label: string, autocomplete: string) => ({
  name,
  label,
  autocomplete,
  optional: true,
  maxlength: 100,
})

export type EmailPage = {
  readonly csrf: string
  readonly present: string
  readonly email?: string
  readonly errors?: Errors
  readonly fields: unknown
  readonly scripts: readonly string[]
}

export const emailPage = ({ csrf, present, email, errors, fields, scripts }: EmailPage): Reply =>
  accountPage({
    ...(errors && { status: 422 }),
    csrf,
    scripts,
    at: '/account/security',
    title: 'Change your email address',
    main: html`
      <p>You sign in as <strong>${present}</strong>. Both addresses get a letter, and the change is made once both links were followed.</p>
      ${problem(errors?.proof)}
      <form method="post" action="/account/email">
        ${hiddenFields({ csrf })}
        ${field({
          name: 'email',
          label: 'New email address',
          type: 'email',
          autocomplete: 'email',
          maxlength: 254,
          value: email,
          error: errors?.email,
        })}
        ${fields}
        <button type="submit">Send both letters</button>
      </form>
      <p class="ways"><a href="/account/security">Leave it as it is</a></p>
    `,
  })

/** A page of the account that says one thing. */
export const saidPage = (frame: { csrf: string; title: string; text: string; cookies: readonly string[] }): Reply =>
  accountPage({ ...frame, at: '/account/security', main: html`<p>${frame.text}</p>` })

export const confirmEmailPage = ({ token, csrf }: { token: string; csrf: string | undefined }): Reply =>
  peoplePage({
    title: 'Change the email address',
    main: html`
      <p>This agrees that your account gets the new address. The change is made once both letters were followed.</p>
      <form method="post" action="/account/email/confirm">
        ${hiddenFields({ token, csrf })}
        <button type="submit">I agree</button>
      </form>
    `,
  })

const EMAIL_SAID = {
  changed: ['Your email address is changed', 'From now on you sign in with the new one.'],
  waiting: ['One more letter', 'Thank you. Now follow the link in the letter to the other address.'],
  taken: ['This address is in use', 'Another account has this address, so yours stays as it was.'],
} as const

export const emailSaidPage = (outcome: keyof typeof EMAIL_SAID): Reply =>
  peoplePage({
    title: EMAIL_SAID[outcome][0],
    main: html`<p>${EMAIL_SAID[outcome][1]}</p><p class="ways"><a href="/account/security">Your account</a></p>`,
  })

export type PasswordPage = {
  readonly locale: PeopleLocale
  readonly csrf: string
  readonly frame: (page: PeopleFrame) => Reply
  /** The page that shows how somebody signs in, and the one that the form is sent to. */
  readonly at: string
  readonly action: string
  readonly errors?: Errors
  /** Fields for a proof by a second factor, and its scripts. */
  readonly fields?: unknown
  readonly scripts?: readonly string[]
  readonly cookies?: readonly string[]
}

export const passwordPage = ({
  locale,
  csrf,
  frame,
  at,
  action,
  errors,
  fields,
  scripts = [],
  cookies = [],
}: PasswordPage): Reply => {
  const { sign, security } = locale.words
  return frame({
    ...(errors && { status: 422 }),
    lang: locale.lang,
    title: security.yourNewPassword,
    scripts,
    cookies,
    main: html`
      <p>${security.othersSignedOut}</p>
      ${problem(refusalIn(sign, errors?.proof))}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf })}
        ${field({
          name: 'password',
          label: security.presentPassword,
          type: 'password',
          autocomplete: 'current-password',
          maxlength: 1_000,
          error: refusalIn(sign, errors?.password),
        })}
        ${newPassword(refusalIn(sign, errors?.new_password), sign.newPassword, sign.passwordHint)} ${fields}
        <button type="submit">${security.setPassword}</button>
      </form>
      <p class="ways"><a href=${at}>${security.leaveIt}</a></p>
    `,
  })
}

type ShownSession = {
  readonly sid: string
  readonly device: string
  readonly createdAt: string
  readonly seenAt: string
  readonly isThis: boolean
}

export type SessionsPage = {
  readonly locale: PeopleLocale
  readonly csrf: string
  readonly frame: (page: PeopleFrame) => Reply
  /** The path of this page. */
  readonly at: string
  readonly sessions: readonly ShownSession[]
  /** How a time is written; in UTC unless given. */
  readonly time?: ((at: string) => unknown) | undefined
}

export const sessionsPage = ({ locale, csrf, frame, at, sessions, time = when }: SessionsPage): Reply => {
  const { security } = locale.words
  return frame({
    lang: locale.lang,
    title: security.sessions,
    main: html`
      <ul class="things">
        ${sessions.map(
          ({ sid, device, createdAt, seenAt, isThis }) => html`<li>
            <p>
              <strong>${device}</strong>${isThis && security.thisOne}<br />
              <span class="hint">${security.since[0]}${time(createdAt)}${security.since[1]}${time(seenAt)}</span>
            </p>
            <form method="post" action=${at}>
              ${hiddenFields({ csrf, act: 'end', sid })}
              <button type="submit" class="plain" aria-label=${security.endOneOf(device, createdAt.slice(0, 16))}>${security.endOne}</button>
            </form>
          </li>`,
        )}
      </ul>
      ${
        sessions.length > 1 &&
        html`<form method="post" action=${at} class="beside">
          ${hiddenFields({ csrf, act: 'end-others' })}
          <button type="submit">${security.endOthers}</button>
        </form>`
      }
    `,
  })
}
