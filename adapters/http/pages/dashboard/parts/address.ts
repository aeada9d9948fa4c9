import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

/** The module that a page with an address, or with anything else to copy, loads. */
export const COPY_SCRIPT = 'dashboard/copy.js'

export type ShownAddress = {
  readonly network: string
  readonly address: string
  /** Where it can be looked up. */
  readonly explorer?: string | undefined
}

/** An address with its network. The button to copy it shows where there is script. */
export const address = ({ words }: Locale, { network, address: text, explorer }: ShownAddress) => html`
  <span class="address">
    <span class="network">${network}</span> <code>${text}</code> ${copyButton(words.parts, text)}${' '}
    ${explorer && html`<a href=${explorer} rel="noreferrer">${words.parts.explorer}</a>`}
  </span>
`

/** `what` says what it copies, where that is not short enough to be read out itself. */
export const copyButton = ({ copy, copied, select }: Locale['words']['parts'], text: string, what = text) => html`
  <button
    type="button"
    class="plain small"
    data-copy=${text}
    data-copied=${copied}
    data-select=${select}
    aria-label=${`${copy}: ${what}`}
    hidden
  >
    ${copy}
  </button>
`
