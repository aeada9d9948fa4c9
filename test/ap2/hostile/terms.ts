/**
 * Mandates that are good in themselves, but for another seller, session or cart, or with constraints that are not met.
 */
import type { MandateCheck } from '../../../adapters/ap2/verify-mandate.ts'
import {
  about,
  CART,
  chain,
  closedClaims,
  cnf,
  direct,
  items,
  type Link,
  mandate,
  open,
} from '../../support/mandates/forge.ts'
import { digest, disclosure, flipped, jws, newMinter } from '../../support/mandates/mint.ts'
import {
  AUD,
  checkOf,
  checkout,
  NOW_S,
  platform,
  signedCheckout,
  stranger,
  wholeCheckout,
} from '../../support/mandates/scene.ts'
import type { Row } from './row.ts'

const ofPlatform = (claims: object) =>
  direct({ by: platform, claims: { iss: undefined, aud: undefined, nonce: undefined, ...claims } })
const proof = (change: object) => mandate({ proof: change })

export const audience: readonly Row[] = [
  ['another audience', proof({ aud: 'https://other.test' }), 'audience'],
  ['an audience that only begins alike', proof({ aud: `${AUD}.evil.test` }), 'audience'],
  ['a list of audiences in a proof', proof({ aud: [AUD] }), 'audience'],
  ['no audience in a proof', proof({ aud: undefined }), 'audience'],
  ['an audience of null', proof({ aud: null }), 'audience'],
  ['another audience in the mandate itself', direct({ claims: { aud: ['https://other.test'] } }), 'audience'],
  ['seventeen audiences', direct({ claims: { aud: Array(17).fill(AUD) } }), 'audience'],
  ['no audience in the mandate itself', direct({ claims: { aud: undefined } }), 'audience'],
  ['another audience from a platform', ofPlatform({ aud: 'https://other.test' }), 'audience'],
  ['a platform without audience where it is wanted', ofPlatform({}), 'audience', { strictNonce: true }],
  ['another nonce', proof({ nonce: 'other' }), 'nonce'],
  ['an empty nonce', proof({ nonce: '' }), 'nonce'],
  ['no nonce in a proof', proof({ nonce: undefined }), 'nonce'],
  ['a nonce that is a number', proof({ nonce: 1 }), 'nonce'],
  ['a proof of another session', mandate(), 'nonce', { nonce: 'the-one-of-another-session' }],
  ['no nonce in the mandate itself', direct({ claims: { nonce: undefined } }), 'nonce'],
  [
    'no nonce from a buyer',
    direct({
      by: stranger,
      header: { kid: undefined, jwk: stranger.jwk },
      claims: { iss: undefined, nonce: undefined },
    }),
    'nonce',
  ],
  ['another nonce from a platform', ofPlatform({ nonce: 'other' }), 'nonce'],
  ['a platform without nonce where it is wanted', ofPlatform({ aud: AUD }), 'nonce', { strictNonce: true }],
]

const claims = (change: object) => mandate({ claims: change })
const ours = signedCheckout()
const jwtOf = (checkout_jwt: unknown) => claims({ checkout_jwt, checkout_hash: digest(String(checkout_jwt)) })
const whole = (change: object, signedAs: object = wholeCheckout()) =>
  claims({ checkout_jwt: undefined, checkout_hash: undefined, checkout: { ...signedAs, ...change } })
const line = (change: object) => [{ ...checkout.line_items[0], ...change }, checkout.line_items[1]]
const now = (session: object): Partial<MandateCheck> => ({ session: { ...checkOf('').session, ...session } })

export const terms: readonly Row[] = [
  ['another hash', claims({ checkout_hash: digest('other') }), 'checkout-hash'],
  ['no hash', claims({ checkout_hash: undefined }), 'checkout-hash'],
  ['a hash that is a number', claims({ checkout_hash: 1 }), 'checkout-hash'],
  ['a hash of another kind than the mandate’s', claims({ checkout_hash: digest(ours, 'sha512') }), 'checkout-hash'],
  ['no checkout', claims({ checkout_jwt: undefined }), 'checkout-missing'],
  ['a checkout that was kept back', mandate({ shown: () => [] }), 'checkout-missing'],
  ['a checkout that is a number', claims({ checkout_jwt: 7 }), 'checkout-missing'],
  ['a checkout in both forms', claims({ checkout: wholeCheckout() }), 'checkout-missing'],
  ['a whole checkout that nobody has signed', whole({ ap2: undefined }), 'checkout-missing'],
  [
    'a whole checkout with a signature that is not detached',
    whole({ ap2: { merchant_authorization: ours } }),
    'checkout-missing',
  ],
  ['a whole checkout with other terms than were signed', whole({ currency: 'USD' }), 'checkout-not-ours'],
  ['a whole checkout with half a character', whole({ note: '\ud800' }), 'checkout-not-ours'],
  [
    'a whole checkout with another hash',
    claims({ checkout_jwt: undefined, checkout_hash: 'x', checkout: wholeCheckout() }),
    'checkout-hash',
  ],
  ['a checkout that is no JWT', jwtOf('checkout'), 'checkout-not-ours'],
  [
    'a checkout signed by somebody else with our key id',
    jwtOf(jws({ alg: 'ES256', kid: 'merchant-1' }, checkout, stranger)),
    'checkout-not-ours',
  ],
  [
    'our key’s signature, broken',
    jwtOf(flipped(ours, ours.length - 10, ours.at(-10) === 'A' ? 'B' : 'A')),
    'checkout-not-ours',
  ],
  [
    'our signature under other terms',
    jwtOf(
      [ours.split('.')[0], signedCheckout({ ...checkout, id: 'cs_2' }).split('.')[1], ours.split('.')[2]].join('.'),
    ),
    'checkout-not-ours',
  ],
  ['a key of ours that is published no more', mandate(), 'checkout-not-ours', { merchantKeys: [] }],
  ['a signature of ours in another form', claims(about({}, { kid: 'merchant-1', typ: 'JWT' })), 'checkout-not-ours'],
  ['our key id without our key', claims(about({}, { kid: 'merchant-2' })), 'checkout-not-ours'],
  ['another session', claims(about({ id: 'cs_2' })), 'other-session'],
  ['a session without an id', claims(about({ id: undefined })), 'other-session'],
  ['the same mandate on another session', mandate(), 'other-session', now({ id: 'cs_2' })],
  ['another currency', claims(about({ currency: 'USD' })), 'currency-differs'],
  ['another quantity', claims(about({ line_items: line({ quantity: 3 }) })), 'line-items-differ'],
  ['a quantity that is text', claims(about({ line_items: line({ quantity: '2' }) })), 'line-items-differ'],
  [
    'another price',
    claims(about({ line_items: line({ item: { id: 'res_a', title: 'Thing 1', price: 999 } }) })),
    'line-items-differ',
  ],
  ['a line less', claims(about({ line_items: checkout.line_items.slice(1) })), 'line-items-differ'],
  ['lines in another order', claims(about({ line_items: checkout.line_items.toReversed() })), 'line-items-differ'],
  ['no lines', claims(about({ line_items: undefined })), 'line-items-differ'],
  ['another total', claims(about({ totals: [{ type: 'total', amount: 1 }] })), 'totals-differ'],
  ['a cart that has changed since', mandate(), 'line-items-differ', now({ lineItems: line({ quantity: 1 }) })],
  ['totals that have changed since', mandate(), 'totals-differ', now({ totals: [] })],
]

const second = newMinter()
/** Three links, of which the one in the middle says this. */
const between = (body: object, header: object = {}) =>
  chain({}, { by: second }, { body: { cnf: { jwk: second.jwk }, ...body }, header: { typ: 'kb+sd-jwt+kb', ...header } })
const met = (...constraints: readonly unknown[]) => chain({ body: { constraints } })
const kept = disclosure({ type: 'checkout.allowed_merchants', allowed: [] })
const merchants = (...allowed: readonly unknown[]) => ({ type: 'checkout.allowed_merchants', allowed })
const need = (change: object) => ({ ...CART, items: [{ ...items([3, 'res_a', 'res_b']).items[0], ...change }] })

export const constraints: readonly Row[] = [
  ['no constraints', chain({ body: { constraints: undefined } }), 'constraint-missing'],
  ['an empty list of constraints', met(), 'constraint-missing'],
  ['nothing said of the items', met(merchants({ id: AUD })), 'constraint-missing'],
  ['more constraints than are looked at', met(...Array(17).fill(CART)), 'constraint-missing'],
  ['a constraint that nobody knows', met(CART, { type: 'checkout.budget', max: 1 }), 'constraint-unknown'],
  ['a constraint of payments', met(CART, { type: 'payment.amount_range', max: 99_999 }), 'constraint-unknown'],
  ['a constraint named like a prototype', met(CART, { type: 'constructor' }), 'constraint-unknown'],
  ['a constraint without a type', met(CART, {}), 'constraint-unknown'],
  ['a constraint that is text', met(CART, 'cheap'), 'constraint-malformed'],
  ['a member of a constraint that nobody knows', met({ ...CART, max_price: 1 }), 'constraint-unknown'],
  ['a constraint that was kept back', met(CART, { '...': digest(kept) }), 'constraint-withheld'],
  ['a part of a constraint that was kept back', met({ ...CART, _sd: [digest(kept)] }), 'constraint-withheld'],
  [
    'a requirement that was kept back',
    met({ ...CART, items: [...CART.items, { '...': digest(kept) }] }),
    'constraint-withheld',
  ],
  ['claims of the open mandate that were kept back', chain({ body: { _sd: [digest(kept)] } }), 'constraint-withheld'],
  ['other merchants', met(CART, merchants({ id: 'https://other.test', name: 'Tees' })), 'merchant-not-allowed'],
  ['no merchant that is shown', met(CART, merchants({ '...': 'hidden' })), 'merchant-not-allowed'],
  ['no merchants', met(CART, merchants()), 'merchant-not-allowed'],
  ['another id with our website', met(CART, merchants({ id: 'other', website: AUD })), 'merchant-not-allowed'],
  ['our name alone', met(CART, merchants({ name: 'Tees' })), 'merchant-not-allowed'],
  [
    'merchants that are no list',
    met(CART, { type: 'checkout.allowed_merchants', allowed: AUD }),
    'constraint-malformed',
  ],
  ['more of an item than allowed', met(items([1, 'res_a'], [1, 'res_b'])), 'items-not-allowed'],
  ['less of an item than wanted', met(items([2, 'res_a'], [2, 'res_b'])), 'items-not-allowed'],
  ['an item that nobody asked for', met(items([3, 'res_a', 'res_x'])), 'items-not-allowed'],
  ['one item for two needs', met(items([2, 'res_b'], [1, 'res_a', 'res_b'])), 'items-not-allowed'],
  ['a need for no item that is shown', met(need({ acceptable_items: [{ '...': 'hidden' }] })), 'items-not-allowed'],
  ['no needs', met({ ...CART, items: [] }), 'constraint-malformed'],
  ['a quantity below zero', met(need({ quantity: -1 })), 'constraint-malformed'],
  ['half a quantity', met(need({ quantity: 2.5 })), 'constraint-malformed'],
  ['a need with a price that nobody looks at', met(need({ max_price: 1 })), 'constraint-unknown'],
  ['an item without an id', met(need({ acceptable_items: [{ title: 'res_a' }] })), 'constraint-malformed'],
  ['the bounds of an agent in between', between({ constraints: [items([1, 'res_a'])] }), 'items-not-allowed'],
]

const link = (closed: Link) => chain({}, closed)
const whole3 = between({}).split('~~')

export const links: readonly Row[] = [
  ['a first link by a stranger', chain({ by: stranger }), 'signature-wrong'],
  ['a last link by a stranger', link({ by: stranger }), 'signature-wrong'],
  ['a last link by the one before the last', chain({}, {}, { body: { cnf: { jwk: second.jwk } } }), 'signature-wrong'],
  ['links in another order', `${chain().split('~~').toReversed().join('~~').replace('~~~', '~~')}~`, 'header-type'],
  ['the middle link left out', [whole3[0], whole3[2]].join('~~'), 'signature-wrong'],
  [
    'a link of another chain',
    [chain({ body: { exp: NOW_S + 9 } }).split('~~')[0], chain().split('~~')[1]].join('~~'),
    'binding-hash',
  ],
  ['no hash of the link before', link({ claims: { sd_hash: undefined } }), 'binding-hash'],
  ['both hashes of the link before', link({ claims: { issuer_jwt_hash: digest('x') } }), 'binding-hash'],
  [
    'a wrong hash of what was issued',
    link({ claims: { sd_hash: undefined, issuer_jwt_hash: digest('x') } }),
    'binding-hash',
  ],
  ['a last link of the type of one between', link({ header: { typ: 'kb+sd-jwt+kb' } }), 'header-type'],
  ['a link between of the type of the last', between({}, { typ: 'kb+sd-jwt' }), 'header-type'],
  ['a last link of the type of a mandate', link({ header: { typ: 'dc+sd-jwt' } }), 'header-type'],
  ['a last link that asks for a further key', link({ body: { cnf } }), 'confirmation-unexpected'],
  ['a first link that asks for no key', chain({ body: { cnf: undefined } }), 'confirmation-malformed'],
  ['a closed mandate first', chain({ body: { vct: 'mandate.checkout.1' } }), 'type-wrong'],
  ['an open mandate last', link({ body: { vct: 'mandate.checkout.open.1' } }), 'type-wrong'],
  ['a proof behind a chain', chain() + jws({ alg: 'ES256', typ: 'kb+jwt' }, {}, stranger), 'binding-unexpected'],
  ['a last link without a time', link({ claims: { iat: undefined } }), 'time-missing'],
  [
    'a disclosure left over',
    `${open({ disclosures: [kept] }).slice(0, -1)}~~${chain().split('~~')[1]}`,
    'disclosure-unreferenced',
  ],
  ['an open mandate of another issuer', chain({ claims: { iss: 'https://bank.example' } }), 'issuer-not-owner'],
  [
    'a status list in the open mandate',
    chain({ body: { status: { status_list: { uri: 'https://evil.example' } } } }),
    'status-not-asked',
  ],
]

export const chainRest: readonly Row[] = [
  ['an open mandate that is expired', chain({ body: { exp: NOW_S - 60 } }), 'expired'],
  ['a link between that is expired', between({ exp: NOW_S - 60 }), 'expired'],
  ['a last link for somebody else', link({ claims: { aud: 'https://other.test' } }), 'audience'],
  ['a last link for another session', link({ claims: { nonce: 'other' } }), 'nonce'],
  ['a last link without a nonce', link({ claims: { nonce: undefined } }), 'nonce'],
  ['a last link about another checkout', link({ body: about({ id: 'cs_2' }) }), 'other-session'],
  [
    'a last link without a checkout',
    link({ body: { ...closedClaims(), checkout_jwt: undefined } }),
    'checkout-missing',
  ],
]
