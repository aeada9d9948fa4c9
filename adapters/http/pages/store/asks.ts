import { html } from 'htm/preact'
import { type FieldType, TEXT_MAX, TEXTAREA_MAX } from '../../../../domain/storefront/custom-fields.ts'
import { DISCOUNT_CODE_MAX } from '../../../../domain/storefront/discounts.ts'
import { faultIn, type StoreLocale } from './messages/store-locale.ts'

/**
 * The questions of a seller to a buyer, inside the form that buys (S-FLD-04). It works without script; what is wrong
 * stands beside its field.
 */

type TypedAnswer = {
  /** What was typed before. */
  readonly typed: string | undefined
  readonly wrong: string | undefined
}

type AskedField = TypedAnswer & {
  /** The name under which the browser sends the answer. */
  readonly name: string
  readonly type: FieldType
  readonly label: string
  readonly options: readonly string[]
  readonly required: boolean
}

export type SellerQuestions = {
  readonly fields: readonly AskedField[]
  /** Undefined where no discount codes are taken. */
  readonly code: TypedAnswer | undefined
}

export const questionFields = (locale: StoreLocale, { fields, code }: SellerQuestions) => html`
  ${fields.map((field) => fieldOf(locale, field))}
  ${
    code &&
    fieldOf(locale, {
      ...code,
      name: 'discount_code',
      type: 'text',
      label: locale.words.discountCode,
      options: [],
      required: false,
    })
  }
`

const fieldOf = (locale: StoreLocale, field: AskedField) => {
  const { name, type, label, required } = field
  const wrong = faultIn(locale, field.wrong)
  const words = html`${label}${!required && html` <span class="hint">(${locale.words.optional})</span>`}`
  const fault = wrong && html`<span id=${`wrong-${name}`} class="wrong" role="alert">${wrong}</span>`
  return type === 'checkbox'
    ? html`<p class="field check">${fault}<label dir="auto">${control(locale, field)} <span>${words}</span></label></p>`
    : html`<p class="field"><label for=${name} dir="auto">${words}</label>${fault}${control(locale, field)}</p>`
}

const control = (locale: StoreLocale, { name, type, options, required, typed, wrong }: AskedField) => {
  const shared = {
    id: name,
    name,
    required,
    ...(wrong && { 'aria-invalid': 'true', 'aria-describedby': `wrong-${name}` }),
  }
  switch (type) {
    case 'checkbox':
      return html`<input type="checkbox" ...${shared} value="true" checked=${typed === 'true' || typed === 'on'} />`
    case 'textarea':
      return html`<textarea ...${shared} maxlength=${TEXTAREA_MAX} dir="auto">${typed}</textarea>`
    case 'select':
      return html`
        <select ...${shared}>
          <option value="">${locale.words.option}</option>
          ${options.map((option) => html`<option value=${option} selected=${option === typed}>${option}</option>`)}
        </select>
      `
    case 'text':
      return html`<input type="text" ...${shared} maxlength=${name === 'discount_code' ? DISCOUNT_CODE_MAX : TEXT_MAX} autocomplete="off" dir="auto" value=${typed} />`
  }
}
