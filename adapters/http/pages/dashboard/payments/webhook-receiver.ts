import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { RECEIVED_DAYS, RECEIVED_SHOWN_MAX, type ReceivedWebhook } from '../../../core/sent-webhooks.ts'
import { dashboardPage, mayOpen, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { chip, emptyState, notice } from '../parts/notices.ts'
import { paymentAt } from './paths.ts'
import { sentView } from './sent-webhook.ts'

/** What the built-in receiver got for test sales. */

type ReceiverPage = {
  readonly member: PageMember
  readonly isChosen: boolean
  readonly received: readonly ReceivedWebhook[]
}

const FIRST_STEPS = '/dashboard/first-steps'

export const receiverPage = ({ member, isChosen, received }: ReceiverPage): Reply => {
  const locale = localeFor(member)
  const { webhooks: words } = locale.words
  const isLedOn = mayOpen(member, 'firstSteps')
  return dashboardPage({
    title: words.title,
    member,
    current: 'firstSteps',
    scripts: [LIVE_SCRIPT],
    main: html`
      <p>${words.about} ${words.bounds(RECEIVED_SHOWN_MAX, RECEIVED_DAYS)}</p>
      ${!isChosen && notice(words.off, 'warn')}
      ${live(
        { id: 'received', kinds: ['delivery'] },
        received.length === 0
          ? emptyState(
              words.none,
              words.noneText,
              isLedOn ? { href: FIRST_STEPS, label: locale.words.payments.firstSteps } : undefined,
            )
          : received.map((each, index) => webhookCard(locale, each, index === 0)),
      )}
      <section class="card" aria-labelledby="check">
        <h2 id="check">${words.check}</h2>
        <p>${words.checkText}</p>
        <pre><code>${SIGNATURE_CHECK}</code></pre>
        <p>${words.secretText}</p>
      </section>
      ${isLedOn && html`<p><a class="touch" href=${FIRST_STEPS}>${words.toSteps}</a></p>`}
    `,
  })
}

/** The check as a program makes it, in JavaScript; a test runs these very lines. */
export const SIGNATURE_CHECK = `const [, t, v1] = /^t=(\\d{1,12}),v1=([0-9a-f]{64})$/.exec(request.headers['x-webhook-signature']) ?? []
const expected = createHmac('sha256', secret).update(t + '.' + rawBody).digest('hex')
const isFresh = Math.abs(Date.now() / 1000 - t) <= 300
const isRight = v1 !== undefined && timingSafeEqual(Buffer.from(v1), Buffer.from(expected))
if (!isFresh || !isRight) return response.writeHead(401).end()`

const webhookCard = (locale: Locale, received: ReceivedWebhook, isOpen: boolean) => {
  const { webhooks: words } = locale.words
  const { event_id, transaction_id, scheduled_at, received_at, signature } = received
  return html`
    <section class="card" aria-labelledby=${event_id}>
      <h2 id=${event_id}>${time(locale, received_at ?? scheduled_at)} ${verdict(locale, received)}</h2>
      ${received_at !== null && signature === '' && html`<p>${words.unsignedText}</p>`}
      <p><a class="touch" href=${paymentAt(transaction_id)}>${words.payment}</a></p>
      ${signature !== '' && html`<h3>${words.signature}</h3><pre>${signature}</pre>`}
      <details open=${isOpen}>
        <summary>${words.sent}</summary>
        ${sentView(locale, received)}
      </details>
    </section>
  `
}

const verdict = ({ words: { webhooks: words } }: Locale, received: ReceivedWebhook) => {
  if (received.received_at === null) return chip(words.underWay, 'warn')
  if (received.signature === '') return chip(words.unsigned, 'bad')
  return received.signature_verified ? chip(words.right, 'good') : chip(words.wrong, 'bad')
}
