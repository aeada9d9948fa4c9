import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { notice } from '../parts/notices.ts'
import { tillPage } from './frame.ts'
import { keypad } from './keypad-parts.ts'
import { TILL } from './paths.ts'

/** The keypad of the till: an amount, a note, and one button. It is a plain form without script. */

/** The stores that a member may sell for, each with its name. */
export type TillStores = readonly (readonly [storeId: number, name: string])[]

export type KeypadPage = {
  readonly member: PageMember
  readonly storeId: number
  readonly stores: TillStores
  readonly currency: string
  /** Names this form, so that it makes one request however often it is sent. */
  readonly form: string
  readonly values?: { readonly amount?: string; readonly note?: string }
  readonly faults?: { readonly amount?: string; readonly note?: string; readonly sale?: string }
}

export const keypadPage = (page: KeypadPage): Reply => {
  const { member, storeId, stores, currency, form, values = {}, faults = {} } = page
  const locale = localeFor(member)
  const words = locale.words.till
  return tillPage({
    ...(page.faults && { status: 422 }),
    title: words.title,
    member,
    storeId,
    main: html`
      ${storeChoice(stores, storeId, locale)} ${notice(faults.sale, 'bad')}
      <form method="post" action=${TILL} class="keypad" data-keypad=${storeId}>
        ${hiddenFields({ csrf: member.csrf, act: 'charge', form, store: String(storeId) })}
        ${keypad(locale, words.amount(currency), values, faults)}
        <button type="submit" class="charge">${words.charge}</button>
      </form>
    `,
  })
}

const storeChoice = (stores: TillStores, storeId: number, { words }: Locale) =>
  stores.length > 1 &&
  html`
    <form method="get" action=${TILL} class="stores">
      <label for="store">${words.till.store}</label>
      <select id="store" name="store">
        ${stores.map(([id, name]) => html`<option value=${id} selected=${id === storeId}>${name}</option>`)}
      </select>
      <button type="submit">${words.till.choose}</button>
    </form>
  `
