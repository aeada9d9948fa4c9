import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { hiddenFields } from '../people/fields.ts'
import { dashboardPage, type PageMember } from './frame.ts'
import { localeFor } from './messages/locale.ts'
import { formRow } from './parts/form-row.ts'
import { notice } from './parts/notices.ts'

/** Buying credit. */

type TopUpPage = {
  readonly member: PageMember
  readonly amount?: string | undefined
  readonly fault?: string | undefined
  /** Where it is paid, and how much in millionths of a US dollar, once it was asked for. */
  readonly ready?: { readonly url: string; readonly units: bigint }
}

const PATH = '/dashboard/top-up'
const AMOUNT_MAX = 20

export const topUpPage = ({ member, amount, fault, ready }: TopUpPage): Reply => {
  const locale = localeFor(member)
  const { home: words } = locale.words
  return dashboardPage({
    ...(fault !== undefined && { status: 422 }),
    title: words.topUp,
    member,
    current: 'home',
    main: html`
      ${
        ready
          ? html`
              ${notice(words.topUpReady(locale.money(ready.units, 'USD')))}
              <p><a class="button" href=${ready.url}>${words.topUpPay}</a></p>
            `
          : html`
              <p>${words.topUpText}</p>
              <form method="post" action=${PATH} class="narrow">
                ${hiddenFields({ csrf: member.csrf })}
                ${formRow({ name: 'amount', label: words.topUpAmount, value: amount, error: fault, required: true, maxlength: AMOUNT_MAX })}
                <button type="submit">${words.topUpButton}</button>
              </form>
            `
      }
      <p><a class="touch" href="/dashboard">${words.back}</a></p>
    `,
  })
}
