import { html } from 'htm/preact'
import type { WebhookReceiver } from '../../../../../domain/account/webhook.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, mayOpen, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { formRow } from '../parts/form-row.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { chip } from '../parts/notices.ts'
import { webhookStep } from './webhook-step.ts'

/** The first steps of a seller. */

const STEPS = ['email', 'wallet', 'price', 'test', 'webhook', 'factor', 'live'] as const
type Step = (typeof STEPS)[number]

/** What was typed into the forms of the steps. */
export type StepValues = { readonly [name in 'title' | 'amount' | 'currency' | 'url']?: string }

type FirstStepsPage = {
  readonly member: PageMember
  readonly done: Readonly<Record<Step, boolean>>
  readonly values: StepValues
  readonly faults?: Readonly<Record<string, string>>
  /** An address that waits for its confirmation. */
  readonly unconfirmed: string | undefined
  readonly webhook: { readonly hasUrl: boolean; readonly receiver: WebhookReceiver | undefined }
  /** The page that sells the newest thing with a price. */
  readonly sellsAt: string | undefined
}

const PATH = '/dashboard/first-steps'
/** The streams by which a step is done. */
const KINDS = ['account', 'wallet', 'resource', 'challenge', 'transaction', 'webhook', 'member']
const TITLE_MAX = 200

export const firstStepsPage = (page: FirstStepsPage): Reply => {
  const { member, done, faults } = page
  const locale = localeFor(member)
  const { steps: words } = locale.words
  const count = STEPS.filter((step) => done[step]).length
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.title,
    member,
    current: 'firstSteps',
    scripts: [COPY_SCRIPT, LIVE_SCRIPT],
    main: live(
      { id: 'steps', kinds: KINDS },
      html`
        <p>${words.progress(count, STEPS.length)}</p>
        <ol class="steps">
          ${STEPS.map(
            (step) => html`
              <li class="card" id=${`step-${step}`}>
                <h2>${words[step].name} ${done[step] ? chip(words.done, 'good') : chip(words.open)}</h2>
                <p>${words[step].text}</p>
                ${contentOf(step, page, locale)}
              </li>
            `,
          )}
        </ol>
      `,
    ),
  })
}

/** What is done at a step, where it is done on this page. */
const contentOf = (step: Step, page: FirstStepsPage, locale: Locale): unknown => {
  const { steps: words } = locale.words
  switch (step) {
    case 'email':
      return page.unconfirmed !== undefined && html`<p>${locale.words.home.unconfirmed(page.unconfirmed)}</p>`
    case 'wallet':
      return walletStep(page, locale)
    case 'price':
      return priceStep(page, locale)
    case 'test':
      return (
        page.member.actor.can('resources.edit') &&
        html`
          <form method="post" action=${PATH}>
            ${hiddenFields({ csrf: page.member.csrf, act: 'test-sale' })}
            <button type="submit" class=${page.done.test ? 'plain' : undefined}>${words.startTest}</button>
          </form>
        `
      )
    case 'webhook':
      return webhookStep(
        { ...page.webhook, member: page.member, url: page.values.url, fault: page.faults?.url },
        locale,
      )
    case 'factor':
      return !page.done.factor && html`<p><a class="touch" href="/dashboard/security">${words.toSecurity}</a></p>`
    case 'live':
      return page.sellsAt !== undefined && html`<p><a class="touch" href=${page.sellsAt}>${words.sellsAt}</a></p>`
  }
}

const walletStep = ({ member, done }: FirstStepsPage, { words: { wallets: words } }: Locale) => {
  if (done.wallet)
    return mayOpen(member, 'wallets') && html`<p><a class="touch" href="/dashboard/wallets">${words.title}</a></p>`
  const mayAdd = member.actor.can('wallets.edit')
  return mayAdd && html`<p><a class="button" href="/dashboard/wallets/address">${words.add}</a></p>`
}

const priceStep = ({ member, done, values, faults, sellsAt }: FirstStepsPage, { words }: Locale) => {
  const { steps } = words
  if (done.price && sellsAt !== undefined)
    return html`
      <p>
        <code class="long">${sellsAt}</code>${' '}
        <button type="button" class="plain" data-copy=${sellsAt} data-copied=${words.parts.copied} aria-label=${`${words.parts.copy}: ${sellsAt}`} hidden>
          ${words.parts.copy}
        </button>
      </p>
    `
  if (!member.actor.can('resources.edit')) return null
  return html`
    <form method="post" action=${PATH} class="narrow">
      ${hiddenFields({ csrf: member.csrf, act: 'price' })}
      ${formRow({ name: 'title', label: steps.what, value: values.title, error: faults?.title, maxlength: TITLE_MAX })}
      ${formRow({ name: 'amount', label: steps.amount, value: values.amount, error: faults?.amount, required: true })}
      ${formRow({ name: 'currency', label: steps.currency, hint: steps.currencyHint, value: values.currency, error: faults?.currency, required: true, maxlength: 3 })}
      <button type="submit">${steps.setPrice}</button>
    </form>
  `
}

/** The secret of a webhook, which is shown this once. */
export const secretPage = (member: PageMember, secret: string): Reply => {
  const { steps: words } = localeFor(member).words
  return dashboardPage({
    title: words.secret,
    member,
    current: 'firstSteps',
    main: html`
      <p>${words.secretText}</p>
      <p><code class="long">${secret}</code></p>
      <p><a class="button" href=${PATH}>${words.kept}</a></p>
    `,
  })
}
