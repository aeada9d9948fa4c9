import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { time } from '../parts/figures.ts'
import { formRow } from '../parts/form-row.ts'
import { chip } from '../parts/notices.ts'
import { choiceRow } from '../parts/other-rows.ts'
import { table } from '../parts/table.ts'
import { DEVELOPERS, KEYS, REQUESTS, WEBHOOKS } from './paths.ts'
import { freshSecret } from './secret.ts'

/** The first page of developers: the owner key, and the ways to the rest. */

type ShownOwnerKey = {
  readonly key_hint: string
  readonly status: 'newest' | 'replaced'
  readonly created_at: string
  readonly ends_at: string | null
  readonly last_used_at: string | null
  readonly last_used_network: string | null
}

type DevelopersPage = {
  readonly member: PageMember
  readonly keys: readonly ShownOwnerKey[]
  readonly faults?: Readonly<Record<string, string>>
  /** A key that was just made, and when the one before ends. */
  readonly fresh?: { readonly apiKey: string; readonly oldEndsAt: string }
}

export const developersPage = (page: DevelopersPage): Reply => {
  const { member, keys, fresh, faults } = page
  const locale = localeFor(member)
  const words = locale.words.developers
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.title,
    member,
    current: 'developers',
    scripts: [COPY_SCRIPT],
    main: html`
      ${freshSecret(locale, words.newOwnerKey, fresh?.apiKey, fresh && html`<p>${words.oldEnds} ${time(locale, fresh.oldEndsAt)}</p><p>${words.signedOut}</p>`)}
      <p>${words.about}</p>
      <p class="ways">
        ${member.actor.can('sandbox-keys.manage') && way(KEYS, words.keys)} ${way(WEBHOOKS, words.webhooks)}
        ${member.actor.can('audit.view') && way(REQUESTS, words.requests)} ${way('/openapi.json', words.reference)}
      </p>
      ${member.actor.isOwner && ownerKey(locale, page)}
      ${keys.length > 0 && table(words.ownerKeys, columnsOf(locale), keys, 'cards')}
    `,
  })
}

const way = (href: string, label: string) => html`<a class="touch" href=${href}>${label}</a> `

const ownerKey = ({ words: { developers: words } }: Locale, { member, faults }: DevelopersPage) => html`
  <section class="card" aria-labelledby="owner-key">
    <h2 id="owner-key">${words.ownerKey}</h2>
    <p>${words.ownerKeyText}</p>
    <form method="post" action=${DEVELOPERS} class="narrow">
      ${hiddenFields({ csrf: member.csrf, act: 'rotate' })}
      ${formRow({ name: 'password', label: words.password, type: 'password', autocomplete: 'current-password', required: true, error: faults?.password })}
      ${choiceRow({
        name: 'old_key',
        label: words.oldKey,
        value: 'hour',
        options: [
          ['hour', words.oldHour],
          ['none', words.oldNone],
        ],
      })}
      <button type="submit">${words.rotateOwner}</button>
    </form>
  </section>
`

const columnsOf = (locale: Locale) => {
  const { developers: words } = locale.words
  return [
    { title: words.key, cell: ({ key_hint }: ShownOwnerKey) => html`<code>${key_hint}</code>` },
    {
      title: words.state,
      cell: ({ status, ends_at }: ShownOwnerKey) =>
        status === 'newest'
          ? chip(words.newest, 'good')
          : html`<span>${chip(words.replaced, 'warn')} ${ends_at && time(locale, ends_at)}</span>`,
    },
    { title: words.made, cell: ({ created_at }: ShownOwnerKey) => time(locale, created_at) },
    {
      title: words.lastUsed,
      cell: ({ last_used_at, last_used_network }: ShownOwnerKey) =>
        last_used_at === null ? words.never : html`<span>${time(locale, last_used_at)} ${last_used_network}</span>`,
    },
  ]
}
