import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { price } from '../plain-words.ts'
import { accountPage, when } from './account-frame.ts'
import { doneNotice, hiddenFields } from './fields.ts'

/** What apps may do and have done: who has access, what they may debit, and how the balance came about. */

export type ShownApp = {
  readonly clientId: string
  readonly name: string
  readonly development: boolean
  /** What it may do, in plain words. */
  readonly can: readonly string[]
  readonly since: string
}

export const appsPage = ({ csrf, apps }: { csrf: string; apps: readonly ShownApp[] }): Reply =>
  accountPage({
    csrf,
    at: '/account/apps',
    title: 'Apps with access',
    main: html`
      ${apps.length === 0 && html`<p>No app has access to your account.</p>`}
      ${apps.map(
        ({ clientId, name, development, can, since }) => html`<section>
          <h2>${name}${development && ' (in development)'}</h2>
          <p class="hint">Since ${when(since)}. It can:</p>
          <ul>
            ${can.map((each) => html`<li>${each}</li>`)}
          </ul>
          <form method="post" action="/account/apps">
            ${hiddenFields({ csrf, client_id: clientId })}
            <button type="submit" class="plain" aria-label=${`Take access away from ${name}`}>Take access away</button>
          </form>
        </section>`,
      )}
      <p class="hint">
        Taking access away does not end a standing order: see <a href="/account/standing-orders">standing orders</a>.
      </p>
    `,
  })

export type ShownOrder = {
  readonly mandateId: string
  readonly app: string
  readonly description: string
  readonly state: string
  /** Rows of what was agreed and what became of it. */
  readonly terms: readonly (readonly [term: string, said: unknown])[]
  readonly canEnd: boolean
}

export const standingOrdersPage = (shown: {
  csrf: string
  orders: readonly ShownOrder[]
  done?: string | undefined
}): Reply =>
  accountPage({
    csrf: shown.csrf,
    at: '/account/standing-orders',
    title: 'Standing orders',
    main: html`
      ${doneNotice(shown.done)}
      ${shown.orders.length === 0 && html`<p>You have none.</p>`}
      ${shown.orders.map((order) => orderSection(shown.csrf, order))}
    `,
  })

const orderSection = (csrf: string, { mandateId, app, description, state, terms, canEnd }: ShownOrder) => html`
  <section>
    <h2>${app}</h2>
    <p>${description} <span class="hint">(${state})</span></p>
    <dl>
      ${terms.map(([term, said]) => html`<div><dt>${term}</dt><dd>${said}</dd></div>`)}
    </dl>
    ${
      canEnd &&
      html`<form method="post" action="/account/standing-orders">
        ${hiddenFields({ csrf, mandate_id: mandateId })}
        <button type="submit" class="plain" aria-label=${`End it: the standing order of ${app}, ${description}`}>End it</button>
      </form>`
    }
  </section>
`

export type ShownEntry = {
  readonly at: string
  readonly what: string
  readonly description: string | undefined
  readonly ledgerRef: string
  /** Millionths of a US dollar. */
  readonly amount: string
  readonly balance: string
}

export type BalancePage = {
  readonly csrf: string
  readonly balance: bigint
  readonly entries: readonly ShownEntry[]
  /** The path of the page with older entries; undefined when there are none. */
  readonly older: string | undefined
  readonly isFirst: boolean
}

export const balancePage = ({ csrf, balance, entries, older, isFirst }: BalancePage): Reply =>
  accountPage({
    csrf,
    at: '/account/balance',
    title: 'Your balance',
    main: html`
      <p class="sum">${usd(balance)}</p>
      ${
        entries.length === 0
          ? html`<p>${isFirst ? 'Nothing has come in or gone out yet.' : 'There is nothing older.'}</p>`
          : html`<ol class="things">
              ${entries.map(
                (entry) => html`<li>
                  <p>
                    <strong>${entry.what}</strong>${entry.description && html`<br />${entry.description}`}<br />
                    <span class="hint">${when(entry.at)}<br /><code>${entry.ledgerRef}</code></span>
                  </p>
                  <p class="number"><strong>${signed(entry.amount)}</strong><br /><span class="hint">${usd(entry.balance)}</span></p>
                </li>`,
              )}
            </ol>`
      }
      <p class="ways">
        ${!isFirst && html`<a href="/account/balance">Newest</a>`} ${older && html`<a href=${older}>Older</a>`}
      </p>
    `,
  })

export const usd = (units: string | bigint): string => price(units, 'USD')

/** An amount with its sign in front, also for those who do not see colours. */
const signed = (units: string): string => (units.startsWith('-') ? `−${usd(units.slice(1))}` : `+${usd(units)}`)
