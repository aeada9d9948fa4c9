import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

/** The amount, its keys and the note. */

const NOTE_MAX = 500
const AMOUNT_MAX = 20
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0'] as const

type Typed = { readonly amount?: string; readonly note?: string }

export const keypad = (locale: Locale, label: string, values: Typed, faults: Typed) => {
  const words = locale.words.till
  return html`
    <label for="amount">${label}</label>
    <input
      id="amount"
      name="amount"
      inputmode="decimal"
      autocomplete="off"
      required
      maxlength=${AMOUNT_MAX}
      value=${values.amount}
      aria-invalid=${faults.amount === undefined ? undefined : 'true'}
      aria-describedby=${faults.amount === undefined ? undefined : 'amount-error'}
    />
    ${faults.amount && html`<p id="amount-error" class="error" role="alert">${faults.amount}</p>`}
    <div class="keys" role="group" aria-label=${words.keys} hidden>
      ${KEYS.map((key) => html`<button type="button" data-key=${key}>${key === '.' ? pointOf(locale) : key}</button>`)}
      <button type="button" data-key="erase" aria-label=${words.erase}>⌫</button>
    </div>
    <label for="note">${words.note}</label>
    <input id="note" name="note" autocomplete="off" maxlength=${NOTE_MAX} value=${values.note} />
    ${faults.note && html`<p class="error" role="alert">${faults.note}</p>`}
  `
}

/** The point as the member's language writes it. */
const pointOf = ({ decimal }: Locale): string => decimal('0.5').charAt(1)
