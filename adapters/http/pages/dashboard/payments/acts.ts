import { html } from 'htm/preact'
import type { Capability } from '../../../../../domain/account/capabilities.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { Locale } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { notice } from '../parts/notices.ts'
import { candidateFields, hashField } from './match.ts'
import { paymentAt } from './paths.ts'
import { EDITABLE, type PaymentAct, type PaymentPage } from './payment.ts'

/** What may be done with a payment: each opens in its place, says what it does, and is sent by a button of its own. */

export const NEEDS: Readonly<Record<PaymentAct, Capability>> = {
  resend: 'transactions.edit',
  refund: 'transactions.refund',
  edit: 'transactions.edit',
  match: 'transactions.edit',
  'match-transfer': 'transactions.edit',
}

export const actForms = (locale: Locale, page: PaymentPage) => {
  const { payments: words } = locale.words
  const { member, row } = page
  const isDone = row.status === 'C'
  const candidates = page.due?.candidates ?? []
  const offered = [
    ['refund', isDone && row.refundedAt === null, words.refundText, refundFields(locale, page)],
    ['match-transfer', !isDone && candidates.length > 0, words.candidatesText, candidateFields(locale, page)],
    ['match', !isDone, words.matchText, hashField(locale, page)],
    ['edit', true, words.editText, editFields(locale, page)],
  ] as const
  const mine = offered.filter(([act, fits]) => fits && member.actor.can(NEEDS[act]))
  return (
    mine.length > 0 &&
    html`
      <section class="card" aria-labelledby="acts">
        <h2 id="acts">${words.acts}</h2>
        ${mine.map(([act, , text, fields]) => actForm(locale, page, act, html`<p>${text}</p>${fields}`))}
      </section>
    `
  )
}

/** One act as a form of its own; what it was refused for stands in it. */
export const actForm = (
  { words: { payments: words } }: Locale,
  { member, row, failed, open }: PaymentPage,
  act: PaymentAct,
  content: unknown,
) => {
  const error = failed?.act === act ? failed.error : undefined
  return html`
    <details class="dialog" open=${error !== undefined || open === act}>
      <summary>${words[act]}</summary>
      <form method="post" action=${paymentAt(row.id)} class="narrow" id=${act}>
        ${hiddenFields({ csrf: member.csrf, act })}
        ${error && html`<div lang="en">${notice(error, 'bad')}</div>`} ${content}
        <button type="submit">${words[act]}</button>
      </form>
    </details>
  `
}

const refundFields = ({ words: { payments: words } }: Locale, { record, row, typed = {} }: PaymentPage) => html`
  ${hiddenFields({ refunded: row.refundedPart ?? '' })}
  ${
    record.paid_by !== 'card' &&
    html`
      ${formRow({ name: 'amount', label: words.refundAmount, hint: words.refundAmountHint, value: typed.amount })}
      ${formRow({ name: 'hash', label: words.refundHash, hint: words.refundHashHint, value: typed.hash, maxlength: 200 })}
    `
  }
`

const editFields = ({ words: { payments: words } }: Locale, { record, typed = {} }: PaymentPage) =>
  EDITABLE.map((key) => {
    const was = record[key] ?? ''
    const value = typed[key] ?? was
    return html`
      ${hiddenFields({ [`was_${key}`]: was })}
      ${
        key === 'status'
          ? html`
              <div class="row">
                <label for="row-status">${words.status}</label>
                <select id="row-status" name="status">
                  ${(
                    [
                      ['P', words.pending],
                      ['C', words.completed],
                      ['X', words.rejected],
                    ] as const
                  ).map(([code, name]) => html`<option value=${code} selected=${code === value}>${name}</option>`)}
                </select>
              </div>
            `
          : formRow({
              name: key,
              label: words[key === 'title' ? 'titleField' : key],
              value,
              ...(key === 'description' && { hint: words.noteHint }),
            })
      }
    `
  })
