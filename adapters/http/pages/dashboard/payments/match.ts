import { html } from 'htm/preact'
import { toDecimal } from '../../../../../domain/kernel/money.ts'
import type { Locale } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { coins } from './figures.ts'
import type { Candidate, PaymentPage } from './payment.ts'

/** How a member says what pays a payment that is not complete: by choosing among what came, or by a hash. */

export const candidateFields = (locale: Locale, { due, typed = {} }: PaymentPage) => html`
  <fieldset class="choices">
    <legend>${locale.words.payments.candidates}</legend>
    ${due?.candidates.map((each) => candidate(locale, each, typed.transfer))}
  </fieldset>
`

const candidate = (
  locale: Locale,
  { transferId, paid, decimals, asset, hash, at, status, isLikely }: Candidate,
  chosen: string | undefined,
) => {
  const { payments: words } = locale.words
  const why = { late: words.late, doubled: words.doubled, sold_out: words.sold_out, unmatched: words.unmatched }[status]
  return html`
    <label>
      <input type="radio" name="transfer" value=${transferId} required checked=${chosen === transferId} />
      <span>
        <b>${coins(locale, toDecimal(BigInt(paid), decimals), asset)}</b>, ${time(locale, at)}
        ${why && html`, ${why}`} ${isLikely && html`<b>${words.likely}</b>`}
        <code class="long">${hash}</code>
      </span>
    </label>
  `
}

export const hashField = ({ words: { payments: words } }: Locale, { typed = {} }: PaymentPage) => html`
  <div>
    <label for="match-hash">${words.hash}</label>
    <input id="match-hash" name="hash" value=${typed.hash} required maxlength="200" autocomplete="off" />
  </div>
`
