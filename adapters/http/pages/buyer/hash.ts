import { html } from 'htm/preact'
import type { Explorer } from '../../../../domain/chains/explorers.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'

/** The hash of a transaction, as buyers see it. */
export type HashView = {
  readonly hash: string
  /** Where it can be looked up; undefined where nobody shows its chain. */
  readonly at: string | undefined
}

export const hashView = (hash: string, explorer: Explorer | undefined): HashView => ({
  hash,
  at: explorer && explorer.tx + encodeURIComponent(hash),
})

export const hashFact = ({ hash, at }: HashView, locale: BuyerLocale) => html`
  <dt>${locale.words.facts.hash}</dt>
  <dd class="address"><code>${hash}</code></dd>
  ${at && html`<dd>${lookUpLink(at, locale)}</dd>`}
`

/** A way to a page of others: in a tab of its own, so that the payment stays open, and without telling where from. */
export const lookUpLink = (href: string, { words: { facts } }: BuyerLocale) =>
  html`<a href=${href} target="_blank" rel="noreferrer noopener">${facts.explorer}</a>`
