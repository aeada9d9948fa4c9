import type { CustomField } from './custom-fields.ts'

/** What a buyer answers to a seller's custom fields, checked (S-FLD-04, N-48). */

/** Characters of an answer. */
export const TEXT_MAX = 500
export const TEXTAREA_MAX = 2_000

/** Why an answer is not taken. */
type FieldFault = 'missing' | 'too-long' | 'several-lines' | 'no-option' | 'no-checkbox' | 'unknown'

export type FieldsCheck =
  | { readonly values: readonly { readonly label: string; readonly value: string }[] }
  | { readonly wrong: readonly { readonly label: string; readonly fault: FieldFault }[] }

/**
 * In the order of the fields, `given` by their labels. An answer that is empty is none, and an optional field without
 * one is left out.
 */
export const checkedFields = (fields: readonly CustomField[], given: Readonly<Record<string, string>>): FieldsCheck => {
  const known = new Set(fields.map(({ label }) => label))
  const unknown = Object.keys(given).filter((label) => !known.has(label))
  const judged = fields.map((field) => {
    const value = Object.hasOwn(given, field.label) ? meant(field, given[field.label] ?? '') : ''
    return { label: field.label, value, fault: faultOf(field, value) }
  })
  const wrong = [
    ...judged.flatMap(({ label, fault }) => (fault ? [{ label, fault }] : [])),
    ...unknown.map((label) => ({ label, fault: 'unknown' as const })),
  ]
  if (wrong.length > 0) return { wrong }
  return { values: judged.flatMap(({ label, value }) => (value === '' ? [] : [{ label, value }])) }
}

/**
 * How the answers stand in a record: one to a line, and the further lines of one set in, so that none can be taken for
 * another's.
 */
export const fieldLines = (values: readonly { readonly label: string; readonly value: string }[]): string =>
  values.map(({ label, value }) => `${label}: ${value.replaceAll('\n', '\n  ')}`).join('\n')

/** What is the same however it was sent: a browser ends lines its own way and says `on` of a box that is ticked. */
const meant = ({ type }: CustomField, given: string): string => {
  const text = given.replace(/\r\n?/g, '\n').trim()
  return type === 'checkbox' && text === 'on' ? 'true' : text
}

const faultOf = ({ type, options, required }: CustomField, value: string): FieldFault | undefined => {
  // A box that has to be ticked is a consent.
  if (value === '' || (type === 'checkbox' && value === 'false')) return required ? 'missing' : undefined
  switch (type) {
    case 'text':
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return 'several-lines'
      return value.length > TEXT_MAX ? 'too-long' : undefined
    case 'textarea':
      return value.length > TEXTAREA_MAX ? 'too-long' : undefined
    case 'select':
      return options.includes(value) ? undefined : 'no-option'
    case 'checkbox':
      return value === 'true' ? undefined : 'no-checkbox'
  }
}
