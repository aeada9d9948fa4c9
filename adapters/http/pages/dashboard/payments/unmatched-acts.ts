import { html } from 'htm/preact'
import type { Capability } from '../../../../../domain/account/capabilities.ts'
import { IGNORE_REASONS } from '../../../../../domain/selling/transfers/transfer-events.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { Locale } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { notice } from '../parts/notices.ts'
import { unmatchedAt } from './paths.ts'
import type { HandAct, UnmatchedPage } from './unmatched-page.ts'

/** What may be done with money that settles nothing: each is a form of its own, which says what it does. */

const NEEDS: Readonly<Record<HandAct, Capability>> = {
  match: 'transactions.edit',
  'match-payment': 'transactions.edit',
  return: 'transactions.refund',
  ignore: 'transactions.edit',
  reopen: 'transactions.edit',
}

export const handForms = (locale: Locale, page: UnmatchedPage) => {
  const { unmatched: words } = locale.words
  const { member, row, candidates } = page
  if (row.network === null) return html`<p class="hint">${words.byCard}</p>`
  if (member.actor.storeScope !== undefined) return html`<p class="hint">${words.ofAccount}</p>`
  const isOpen = row.status !== 'ignored' && row.status !== 'returned'
  const isIgnored = row.status === 'ignored'
  const offered = [
    ['match', isOpen && candidates.length > 0, words.matchText, candidateFields(locale, page)],
    ['match-payment', isOpen || isIgnored, words['match-paymentText'], paymentField(locale, page)],
    ['return', row.returnState !== 'sent', words.returnText, returnFields(locale, page)],
    ['ignore', isOpen, words.ignoreText, reasonField(locale, page)],
    ['reopen', !isOpen && row.returnState !== 'sent', words.reopenText, undefined],
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
const actForm = (
  { words: { unmatched: words } }: Locale,
  { member, row, failed }: UnmatchedPage,
  act: HandAct,
  content: unknown,
) => {
  const error = failed?.act === act ? failed.error : undefined
  return html`
    <details class="dialog" open=${error !== undefined}>
      <summary>${words[act]}</summary>
      <form method="post" action=${unmatchedAt(row.transferId)} class="narrow">
        ${hiddenFields({ csrf: member.csrf, act })}
        ${error && html`<div lang="en">${notice(error, 'bad')}</div>`} ${content}
        <button type="submit">${words[act]}</button>
      </form>
    </details>
  `
}

const candidateFields = (
  { words: { unmatched: words, candidateReasons } }: Locale,
  { candidates, typed = {} }: UnmatchedPage,
) => html`
  <fieldset class="choices">
    <legend>${words.candidates}</legend>
    ${candidates.map(
      ({ challengeId, transactionId, title, reasons }) => html`
        <label>
          <input type="radio" name="challenge" value=${challengeId} required checked=${typed.challenge === challengeId} />
          <span>
            <b>${title || (transactionId === null ? challengeId : words.payment(transactionId))}</b>
            ${' '}${reasons[0] && candidateReasons[reasons[0]]}
          </span>
        </label>
      `,
    )}
  </fieldset>
`

const paymentField = ({ words: { unmatched: words } }: Locale, { typed = {} }: UnmatchedPage) =>
  formRow({ name: 'payment', label: words.paymentNumber, value: typed.payment, required: true, maxlength: 20 })

const returnFields = ({ words: { unmatched: words } }: Locale, { typed = {} }: UnmatchedPage) => html`
  ${formRow({ name: 'amount', label: words.returnAmount, hint: words.returnAmountHint, value: typed.amount })}
  ${formRow({ name: 'hash', label: words.returnHash, hint: words.returnHashHint, value: typed.hash, maxlength: 200 })}
`

const reasonField = ({ words: { unmatched: words, ignoreReasons } }: Locale, { typed = {} }: UnmatchedPage) => html`
  <div class="row">
    <label for="row-reason">${words.ignoreReason}</label>
    <select id="row-reason" name="reason" required>
      ${IGNORE_REASONS.map((each) => html`<option value=${each} selected=${each === typed.reason}>${ignoreReasons[each]}</option>`)}
    </select>
  </div>
`
