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
  readonly locale: PeopleLocale
  readonly csrf: string
  readonly profile: Profile
  readonly errors?: Errors
  /** It was saved just now. */
  readonly isSaved?: boolean
}

export const profilePage = ({ locale, csrf, profile, errors, isSaved = false }: ProfilePage): Reply => {
  const { sign, account } = locale.words
  return accountPage({
    ...(errors && { status: 422 }),
    csrf,
    lang: locale.lang,
    at: '/account',
    title: account.profile,
    main: html`
      ${doneNotice(isSaved ? account.saved : undefined)}
      <p>${account.profileText}</p>
      <form method="post" action="/account">
        ${hiddenFields({ csrf })}
        ${field({ ...text('name', account.name, 'name'), value: profile.name, error: refusalIn(sign, errors?.name) })}
        ${field({
          ...text('preferred_username', account.shortName, 'nickname'),
          value: profile.preferred_username,
          error: refusalIn(sign, errors?.preferred_username),
        })}
        ${field({
          ...text('picture', account.picture, 'photo'),
          type: 'url',
          maxlength: 1_000,
          value: profile.picture,
          error: refusalIn(sign, errors?.picture),
          hint: account.pictureHint,
        })}
        ${field({
          ...text('locale', account.language, 'language'),
          maxlength: 35,
          value: profile.locale,
          error: refusalIn(sign, errors?.locale),
          hint: account.languageHint,
        })}
        <button type="submit">${account.save}</button>
      </form>
    `,
  })
}

const text = (name: string, label: string, autocomplete: string) => ({
  name,
  label,
  autocomplete,
  optional: true,
  maxlength: 100,
})

export type EmailPage = {
  readonly locale: PeopleLocale
  readonly csrf: string
  readonly present: string
  readonly email?: string
  readonly errors?: Errors
  readonly fields: unknown
  readonly scripts: readonly string[]
}

export const emailPage = ({ locale, csrf, present, email, errors, fields, scripts }: EmailPage): Reply => {
  const { sign, account, security } = locale.words
  return accountPage({
    ...(errors && { status: 422 }),
    lang: locale.lang,
    csrf,
    scripts,
    at: '/account/security',
    title: account.changeEmail,
    main: html`
      <p>${account.changeEmailText[0]}<strong>${present}</strong>${account.changeEmailText[1]}</p>
      ${problem(refusalIn(sign, errors?.proof))}
      <form method="post" action="/account/email">
        ${hiddenFields({ csrf })}
        ${field({
          name: 'email',
          label: account.newEmail,
          type: 'email',
          autocomplete: 'email',
          maxlength: 254,
          value: email,
          error: refusalIn(sign, errors?.email),
        })}
        ${fields}
        <button type="submit">${account.sendBoth}</button>
      </form>
      <p class="ways"><a href="/account/security">${security.leaveIt}</a></p>
    `,
  })
}

type SaidPage = {
  readonly lang: string
  readonly csrf: string
  readonly title: string
  readonly text: string
  readonly cookies: readonly string[]
}

/** A page of the account that says one thing. */
export const saidPage = ({ text, ...frame }: SaidPage): Reply =>
  accountPage({ ...frame, at: '/account/security', main: html`<p>${text}</p>` })

type ConfirmEmailPage = { readonly locale: PeopleLocale; readonly token: string; readonly csrf: string | undefined }

export const confirmEmailPage = ({ locale: { lang, words }, token, csrf }: ConfirmEmailPage): Reply =>
  peoplePage({
    lang,
    title: words.account.agree,
    main: html`
      <p>${words.account.agreeText}</p>
      <form method="post" action="/account/email/confirm">
        ${hiddenFields({ token, csrf })}
        <button type="submit">${words.account.agreeButton}</button>
      </form>
    `,
  })

export const emailSaidPage = (
  { lang, words }: PeopleLocale,
  outcome: keyof PeopleLocale['words']['account']['emailChange'],
): Reply => {
  const [title, text] = words.account.emailChange[outcome]
  return peoplePage({
    lang,
    title,
    main: html`<p>${text}</p><p class="ways"><a href="/account/security">${words.account.title}</a></p>`,
  })
}

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
