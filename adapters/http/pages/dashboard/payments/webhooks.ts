import { html } from 'htm/preact'
import { BUILT_IN_RECEIVER } from '../../../../../domain/selling/webhooks/delivery.ts'
import type { DeliveryRow } from '../../../../../projections/selling/transactions/transaction-queries.ts'
import type { Locale } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { live } from '../parts/live.ts'
import { chip } from '../parts/notices.ts'
import { actForm, NEEDS } from './acts.ts'
import { WEBHOOK_RECEIVER } from './paths.ts'
import type { PaymentPage } from './payment.ts'
import { sentView } from './sent-webhook.ts'

/** Every webhook of a payment: what was sent, what came back, and the button that sends it once more. */
export const webhooksOf = (locale: Locale, page: PaymentPage) => {
  const { payments: words } = locale.words
  const { deliveries, row, member } = page
  const mayResend = row.status === 'C' && member.actor.can(NEEDS.resend)
  return html`
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks">${words.webhooks}</h2>
      ${live(
        { id: 'deliveries', kinds: ['delivery'] },
        deliveries.length === 0
          ? html`<p>${words.noWebhooks}</p>`
          : html`<ol class="attempts">${deliveries.toReversed().map((each) => attempt(locale, page, each))}</ol>`,
      )}
      ${mayResend && actForm(locale, page, 'resend', html`<p>${words.resendText}</p>`)}
    </section>
  `
}

const attempt = (locale: Locale, { sent, member }: PaymentPage, delivery: DeliveryRow) => {
  const { payments: words, webhooks } = locale.words
  const { eventId, scheduledAt, status, url, reason, responseBody } = delivery
  const shown = sent.get(eventId)
  const isBuiltIn = url === BUILT_IN_RECEIVER
  return html`
    <li>
      <p>${time(locale, scheduledAt)} ${outcome(locale, delivery)} ${status}</p>
      <p>
        ${
          isBuiltIn && member.actor.can('transactions.view')
            ? html`<a href=${WEBHOOK_RECEIVER}>${webhooks.title}</a>`
            : html`<code class="long">${url}</code>`
        }
      </p>
      ${(reason || responseBody) && html`<p>${words.answer}: ${reason}</p>`}
      ${responseBody && html`<pre>${responseBody}</pre>`}
      ${shown && html`<details><summary>${webhooks.sent}</summary>${sentView(locale, shown)}</details>`}
    </li>
  `
}

const outcome = ({ words: { payments: words } }: Locale, { state }: DeliveryRow) => {
  if (state === 'accepted') return chip(words.accepted, 'good')
  return state === 'failed' ? chip(words.failed, 'bad') : chip(words.scheduled, 'warn')
}
