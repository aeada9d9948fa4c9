import { html } from 'htm/preact'
import type { WebhookReceiver } from '../../../../../domain/account/webhook.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { PageMember } from '../frame.ts'
import type { Locale } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { dialog } from '../parts/notices.ts'
import { WEBHOOK_RECEIVER } from '../payments/paths.ts'

/** The step at which a seller says who is told of payments: a program, the built-in receiver, or nobody. */

const PATH = '/dashboard/first-steps'
const URL_MAX = 300

type WebhookStep = {
  readonly member: PageMember
  /** Whether a URL is told of payments, which goes before what was chosen instead. */
  readonly hasUrl: boolean
  readonly receiver: WebhookReceiver | undefined
  readonly url: string | undefined
  readonly fault: string | undefined
}

export const webhookStep = (step: WebhookStep, locale: Locale) => {
  const { webhooks: words } = locale.words
  const { hasUrl, receiver, fault } = step
  if (hasUrl) return null
  const mayChoose = step.member.actor.can('settings.edit')
  if (receiver === undefined || fault !== undefined) return mayChoose && choices(step, locale)
  const isBuiltIn = receiver === 'built-in'
  return html`
    <p>${isBuiltIn ? words.usesBuiltIn : words.usesNone}</p>
    ${isBuiltIn && step.member.actor.can('transactions.view') && html`<p><a class="touch" href=${WEBHOOK_RECEIVER}>${words.see}</a></p>`}
    ${mayChoose && dialog(words.change, choices(step, locale))}
  `
}

const choices = ({ member, receiver, url, fault }: WebhookStep, { words: { steps, webhooks: words } }: Locale) => html`
  <form method="post" action=${PATH} class="narrow">
    ${hiddenFields({ csrf: member.csrf, act: 'webhook' })}
    ${formRow({ name: 'url', label: steps.url, type: 'url', hint: steps.urlHint, value: url, error: fault, required: true, maxlength: URL_MAX })}
    <button type="submit" class="plain">${steps.setUrl}</button>
  </form>
  ${receiver !== 'built-in' && choice(member, 'built-in', words.useText, words.use)}
  ${receiver !== 'none' && choice(member, 'none', words.withoutText, words.without)}
`

const choice = ({ csrf }: PageMember, receiver: WebhookReceiver, text: string, label: string) => html`
  <form method="post" action=${PATH}>
    ${hiddenFields({ csrf, act: 'webhook-receiver', receiver })}
    <p>${text}</p>
    <button type="submit" class="plain">${label}</button>
  </form>
`
