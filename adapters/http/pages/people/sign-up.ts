import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'
import { field, hiddenFields, linkPasswordForm } from './fields.ts'
import { peopleLocale, refusalIn } from './messages/people-locale.ts'
import { signWords } from './messages/sign-en.ts'

/** The pages by which somebody gets an account, and a new password for it. */

type HiddenFields = Readonly<Record<string, string | undefined>>

export type SignUpPage = {
  readonly languages: string
  readonly carried: HiddenFields
  readonly values?: { readonly name?: string | undefined; readonly email?: string | undefined }
  readonly errors?: {
    readonly name?: string
    readonly email?: string | undefined
    readonly password?: string | undefined
  }
  readonly signIn: string
  /** The path that the form is sent to. */
  readonly action?: string
  /** The account is a seller's, which has no name of a person. */
  readonly isSeller?: boolean
  readonly cookies?: readonly string[]
}

export const signUpPage = ({
  languages,
  carried,
  values = {},
  errors,
  signIn,
  action = '/sign-up',
  isSeller = false,
  cookies = [],
}: SignUpPage): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { sign } = words
  return peoplePage({
    cookies,
    ...(errors && { status: 422 }),
    lang,
    title: sign.signUp,
    main: html`
      <form method="post" action=${action}>
        ${hiddenFields(carried)}
        ${
          !isSeller &&
          field({
            name: 'name',
            label: sign.name,
            autocomplete: 'name',
            maxlength: 100,
            optional: true,
            value: values.name,
            hint: sign.nameHint,
            error: errors?.name,
          })
        }
        ${field({
          name: 'email',
          label: sign.email,
          type: 'email',
          autocomplete: 'username',
          maxlength: 254,
          value: values.email,
          error: refusalIn(sign, errors?.email),
        })}
        ${newPassword(refusalIn(sign, errors?.password), sign.password, sign.passwordHint)}
        <button type="submit">${sign.signUpButton}</button>
      </form>
      <p class="ways"><a href=${signIn}>${sign.haveOne}</a></p>
    `,
  })
}

/** The page is the same for everybody: only the mailbox is told whether its address is known. */
export const lookIntoYourMailPage = (
  email: string,
  about: 'sign-up' | 'forgot',
  cookies: readonly string[] = [],
): Reply =>
  peoplePage({
    cookies,
    title: 'Look into your mail',
    main: html`
      <p>
        ${about === 'sign-up' ? 'We have sent a letter to ' : 'If there is an account with this address, a letter is on its way to '}
        <strong>${email}</strong>${about === 'sign-up' ? '. Open the link in it to go on.' : '.'}
      </p>
      <p class="hint">It may take a minute, and may be among unwanted mail. At most three letters are sent in an hour.</p>
      <p class="ways"><a href="/sign-in">Sign in</a></p>
    `,
  })

export const verifyPage = ({
  token,
  csrf,
  error,
}: {
  token: string
  csrf?: string | undefined
  error?: string
}): Reply =>
  peoplePage({
    ...(error !== undefined && { status: 422 }),
    title: 'Confirm your email address',
    main: html`
      <p>Type the password that you have chosen, and your account is ready.</p>
      ${linkPasswordForm({ action: '/sign-up/verify', token, csrf, error, label: 'Confirm and sign in' })}
      <p class="ways"><a href="/sign-in/forgot">I do not know the password</a></p>
    `,
  })

export const forgotPage = ({ carried, error }: { carried: HiddenFields; error?: string }): Reply =>
  peoplePage({
    ...(error !== undefined && { status: 422 }),
    title: 'Choose a new password',
    main: html`
      <p>We send you a letter with a link to choose one.</p>
      <form method="post" action="/sign-in/forgot">
        ${hiddenFields(carried)}
        ${field({
          name: 'email',
          label: 'Email address',
          type: 'email',
          autocomplete: 'username',
          maxlength: 254,
          error,
        })}
        <button type="submit">Send the letter</button>
      </form>
      <p class="ways"><a href="/sign-in">Sign in</a></p>
    `,
  })

export const resetPage = ({
  token,
  csrf,
  error,
}: {
  token: string
  csrf?: string | undefined
  error?: string
}): Reply =>
  peoplePage({
    ...(error !== undefined && { status: 422 }),
    title: 'Choose a new password',
    main: html`
      <p>All devices on which you are signed in are signed out.</p>
      <form method="post" action="/sign-in/reset">
        ${hiddenFields({ token, csrf })} ${newPassword(error)}
        <button type="submit">Set the password</button>
      </form>
    `,
  })

export const passwordSetPage = (cookies: readonly string[]): Reply =>
  peoplePage({
    cookies,
    title: 'Your password is set',
    main: html`
      <p>All devices were signed out.</p>
      <p class="ways"><a href="/sign-in">Sign in</a></p>
    `,
  })

export const newPassword = (error: string | undefined, label = signWords.newPassword, hint = signWords.passwordHint) =>
  field({
    name: 'new_password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    maxlength: 1_000,
    hint,
    error,
  })
