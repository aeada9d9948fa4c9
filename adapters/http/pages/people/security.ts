import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { PeopleFrame } from '../people-page.ts'
import { when } from './account-frame.ts'
import { doneNotice, hiddenFields, problem } from './fields.ts'

/** How somebody signs in, and what they can change about it. */

type Frame = (page: PeopleFrame) => Reply

type ShownPasskey = { readonly id: string; readonly label: string; readonly usedAt: string | undefined }

export type SecurityPage = {
  /** The path of this page. */
  readonly at: string
  readonly frame: Frame
  readonly isMember: boolean
  readonly email: string
  readonly passkeys: readonly ShownPasskey[]
  readonly totp: boolean
  readonly recoveryCodes: number
  readonly done?: string | undefined
  /** How a time is written; in UTC unless given. */
  readonly time?: ((at: string) => unknown) | undefined
}

export const securityPage = ({
  at,
  frame,
  isMember,
  email,
  passkeys,
  totp,
  recoveryCodes,
  done: said,
  time = when,
}: SecurityPage): Reply => {
  const enrolled = passkeys.length > 0 || totp
  return frame({
    title: 'Security',
    main: html`
      ${doneNotice(said)}
      <section>
        <h2>Email and password</h2>
        <p>You sign in as <strong>${email}</strong>.</p>
        <p class="ways">
          ${
            isMember
              ? html`<a href="/dashboard/security/password">Change the password</a>
                  <a href="/dashboard/security/devices">Devices</a>`
              : html`<a href="/account/email">Change the address</a> <a href="/account/password">Change the password</a>`
          }
        </p>
      </section>
      ${secondSteps({ at, isMember, passkeys, totp, time })}
      ${
        enrolled &&
        html`<section>
          <h2>Recovery codes</h2>
          <p>${recoveryCodes === 0 ? 'You have none left.' : `You have ${recoveryCodes} left.`} They sign you in when your device is lost.</p>
          <p class="ways"><a href=${`${at}/codes`}>Make new ones</a></p>
        </section>`
      }
    `,
  })
}

/** The second factors that somebody has, and the way to another one. */
const secondSteps = ({
  at,
  isMember,
  passkeys,
  totp,
  time,
}: Pick<SecurityPage, 'at' | 'isMember' | 'passkeys' | 'totp'> & { time: (at: string) => unknown }) => {
  const enrolled = passkeys.length > 0 || totp
  return html`
      <section>
        <h2>Second step</h2>
        ${
          enrolled
            ? html`<ul class="things">
                ${passkeys.map(
                  ({ id, label, usedAt }) => html`<li>
                    <p>
                      <strong>${label}</strong><br />
                      <span class="hint">Passkey, ${usedAt ? html`last used ${time(usedAt)}` : 'not used yet'}</span>
                    </p>
                    <a href=${`${at}/remove?passkey_id=${encodeURIComponent(id)}`} aria-label=${`Remove ${label}`}>Remove</a>
                  </li>`,
                )}
                ${
                  totp &&
                  html`<li>
                    <p><strong>Authenticator app</strong></p>
                    <a href=${`${at}/remove?totp=1`} aria-label="Remove the authenticator app">Remove</a>
                  </li>`
                }
              </ul>`
            : html`<p>You have none. It keeps your account yours when somebody learns your password${isMember ? '' : ', and is needed to confirm payments'}.</p>`
        }
        <p><a class="button" href=${`${at}/enrol`}>${enrolled ? 'Add another' : 'Add a second step'}</a></p>
      </section>
  `
}

export type ConfirmPage = {
  readonly csrf: string
  readonly frame: Frame
  /** The page that this one comes from, and goes back to. */
  readonly at: string
  readonly title: string
  readonly text: string
  readonly button: string
  readonly action: string
  readonly carried: Readonly<Record<string, string | undefined>>
  readonly fields: unknown
  readonly scripts: readonly string[]
  readonly error?: string | undefined
}

/** Asks for a proof before something is done that cannot be taken back. */
export const confirmPage = ({
  csrf,
  frame,
  at,
  title,
  text,
  button,
  action,
  carried,
  fields,
  scripts,
  error,
}: ConfirmPage): Reply =>
  frame({
    ...(error !== undefined && { status: 422 }),
    title,
    scripts,
    main: html`
      <p>${text}</p>
      ${problem(error)}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, ...carried })} ${fields}
        <button type="submit" class="danger">${button}</button>
      </form>
      <p class="ways"><a href=${at}>Leave it as it is</a></p>
    `,
  })
