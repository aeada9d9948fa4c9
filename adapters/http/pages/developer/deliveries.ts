import { html } from 'htm/preact'
import type { AttemptRow, NotificationRow } from '../../../../projections/signin/notifications.ts'
import type { Reply } from '../../core/endpoint.ts'
import { accountPage, when } from '../people/account-frame.ts'
import { doneNotice, hiddenFields } from '../people/fields.ts'
import { appPath } from './apps.ts'

/** What was sent to the back-channel endpoint of an app: a log, each entry with every attempt. */

const AT = '/account/developer'

const KINDS = { receipt: 'Receipt', logout: 'Logout' } as const
const STATES = { pending: 'being sent', accepted: 'accepted', 'given-up': 'given up' } as const

export type DeliveriesPage = {
  readonly csrf: string
  readonly clientId: string
  readonly name: string
  readonly rows: readonly NotificationRow[]
  /** The number of the next page; undefined on the last one. */
  readonly next: number | undefined
}

export const deliveriesPage = ({ csrf, clientId, name, rows, next }: DeliveriesPage): Reply =>
  accountPage({
    csrf,
    at: AT,
    title: `Sent to ${name}`,
    main: html`
      ${rows.length === 0 && html`<p>Nothing was sent yet.</p>`}
      <ul class="things">
        ${rows.map(
          (row) => html`<li>
            <p>
              <a href=${deliveryPath(clientId, row.eventId)}>${titleOf(row)}</a><br />
              <span class="hint">${when(row.scheduledAt)}, ${STATES[row.status]}, ${attempts(row.attempts)}</span>
            </p>
          </li>`,
        )}
      </ul>
      <p class="ways">
        ${next !== undefined && html`<a href=${`/account/developer/deliveries?client_id=${clientId}&page=${next}`}>Older ones</a>`}
        <a href=${appPath(clientId)}>Back to ${name}</a>
      </p>
    `,
  })

export const deliveryPath = (clientId: string, eventId: string): string =>
  `/account/developer/delivery?client_id=${clientId}&event_id=${eventId}`

export type DeliveryPage = {
  readonly csrf: string
  readonly row: NotificationRow & { readonly log: readonly AttemptRow[] }
  readonly done?: string | undefined
}

export const deliveryPage = ({ csrf, row, done: said }: DeliveryPage): Reply =>
  accountPage({
    csrf,
    at: AT,
    title: titleOf(row),
    main: html`
      ${doneNotice(said)}
      <p><code>${row.eventId}</code></p>
      <p>
        It is ${STATES[row.status]}, after ${attempts(row.attempts)}.
        ${row.nextAt !== null && html` It is sent again at ${when(row.nextAt)}.`}
      </p>
      ${row.log.map(
        (each) => html`<section>
          <h2>Attempt ${each.attempt}: ${each.status ?? each.reason}</h2>
          <p class="hint">${when(each.attemptedAt)}, ${each.durationMs} ms${each.url && html`, <code>${each.url}</code>`}</p>
          ${each.bodyHead !== '' && html`<pre>${each.bodyHead}</pre>`}
        </section>`,
      )}
      ${
        row.status !== 'pending' &&
        html`<form method="post" action=${deliveryPath(row.clientId, row.eventId)}>
          ${hiddenFields({ csrf })}
          <button type="submit">Send it again</button>
        </form>`
      }
      <p class="ways"><a href=${`/account/developer/deliveries?client_id=${row.clientId}`}>All that was sent</a></p>
    `,
  })

const titleOf = ({ kind, eventId }: NotificationRow): string => `${KINDS[kind]} ${eventId.slice(0, 8)}…`

const attempts = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`)
