import { html } from 'htm/preact'
import type { SentDelivery } from '../../../../../projections/selling/deliveries.ts'
import type { Reply } from '../../../core/endpoint.ts'
import type { SentFields } from '../../../core/sent-webhooks.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { time } from '../parts/figures.ts'
import { formRow } from '../parts/form-row.ts'
import { chip, notice } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { WEBHOOK_RECEIVER } from '../payments/paths.ts'
import { sentView } from '../payments/sent-webhook.ts'
import { DEVELOPERS, WEBHOOKS } from './paths.ts'
import { freshSecret } from './secret.ts'

/** The webhook of the account: where it is told, its secret, a test, and what was sent. */

type WebhookTest = { readonly status: number | null; readonly isKnown: boolean; readonly isVerified: boolean }

type WebhooksPage = {
  readonly member: PageMember
  readonly url: string
  readonly secretEnd: string
  readonly fresh?: string | undefined
  readonly faults?: Readonly<Record<string, string>>
  readonly tested?: WebhookTest
  /** How many were sent again, and why others were not. */
  readonly resent?: { readonly count: number; readonly refused: readonly string[] }
  readonly isDone?: boolean
  readonly deliveries: readonly SentDelivery[]
  readonly sent: ReadonlyMap<string, SentFields>
  readonly older?: string | undefined
  readonly isFirst: boolean
}

export const webhooksPage = (page: WebhooksPage): Reply => {
  const { member, fresh, faults, tested, resent, isDone } = page
  const locale = localeFor(member)
  const words = locale.words.developers
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.webhooks,
    member,
    current: 'developers',
    scripts: [COPY_SCRIPT],
    main: html`
      ${notice(isDone ? words.done : undefined)} ${notice(faults?.form, 'bad')}
      ${tested && notice(testText(locale, tested), tested.isVerified ? 'good' : 'warn')}
      ${resent && notice(words.resent(resent.count), resent.refused.length === 0 ? 'good' : 'warn')}
      ${resent?.refused.map((text) => notice(text, 'bad'))} ${freshSecret(locale, words.newSecret, fresh)}
      ${settings(locale, page)} ${member.actor.can('transactions.view') && log(locale, page)}
      <p><a class="touch" href=${DEVELOPERS}>${words.back}</a></p>
    `,
  })
}

const testText = ({ words: { developers: words } }: Locale, { status, isKnown, isVerified }: WebhookTest): string => {
  if (!isKnown) return words.testUnknown
  return `${words.tested(String(status ?? '–'))} ${isVerified ? words.testVerified : words.testNotVerified}`
}

const settings = ({ words: { developers: words } }: Locale, { member, url, secretEnd, faults }: WebhooksPage) => {
  const mayEdit = member.actor.can('settings.edit')
  return html`
    <section class="card" aria-label=${words.url}>
      <form method="post" action=${WEBHOOKS} class="narrow">
        ${hiddenFields({ csrf: member.csrf, act: 'url' })}
        ${formRow({ name: 'url', label: words.url, type: 'url', hint: words.urlHint, value: url, error: faults?.url, maxlength: 2_048 })}
        ${mayEdit && html`<button type="submit">${words.urlSave}</button>`}
      </form>
      <p>${secretEnd === '' ? words.secretNone : words.secretNow(secretEnd)}</p>
      ${mayEdit && secretEnd !== '' && button(member.csrf, 'secret', words.rotateSecret, words.rotateSecretText)}
      ${mayEdit && url !== '' && button(member.csrf, 'test', words.test, words.testText)}
      ${member.actor.can('transactions.view') && html`<p><a class="touch" href=${WEBHOOK_RECEIVER}>${words.receiver}</a></p>`}
    </section>
  `
}

const button = (csrf: string, act: string, label: string, text: string) => html`
  <form method="post" action=${WEBHOOKS}>
    ${hiddenFields({ csrf, act })}
    <p class="hint">${text}</p>
    <button type="submit" class="plain">${label}</button>
  </form>
`

const log = (locale: Locale, page: WebhooksPage) => {
  const { developers: words } = locale.words
  const { member, deliveries, older, isFirst } = page
  return html`
    <section aria-labelledby="log">
      <h2 id="log">${words.log}</h2>
      <p>${words.logText}</p>
      ${
        deliveries.length === 0
          ? html`<p>${words.noLog}</p>`
          : html`
            <form method="post" action=${WEBHOOKS}>
              ${hiddenFields({ csrf: member.csrf, act: 'resend' })}
              <ol class="attempts">${deliveries.map((each) => entry(locale, page, each))}</ol>
              ${member.actor.can('transactions.edit') && html`<button type="submit">${words.resend}</button>`}
            </form>
          `
      }
      ${pager(locale, { newest: isFirst ? undefined : WEBHOOKS, older: older && `${WEBHOOKS}?before=${encodeURIComponent(older)}` })}
    </section>
  `
}

const entry = (locale: Locale, { member, sent }: WebhooksPage, delivery: SentDelivery) => {
  const { developers: words, payments, webhooks } = locale.words
  const { eventId, transactionId, scheduledAt, state, status, url, reason, responseBody } = delivery
  const shown = sent.get(eventId)
  const mayResend = transactionId !== '' && member.actor.can('transactions.edit')
  return html`
    <li>
      <p>
        ${mayResend && html`<label class="touch"><input type="checkbox" name=${`e_${eventId}`} value="1" aria-label=${words.choose(locale.moment(scheduledAt))} /></label>${' '}`}
        ${time(locale, scheduledAt)} ${outcome(locale, state)} ${status}
        ${transactionId !== '' && html` <a href=${`/dashboard/payments/${transactionId}`}>${transactionId}</a>`}
      </p>
      <p><code class="long">${url}</code></p>
      ${reason && html`<p>${payments.answer}: ${reason}</p>`} ${responseBody && html`<pre>${responseBody}</pre>`}
      ${shown && html`<details><summary>${webhooks.sent}</summary>${sentView(locale, shown)}</details>`}
    </li>
  `
}

const outcome = ({ words: { payments: words } }: Locale, state: SentDelivery['state']) => {
  if (state === 'accepted') return chip(words.accepted, 'good')
  return state === 'failed' ? chip(words.failed, 'bad') : chip(words.scheduled, 'warn')
}
