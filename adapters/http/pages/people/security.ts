import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { PeopleFrame } from '../people-page.ts'
import { when } from './account-frame.ts'
import { doneNotice, hiddenFields, problem } from './fields.ts'
import { type PeopleLocale, refusalIn } from './messages/people-locale.ts'

/** How somebody signs in, and what they can change about it. */

type Frame = (page: PeopleFrame) => Reply

type ShownPasskey = { readonly id: string; readonly label: string; readonly usedAt: string | undefined }

export type SecurityPage = {
  readonly locale: PeopleLocale
  /** The path of this page. */
  readonly at: string
  readonly frame: Frame
  readonly isMember: boolean
  /** The address; undefined when it was erased. */
  readonly email: string | undefined
  readonly passkeys: readonly ShownPasskey[]
  readonly totp: boolean
  readonly recoveryCodes: number
  readonly done?: string | undefined
  /** How a time is written; in UTC unless given. */
  readonly time?: ((at: string) => unknown) | undefined
}

export const securityPage = ({
  locale,
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
  const { security } = locale.words
  return frame({
    lang: locale.lang,
    title: security.title,
    main: html`
      ${doneNotice(said)}
      <section>
        <h2>${security.emailAndPassword}</h2>
        <p>${security.signInAs[0]}<strong>${email ?? security.erased}</strong>${security.signInAs[1]}</p>
        <p class="ways">
          ${
            isMember
              ? html`<a href="/dashboard/security/password">${security.changePassword}</a>
                  <a href="/dashboard/security/devices">${security.devices}</a>`
              : html`<a href="/account/email">${security.changeAddress}</a> <a href="/account/password">${security.changePassword}</a>`
          }
        </p>
      </section>
      ${secondSteps({ locale, at, isMember, passkeys, totp, time })}
      ${
        enrolled &&
        html`<section>
          <h2>${security.codes}</h2>
          <p>${security.codesLeft(recoveryCodes)}</p>
          <p class="ways"><a href=${`${at}/codes`}>${security.newCodes}</a></p>
        </section>`
      }
    `,
  })
}

/** The second factors that somebody has, and the way to another one. */
const secondSteps = ({
  locale,
  at,
  isMember,
  passkeys,
  totp,
  time,
}: Pick<SecurityPage, 'locale' | 'at' | 'isMember' | 'passkeys' | 'totp'> & { time: (at: string) => unknown }) => {
  const enrolled = passkeys.length > 0 || totp
  const { security } = locale.words
  return html`
      <section>
        <h2>${security.secondStep}</h2>
        ${
          enrolled
            ? html`<ul class="things">
                ${passkeys.map(
                  ({ id, label, usedAt }) => html`<li>
                    <p>
                      <strong>${label}</strong><br />
                      <span class="hint">${usedAt ? html`${security.lastUsed}${time(usedAt)}` : security.notUsed}</span>
                    </p>
                    <a href=${`${at}/remove?passkey_id=${encodeURIComponent(id)}`} aria-label=${security.removeOf(label)}>${security.remove}</a>
                  </li>`,
                )}
                ${
                  totp &&
                  html`<li>
                    <p><strong>${security.app}</strong></p>
                    <a href=${`${at}/remove?totp=1`} aria-label=${security.removeApp}>${security.remove}</a>
                  </li>`
                }
              </ul>`
            : html`<p>${security.noSecondStep[isMember ? 'member' : 'person']}</p>`
        }
        <p><a class="button" href=${`${at}/enrol`}>${enrolled ? security.addAnother : security.addSecondStep}</a></p>
      </section>
  `
}

export type ConfirmPage = {
  readonly locale: PeopleLocale
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
  locale: { lang, words },
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
    lang,
    title,
    scripts,
    main: html`
      <p>${text}</p>
      ${problem(refusalIn(words.sign, error))}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, ...carried })} ${fields}
        <button type="submit" class="danger">${button}</button>
      </form>
      <p class="ways"><a href=${at}>${words.security.leaveIt}</a></p>
    `,
  })
