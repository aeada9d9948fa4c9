import { html } from 'htm/preact'
import { field, hiddenFields } from './fields.ts'
import { type SignWords, signWords } from './messages/sign-en.ts'

/**
 * The fields in which somebody proves who they are a second time: by passkey, by the code of an app, or by a recovery
 * code.
 */

/** The library of `@simplewebauthn/browser`, and what connects our buttons with it. */
export const PASSKEY_SCRIPTS: readonly string[] = ['webauthn.js', 'passkey.js']

export type FactorFields = {
  /** The challenge that a passkey signs and the form carries. */
  readonly challenge: string
  /** The request to the browser, as JSON; undefined when there is no passkey. */
  readonly options: string | undefined
  readonly totp: boolean
  readonly error?: string | undefined
  /** English unless given. */
  readonly words?: SignWords
}

export const factorFields = ({ challenge, options, totp, error, words = signWords }: FactorFields) => html`
  <fieldset class="factor" lang=${words.lang}>
    <legend>${words.confirmIt}</legend>
    ${hiddenFields({ challenge })}
    ${options !== undefined && passkeyButton({ options, label: words.usePasskey, words })}
    ${
      totp
        ? field({
            name: 'code',
            label: words.code,
            autocomplete: 'one-time-code',
            error,
            inputmode: 'numeric',
            maxlength: 12,
            optional: true,
          })
        : error && html`<p class="error" role="alert">${error}</p>`
    }
    <details>
      <summary>${words.recoverySummary}</summary>
      ${field({
        name: 'recovery_code',
        label: words.recovery,
        autocomplete: 'off',
        maxlength: 40,
        optional: true,
        hint: words.recoveryHint,
      })}
    </details>
  </fieldset>
`

/**
 * A button that the script shows. The script asks the browser for the passkey, fills the answer in and sends the form.
 */
export const passkeyButton = ({
  options,
  label,
  kind = 'get',
  words = signWords,
}: {
  options: string
  label: string
  kind?: string
  words?: SignWords
}) => html`
  <div class="passkey">
    <input type="hidden" name="passkey" value="" />
    <button type="button" class="plain" data-passkey=${kind} data-options=${options} data-failures=${JSON.stringify(words.passkeyFailures)} hidden>${label}</button>
    <p class="error" role="alert" data-passkey-said hidden></p>
    <noscript><p class="hint">${words.noScript}</p></noscript>
  </div>
`
