import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { PeopleFrame } from '../people-page.ts'
import { qrCode } from '../qr.ts'
import { PASSKEY_SCRIPTS, passkeyButton } from './factor-fields.ts'
import { field, hiddenFields } from './fields.ts'

/** The pages on the way to a second factor. */

type Frame = (page: PeopleFrame) => Reply
type Common = {
  readonly csrf: string
  readonly next: string
  /** The path that the forms are sent to. */
  readonly action: string
  readonly frame: Frame
  readonly error?: string | undefined
}

const statusOf = (error: string | undefined) => (error === undefined ? {} : { status: 422 })

export type ProvePage = Common & {
  readonly fields: unknown
  readonly scripts: readonly string[]
  readonly first: boolean
}

export const provePage = ({ csrf, next, action, frame, error, fields, scripts, first }: ProvePage): Reply =>
  frame({
    ...statusOf(error),
    scripts,
    title: first ? 'Add a second step' : 'Add another way to sign in',
    main: html`
      ${
        first &&
        html`<p>
          A second step keeps your account yours when somebody learns your password, and is needed to confirm payments. First we
          make sure that it is you: with your password, and a code that we mail to you.
        </p>`
      }
      ${error && html`<p class="problem" role="alert">${error}</p>`}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, next, act: 'prove' })} ${fields}
        <button type="submit">Continue</button>
      </form>
    `,
  })

export const mailedCodePage = ({ csrf, next, action, frame, error }: Common): Reply =>
  frame({
    ...statusOf(error),
    title: 'Look into your mail',
    main: html`
      <p>We have mailed you a code. It works for 15 minutes.</p>
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, next, act: 'code' })}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', maxlength: 20, error, autofocus: true })}
        <button type="submit">Continue</button>
      </form>
      <form method="post" action=${action} class="beside">
        ${hiddenFields({ csrf, next, act: 'restart' })}
        <button type="submit" class="plain">Start again</button>
      </form>
    `,
  })

export type ChoosePage = Common & {
  /** The request to the browser for a new passkey, as JSON, and the challenge that the passkey signs. */
  readonly options: string
  readonly challenge: string
  readonly label: string
  /** Undefined when there is an app already. */
  readonly totp: { readonly uri: string; readonly text: string } | undefined
}

export const choosePage = ({ csrf, next, action, frame, error, options, challenge, label, totp }: ChoosePage): Reply =>
  frame({
    ...statusOf(error),
    title: 'Choose your second step',
    scripts: PASSKEY_SCRIPTS,
    main: html`
      <section>
        <h2>A passkey</h2>
        <p>Your device recognises you, by finger, face or PIN. Nothing to type, and nobody can trick you out of it.</p>
        <form method="post" action=${action}>
          ${hiddenFields({ csrf, next, act: 'passkey', challenge })}
          ${field({ name: 'label', label: 'Name of this device', autocomplete: 'off', value: label, maxlength: 60, optional: true })}
          ${passkeyButton({ options, label: 'Add a passkey', kind: 'create' })}
        </form>
      </section>
      ${totp && appSection({ csrf, next, action, error, totp })}
    `,
  })

const appSection = ({
  csrf,
  next,
  action,
  error,
  totp,
}: Omit<Common, 'frame'> & { totp: { uri: string; text: string } }) => html`
  <section>
    <h2>An authenticator app</h2>
    <p>Scan this with the app, or open it on this device, and type the code that it shows.</p>
    ${qrCode(totp.uri, 'QR code for your authenticator app')}
    <p><a href=${totp.uri}>Open in an app on this device</a></p>
    <details>
      <summary>Type it in by hand</summary>
      <p class="secret"><code>${(totp.text.match(/.{4}/g) ?? []).join(' ')}</code></p>
    </details>
    <form method="post" action=${action}>
      ${hiddenFields({ csrf, next, act: 'totp' })}
      ${field({
        name: 'code',
        label: 'Code from the app',
        autocomplete: 'one-time-code',
        inputmode: 'numeric',
        maxlength: 12,
        error,
      })}
      <button type="submit">Add the app</button>
    </form>
  </section>
`

export const recoveryCodesPage = ({ frame, next, codes, cookies }: CodesPage): Reply =>
  frame({
    cookies,
    title: 'Keep your recovery codes',
    main: html`
      <p>
        For the day that your device is lost: each of these signs you in once. They are shown <strong>now and never again</strong>,
        so print them, or keep them where you keep your passwords.
      </p>
      <ol class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ol>
      <p><a class="button" href=${next}>I have kept them</a></p>
    `,
  })

export type CodesPage = {
  readonly frame: Frame
  readonly next: string
  readonly codes: readonly string[]
  readonly cookies: readonly string[]
}
