import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { PeopleFrame } from '../people-page.ts'
import { qrCode } from '../qr.ts'
import { PASSKEY_SCRIPTS, passkeyButton } from './factor-fields.ts'
import { field, hiddenFields, problem } from './fields.ts'
import { type PeopleLocale, refusalIn } from './messages/people-locale.ts'

/** The pages on the way to a second factor. */

type Frame = (page: PeopleFrame) => Reply
type Common = {
  readonly locale: PeopleLocale
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

export const provePage = ({
  locale: { lang, words },
  csrf,
  next,
  action,
  frame,
  error,
  fields,
  scripts,
  first,
}: ProvePage): Reply =>
  frame({
    ...statusOf(error),
    lang,
    scripts,
    title: first ? words.security.addSecondStep : words.security.addAnotherWay,
    main: html`
      ${first && html`<p>${words.security.firstStepText}</p>`}
      ${problem(refusalIn(words.sign, error))}
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, next, act: 'prove' })} ${fields}
        <button type="submit">${words.sign.goOn}</button>
      </form>
    `,
  })

export const mailedCodePage = ({ locale: { lang, words }, csrf, next, action, frame, error }: Common): Reply =>
  frame({
    ...statusOf(error),
    lang,
    title: words.sign.lookIntoMail,
    main: html`
      <p>${words.security.codeMailed}</p>
      <form method="post" action=${action}>
        ${hiddenFields({ csrf, next, act: 'code' })}
        ${field({
          name: 'code',
          label: words.security.mailedCode,
          autocomplete: 'one-time-code',
          maxlength: 20,
          error: refusalIn(words.sign, error),
          autofocus: true,
        })}
        <button type="submit">${words.sign.goOn}</button>
      </form>
      <form method="post" action=${action} class="beside">
        ${hiddenFields({ csrf, next, act: 'restart' })}
        <button type="submit" class="plain">${words.sign.startAgain}</button>
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
  /** The way that the error is about: it is told there. */
  readonly failed: 'passkey' | 'app'
}

export const choosePage = ({
  locale,
  csrf,
  next,
  action,
  frame,
  error,
  options,
  challenge,
  label,
  totp,
  failed,
}: ChoosePage): Reply => {
  const { sign, security } = locale.words
  const told = problem(refusalIn(sign, error))
  return frame({
    ...statusOf(error),
    lang: locale.lang,
    title: security.chooseStep,
    scripts: PASSKEY_SCRIPTS,
    // Who has an app already has no field for its code, beside which the error could stand.
    main: html`
      ${failed === 'app' && !totp && told}
      <section>
        <h2>${security.passkey}</h2>
        <p>${security.passkeyText}</p>
        ${failed === 'passkey' && told}
        <form method="post" action=${action}>
          ${hiddenFields({ csrf, next, act: 'passkey', challenge })}
          ${field({ name: 'label', label: security.deviceName, autocomplete: 'off', value: label, maxlength: 60, optional: true })}
          ${passkeyButton({ options, label: security.addPasskey, kind: 'create', words: sign })}
        </form>
      </section>
      ${totp && appSection({ locale, csrf, next, action, error: failed === 'app' ? error : undefined, totp })}
    `,
  })
}

const appSection = ({
  locale: { words },
  csrf,
  next,
  action,
  error,
  totp,
}: Omit<Common, 'frame'> & { totp: { uri: string; text: string } }) => html`
  <section>
    <h2>${words.security.anApp}</h2>
    <p>${words.security.appText}</p>
    ${qrCode(totp.uri, words.security.appPicture)}
    <p><a href=${totp.uri}>${words.security.openApp}</a></p>
    <details>
      <summary>${words.security.byHand}</summary>
      <p class="secret"><code>${(totp.text.match(/.{4}/g) ?? []).join(' ')}</code></p>
    </details>
    <form method="post" action=${action}>
      ${hiddenFields({ csrf, next, act: 'totp' })}
      ${field({
        name: 'code',
        label: words.security.appCode,
        autocomplete: 'one-time-code',
        inputmode: 'numeric',
        maxlength: 12,
        error: refusalIn(words.sign, error),
      })}
      <button type="submit">${words.security.addApp}</button>
    </form>
  </section>
`

export const recoveryCodesPage = ({ locale: { lang, words }, frame, next, codes, cookies }: CodesPage): Reply =>
  frame({
    cookies,
    lang,
    title: words.security.keepCodes,
    main: html`
      <p>${words.security.keepCodesText[0]}<strong>${words.security.keepCodesText[1]}</strong>${words.security.keepCodesText[2]}</p>
      <ol class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ol>
      <p><a class="button" href=${next}>${words.security.haveKept}</a></p>
    `,
  })

export type CodesPage = {
  readonly locale: PeopleLocale
  readonly frame: Frame
  readonly next: string
  readonly codes: readonly string[]
  readonly cookies: readonly string[]
}
