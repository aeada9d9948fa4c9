/** The documents' own list of endpoints (test/golden/endpoints.json), and what its phrases mean as fields. */
import { readFileSync } from 'node:fs'

export type Listed = {
  readonly id: string
  readonly surface: 'json' | 'auth' | 'merchant'
  readonly method: string
  readonly path: string
  readonly variant?: string
  readonly auth: string
  readonly query: readonly { readonly name: string; readonly notes?: string }[]
  readonly requestFields: readonly { readonly name: string; readonly required: boolean | null }[]
  readonly responseStatus: number | string
  readonly responseFields: readonly string[]
  readonly errors: readonly { readonly status: number | string; readonly code: string | null }[]
}

export const listed: readonly Listed[] = JSON.parse(
  readFileSync(new URL('../../golden/endpoints.json', import.meta.url), 'utf8'),
)

/** Where the list tells of fields in prose, the fields that are meant; `media` where it means no JSON. */
const PROSE: Readonly<Record<string, readonly string[]>> = {
  // N-32: it is answered as it was sent; its network stands in the list of them.
  'the stored token': [
    'code',
    'type',
    'name',
    'contract_address',
    'decimals',
    'rate',
    'rate_url',
    'confirmations',
    'img',
  ],
  'masked relay config': ['enabled'],
  'updated balances': ['credit_balance', 'native_points', 'lander_slots'],
  'payment_requests or one': ['payment_requests', 'payment_request'],
  'one resource': ['res_id', 'amount', 'currency'],
  'one product': ['product'],
  'credentials (once)': ['api_key', 'webhook_secret', 'cloud_token'],
  CSV: ['media text/csv'],
  HTML: ['media text/html'],
  'payment page of a payment request': ['media text/html'],
  'verifies and settles as at the door': ['settled'],
  '402 manifest: accepts[]': ['accepts'],
  '402: accepts[], paymentRequirements[] | 200: settled or HTML | 202: gasless payment verified, on-chain settlement pending':
    ['402 accepts', '402 paymentRequirements', 'settled', 'media text/html', '202'],
  'authorization, token, userinfo, revocation, end session endpoints': [
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'revocation_endpoint',
    'end_session_endpoint',
  ],
  'redirect with code and state, or error and state': ['303'],
  'claims for granted scopes': ['sub', 'email', 'name'],
  'settled:false,test:true,confirmations,minimum_confirmations,hash | settled:true,test:true,...': [
    'settled',
    'test',
    'confirmations',
    'minimum_confirmations',
    'hash',
  ],
  // The console wraps what it answers; what is in it the list tells in prose alone.
  'response{payment link, transaction id}': ['response.payment_link', 'response.transaction_id'],
  'response{shareable payment URL}': ['response.url'],
  'response{transaction}': ['response.status', 'response.amount_fiat'],
  'response{history}': ['response.transactions'],
  'response{export}': ['media text/csv'],
  'response{saved payment links}': ['response.checkouts'],
  'response{fiat price}': ['response.value'],
  'response{rates}': ['response.rates'],
  'response{tax computation}': ['response.vat'],
  'response{VAT number check}': ['response.valid'],
  'response{supported coins}': ['response.codes'],
  'response{custom tokens}': ['response.custom_tokens'],
  'response{settings (webhook-secret masked)}': ['response.webhook-secret'],
  'response{cloud token}': ['response.cloud_token'],
  'response{re-scan result}': ['response.transactions'],
  'response{HTTP status, response body, whether the signature verified}': [
    'response.http_status',
    'response.response_body',
    'response.signature_verified',
  ],
  'response{hosted checkout}': ['response.payment_link'],
  'response{not shown}': ['response'],
  'response{}': ['response'],
  'not shown': [],
  sheet: ['id', 'name', 'level'],
  // Of the game the list tells the names of what is answered as results alone.
  result: [],
  'the find': [],
  'proposal result': [],
  'challenge_id,... or resolved duel': ['challenge_id'],
}

/** The fields of an answer, with what is in them after a point. */
export const answered = ({ responseFields }: Listed): readonly string[] => responseFields.flatMap(fieldsIn)

const fieldsIn = (phrase: string): readonly string[] => {
  const meant = PROSE[phrase]
  if (meant) return meant
  const [, list, items] = /^(\w+)\[\]: ([\w,]+)$/.exec(phrase) ?? []
  if (list !== undefined) return [list, ...(items ?? '').split(',').map((item) => `${list}.${item}`)]
  const [, object, fields = ''] = /^(\w+)\{([\w,]*)\}$/.exec(phrase) ?? []
  if (object !== undefined)
    return [object, ...fields.split(',').flatMap((field) => (field ? [`${object}.${field}`] : []))]
  return phrase.split(/ \| |,| or /).map(nameOf)
}

/** `deleted:true`, `url=''`, `keys[]`, `wallets{asset:address}`, `errorReason?`, `api_key (once)`. */
const nameOf = (field: string): string => {
  const name = /^(\w+)(\[\]|\{.*\}|\?|[:=].*)?( \(.*\))?$/.exec(field.trim())?.[1]
  if (name === undefined) throw new Error(`what does ${JSON.stringify(field)} mean?`)
  return name
}

/** Fields that are sent: what the list calls them, or what it means. */
export const sent = ({ requestFields }: Listed): readonly { name: string; required: boolean }[] =>
  requestFields.flatMap(({ name, required }) =>
    (SENT[name] ?? [name]).map((each) => ({ name: each, required: required === true })),
  )

const SENT: Readonly<Record<string, readonly string[]>> = {
  'product fields': ['title', 'price', 'currency', 'asset', 'description'],
  'array body': [],
  'not shown': [],
}

/** The names of what is asked for in the query. */
export const asked = ({ query }: Listed): readonly string[] => query.flatMap(({ name }) => ASKED[name] ?? [name])

const ASKED: Readonly<Record<string, readonly string[]>> = { 'date range': ['from', 'to'], search: ['q'] }

/** Fields that some answers lack, each with the reason; by the row of the list, a space and the field. */
export const MAY_LACK: readonly (readonly [fields: RegExp, why: string])[] = [
  [/^J-WHK-04 secret$/, 'shown once: when the first URL makes it, and when it is rotated (1:60)'],
  [/^J-TOK-02 (rate|rate_url|confirmations|img)$/, 'optional in the request, whose token is answered (1:73)'],
  [/^S-STO-0[23] (api_key|cloud_token|webhook_secret)$/, 'a rotation answers the one that it has made'],
  [/^J-GAS-05 invalidReason$|^J-GAS-06 errorReason$/, 'the documents say so by a question mark'],
  [/^J-GAS-0[56] payer$/, 'nothing that could be read names one, and clients of x402 refuse an empty one'],
  [/^C-SES-06 payment_handlers$/, 'nothing is to be paid any more'],
  [/^A-OID-18 (email|name)$/, 'claims are those of the granted scopes (2:42)'],
  [/^J-SET-01 webhook(\.|$)|^M-SET-03 response\.webhook-secret$/, 'a sandbox key is told nothing of webhooks (N-28)'],
  [/^A-INT-04 duplicate$/, 'true on a replay, the list says'],
]
