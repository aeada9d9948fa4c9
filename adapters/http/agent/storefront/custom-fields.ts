import { z } from 'zod'
import {
  type CustomFields,
  FIELD_LABEL_MAX,
  FIELD_OPTIONS_MAX,
  FIELD_TYPES,
} from '../../../../domain/storefront/custom-fields.ts'
import { endpoint } from '../../core/endpoint.ts'

/** Custom fields of the checkout, asked in every store of the account (S-FLD-01 to S-FLD-03, N-48). */

const Text = z.string().trim().min(1).max(FIELD_LABEL_MAX)

const NewField = z.strictObject({
  type: z.enum(FIELD_TYPES),
  label: Text,
  options: z.array(Text).max(FIELD_OPTIONS_MAX).default([]),
  required: z.boolean().default(false),
})

/** A field as the seller and the buyer are told it. */
export const FieldShown = z
  .object({ type: z.enum(FIELD_TYPES), label: z.string(), options: z.array(z.string()), required: z.boolean() })
  .meta({ id: 'CustomField', description: 'What a buyer is asked at the checkout; `options` are those of a select.' })

const list = { custom_fields: z.array(FieldShown) }

const listFields = endpoint({
  method: 'get',
  path: '/v1/custom-fields',
  summary: 'The custom fields of the checkout, in their order',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'checkouts.view', sandbox: 'secret' },
  returns: z.object(list),
  async answer({ actor, flow }) {
    return { custom_fields: shownFields(await flow.ledger.customFields.read(actor.accountId)) }
  },
})

const addField = endpoint({
  method: 'post',
  path: '/v1/custom-fields',
  summary: 'Ask buyers one thing more, behind the others; the same field once more changes nothing',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'fields.edit' },
  body: NewField,
  returns: z.object({ ...list, added: z.literal(true) }),
  refusals: ['too-many-entries', 'label-taken'],
  async answer({ body, actor, flow }) {
    const { state } = await flow.ledger.customFields.add(actor.accountId, body)
    return { custom_fields: shownFields(state), added: true as const }
  },
})

const removeField = endpoint({
  method: 'delete',
  path: '/v1/custom-fields',
  summary: 'Ask one thing less: the field at an index, counted from zero',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'fields.edit' },
  query: z.object({
    index: z
      .string()
      .regex(/^\d{1,4}$/, 'has to be the index of a field, counted from zero')
      .transform(Number),
  }),
  returns: z.object({ ...list, removed_index: z.int() }),
  refusals: ['not-found'],
  async answer({ query: { index }, actor, flow }) {
    const { state } = await flow.ledger.customFields.remove(actor.accountId, { index })
    return { custom_fields: shownFields(state), removed_index: index }
  },
})

/** The fields as the seller and the buyer are told them. */
export const shownFields = ({ fields }: CustomFields): z.input<typeof FieldShown>[] =>
  fields.map(({ type, label, options, required }) => ({ type, label, options: [...options], required }))

export const customFieldEndpoints = [listFields, addField, removeField]
