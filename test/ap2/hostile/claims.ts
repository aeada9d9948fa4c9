/** Mandates with a good signature of the issuer, whose disclosures, proof or times are wrong. */
import { closedClaims, cnf, direct, mandate } from '../../support/mandates/forge.ts'
import { base64url, digest, disclosure, newMinter } from '../../support/mandates/mint.ts'
import { NOW_S, stranger, WALLET, wallet } from '../../support/mandates/scene.ts'
import type { Row } from './row.ts'

/** Presented by the wallet itself, with these claims and disclosures. */
const sd = (claims: object, shown: readonly string[] = []) => direct({ hide: [], claims, shown: () => shown })
/** With disclosures that the claims refer to. */
const hiding = (...shown: readonly string[]) => sd({ _sd: shown.map((text) => digest(text)) }, shown)
const [d1, d2] = [disclosure('extra', 1), disclosure('extra', 2)] as const

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
/** Items that are disclosed inside each other: no single one is deep. */
const inside = (levels: number): readonly string[] => {
  const all = [disclosure(1)]
  while (all.length < levels) all.push(disclosure([[{ '...': digest(all.at(-1) ?? '') }]]))
  return all
}
const matryoshka = inside(20)
const withProto = JSON.stringify({ iss: WALLET, exp: NOW_S + 9, more: 1, ...closedClaims() }).replace(
  'more',
  '__proto__',
)

export const disclosures: readonly Row[] = [
  ['a hash that is not taken', sd({ _sd_alg: 'md5' }), 'digest-algorithm'],
  ['a hash that is a number', sd({ _sd_alg: 256 }), 'digest-algorithm'],
  ['a hash from the prototype', sd({ _sd_alg: 'constructor' }), 'digest-algorithm'],
  ['a disclosure twice', mandate({ shown: ([one = '']) => [one, one] }), 'digest-repeated'],
  ['a disclosure that nothing refers to', mandate({ shown: (all) => [...all, d1] }), 'disclosure-unreferenced'],
  ['a disclosure that is no JSON', mandate({ shown: (all) => [...all, base64url('[salt')] }), 'not-json'],
  ['a disclosure that is no list', mandate({ shown: (all) => [...all, base64url({ a: 1 })] }), 'disclosure-malformed'],
  ['a disclosure of four', mandate({ shown: (all) => [...all, base64url(['s', 'a', 1, 2])] }), 'disclosure-malformed'],
  ['a salt that is a number', mandate({ shown: (all) => [...all, base64url([1, 'a', 2])] }), 'disclosure-malformed'],
  ['a disclosure that is too deep', mandate({ shown: (all) => [...all, disclosure('a', nested(33))] }), 'too-deep'],
  ['an item’s disclosure for a member', hiding(disclosure(1)), 'disclosure-malformed'],
  ['a member’s disclosure for an item', sd({ more: [{ '...': digest(d1) }] }, [d1]), 'disclosure-malformed'],
  ['a name that is a number', hiding(base64url(['s', 1, 2])), 'disclosure-malformed'],
  ['a digest twice in a list', sd({ _sd: [digest(d1), digest(d1)] }, [d1]), 'digest-repeated'],
  ['a digest in two places', sd({ _sd: [digest(d1)], more: { _sd: [digest(d1)] } }, [d1]), 'digest-repeated'],
  ['a digest of nothing in two places', sd({ _sd: ['decoy'], more: [{ '...': 'decoy' }] }), 'digest-repeated'],
  ['digests that are no list', sd({ _sd: digest(d1) }, [d1]), 'digest-malformed'],
  ['a digest that is a number', sd({ _sd: [1] }), 'digest-malformed'],
  ['a digest with a member beside it', sd({ more: [{ '...': digest(d1), a: 1 }] }), 'digest-malformed'],
  ['a disclosure over a claim that stands open', sd({ extra: 0, _sd: [digest(d1)] }, [d1]), 'disclosure-overwrites'],
  ['two disclosures of one name', hiding(d1, d2), 'disclosure-overwrites'],
  ...['_sd', '_sd_alg', '...', '__proto__'].map(
    (name): Row => [`a disclosure named ${name}`, hiding(disclosure(name, 1)), 'name-reserved'],
  ),
  ['a claim named ...', sd({ '...': digest(d1) }), 'name-reserved'],
  ['a claim named __proto__', direct({ hide: [], payload: withProto }), 'name-reserved'],
  ['a hash named inside', sd({ more: { _sd_alg: 'sha-256' } }), 'name-reserved'],
  [
    'too deep by disclosures inside each other',
    sd({ more: [{ '...': digest(matryoshka.at(-1) ?? '') }] }, matryoshka),
    'too-deep',
  ],
  ['an end that its presenter may hide', hiding(disclosure('exp', NOW_S + 60)), 'disclosure-overwrites'],
  ...['nbf', 'status', 'issuer_jwt_hash', 'delegate_payload'].map(
    (name): Row => [`${name} that its presenter may hide`, hiding(disclosure(name, [{}])), 'claim-not-open'],
  ),
  ['another type', sd({ vct: 'mandate.payment.1' }), 'type-wrong'],
  ['the type without its version', sd({ vct: 'mandate.checkout' }), 'type-wrong'],
  ['an open mandate alone', sd({ vct: 'mandate.checkout.open.1' }), 'type-wrong'],
  ['no type at all', sd({ vct: undefined }), 'type-wrong'],
  ['the type beside a wrapped mandate that has none', sd({ delegate_payload: [{}] }), 'type-wrong'],
  ['a status list', sd({ status: { status_list: { idx: 1, uri: 'http://127.0.0.1:1/' } } }), 'status-not-asked'],
  [
    'a status list of an expired one',
    sd({ exp: 1, status: { status_list: { uri: 'https://evil.example' } } }),
    'status-not-asked',
  ],
  ['two wrapped mandates', sd({ delegate_payload: [{}, {}] }), 'payload-malformed'],
  ['no wrapped mandate', sd({ delegate_payload: [] }), 'payload-malformed'],
  ['a wrapped mandate that is kept back', sd({ delegate_payload: [{ '...': 'x' }] }), 'payload-malformed'],
  ['a wrapped mandate that is text', sd({ delegate_payload: ['mandate'] }), 'payload-malformed'],
  ['a wrapped mandate that is no list', sd({ delegate_payload: { vct: 'mandate.checkout.1' } }), 'payload-malformed'],
]

const two = mandate({ claims: { extra: 1 }, hide: ['checkout_jwt', 'extra'] }).split('~')
const other = newMinter()
const wrapped = { delegate_payload: [{ ...closedClaims(), cnf }] }

export const binding: readonly Row[] = [
  ['no proof of the key that it asks for', mandate({ proof: null }), 'binding-missing'],
  ['a proof where it asks for no key', mandate({ claims: { cnf: undefined } }), 'confirmation-unexpected'],
  ['a proof by another key', mandate({ proofBy: stranger }), 'signature-wrong'],
  ['a proof by the issuer', mandate({ proofBy: wallet }), 'signature-wrong'],
  ['a proof of another type', mandate({ proofHeader: { typ: 'JWT' } }), 'header-type'],
  ['a proof without a type', mandate({ proofHeader: { typ: undefined } }), 'header-type'],
  ['a proof with alg none', mandate({ proofHeader: { alg: 'none' } }), 'header-algorithm'],
  ['a proof with HS256', mandate({ proofHeader: { alg: 'HS256' } }), 'header-algorithm'],
  ['a proof with something critical', mandate({ proofHeader: { crit: ['b64'] } }), 'header-critical'],
  ['a proof that brings its own key', mandate({ proofHeader: { jwk: other.jwk }, proofBy: other }), 'signature-wrong'],
  ['a proof without the hash', mandate({ proof: { sd_hash: undefined } }), 'binding-hash'],
  ['a proof with another hash', mandate({ proof: { sd_hash: digest('other') } }), 'binding-hash'],
  ['a proof whose hash is a list', mandate({ proof: { sd_hash: [digest('other')] } }), 'binding-hash'],
  ['a proof of another mandate', [...mandate().split('~').slice(0, 2), two.at(-1)].join('~'), 'binding-hash'],
  ['a disclosure dropped after the proof', [two[0], two[1], two[3]].join('~'), 'binding-hash'],
  ['disclosures in another order', [two[0], two[2], two[1], two[3]].join('~'), 'binding-hash'],
  ['a proof cut off', `${two.slice(0, 3).join('~')}~`, 'binding-missing'],
  ['a proof cut short', mandate().slice(0, -22), 'signature-wrong'],
  ['a key by its id alone', mandate({ claims: { cnf: { kid: 'k' } } }), 'key-malformed'],
  ['a key and its id', mandate({ claims: { cnf: { ...cnf, kid: 'k' } } }), 'confirmation-malformed'],
  ['a key to confirm that is text', mandate({ claims: { cnf: 'key' } }), 'confirmation-malformed'],
  ['no key in what it asks for', mandate({ claims: { cnf: { jwk: null } } }), 'key-malformed'],
  ['a symmetric key to confirm', mandate({ claims: { cnf: { jwk: { kty: 'oct', k: 'AAAA' } } } }), 'key-malformed'],
  ['two keys to confirm', mandate({ claims: { ...wrapped, cnf: { jwk: other.jwk } } }), 'confirmation-malformed'],
]

const gone = NOW_S - 60

export const times: readonly Row[] = [
  ...['never', null, '99999999999', true, [NOW_S], {}].map(
    (exp): Row => [`an end that is ${JSON.stringify(exp)}`, mandate({ claims: { exp } }), 'time-malformed'],
  ),
  [
    'an end beyond all numbers',
    direct({ hide: [], payload: `{"vct":"mandate.checkout.1","exp":1e999,"iat":${NOW_S}}` }),
    'time-malformed',
  ],
  ['an issue that is text', mandate({ claims: { iat: 'now' } }), 'time-malformed'],
  ['a start that is text', mandate({ claims: { nbf: 'now' } }), 'time-malformed'],
  ['a proof whose time is text', mandate({ proof: { iat: 'now' } }), 'time-malformed'],
  ['a proof without a time', mandate({ proof: { iat: undefined } }), 'time-missing'],
  ['no time at all', direct({ claims: { iat: undefined, exp: undefined } }), 'time-missing'],
  ['a start to come', mandate({ claims: { nbf: NOW_S + 61 } }), 'not-yet-valid'],
  ['an issue to come', mandate({ claims: { iat: NOW_S + 61 } }), 'not-yet-valid'],
  ['a proof to come', mandate({ proof: { iat: NOW_S + 61 } }), 'not-yet-valid'],
  ['expired, and with a start that is text', mandate({ claims: { exp: 1, nbf: 'x' } }), 'time-malformed'],
  ['expired, and with a start to come', mandate({ claims: { exp: 1, nbf: NOW_S + 99 } }), 'not-yet-valid'],
]

export const expired: readonly Row[] = [
  ['expired a minute ago', mandate({ claims: { exp: gone } }), 'expired'],
  ['expired in 1970', mandate({ claims: { exp: 0 } }), 'expired'],
  ['expired before any time', mandate({ claims: { exp: -1e300 } }), 'expired'],
  [
    'expired inside what is wrapped',
    direct({ claims: { delegate_payload: [{ ...closedClaims(), exp: gone }] } }),
    'expired',
  ],
  ['a proof that is expired', mandate({ proof: { exp: gone } }), 'expired'],
  ['no end, and older than a quarter of an hour', direct({ claims: { exp: undefined, iat: NOW_S - 960 } }), 'expired'],
  [
    'no end, and proved more than a quarter of an hour ago',
    mandate({ claims: { exp: undefined }, proof: { iat: NOW_S - 960 } }),
    'expired',
  ],
  [
    'expired, and for somebody else',
    mandate({ claims: { exp: gone }, proof: { aud: 'https://other.test' } }),
    'expired',
  ],
  ['expired, and about another checkout', mandate({ claims: { exp: gone, checkout_hash: 'x' } }), 'expired'],
]
