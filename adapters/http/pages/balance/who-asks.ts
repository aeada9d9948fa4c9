import { html } from 'htm/preact'
import { hiddenFields } from '../people/fields.ts'
import { price, moment as written } from '../plain-words.ts'

/**
 * The app that asks for money, as a person can recognise it: by the name that it gives itself, and by the domain that
 * it has proven to be its own.
 */
export type AppView = {
  readonly name: string
  /** The proven domain; undefined for an app on the user's own machine. */
  readonly domain: string | undefined
  readonly development: boolean
}

/** What a person has to know of an app that its maker is trying out. */
export const IN_DEVELOPMENT = 'in development: its maker is trying it out'

export const whoAsks = ({ name, domain, development }: AppView) => html`
  <p class="asks">
    <strong>${name}</strong>
    <span>${domain === undefined ? 'an app on this device' : html`verified owner of <b>${domain}</b>`}</span>
    ${development && html`<span><b>${IN_DEVELOPMENT}</b></span>`}
  </p>
`

/** A form of one button beside the one that the page is for. */
export const asideForm = (csrf: string, decision: string, label: string) => html`
  <form method="post" class="aside">
    ${hiddenFields({ csrf })}
    <button type="submit" class="plain" name="decision" value=${decision}>${label}</button>
  </form>
`

/** Rows of a list of terms. */
export const termsList = (rows: readonly (readonly [term: string, said: unknown])[]) => html`
  <dl class="terms">
    ${rows.map(([term, said]) => html`<div><dt>${term}</dt><dd>${said}</dd></div>`)}
  </dl>
`

export const moment = (iso: string) => html`<time datetime=${iso}>${written(iso)}</time>`

export const usd = (units: bigint | string): string => price(units, 'USD')

/** Money moves by a second factor alone, so there has to be one first. */
export const enrolmentNotice = (href: string) => html`
  <p class="notice">
    <strong>This needs a second factor.</strong> Set up a passkey or an authenticator app once, and you come back here.
  </p>
  <p class="open"><a class="button" href=${href}>Set it up</a></p>
`
