/** Mandates of a wrong form, and those that nobody who is trusted has signed. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { direct, type Forged, mandate } from '../../support/mandates/forge.ts'
import { base64url, compact, disclosure, flipped, jws } from '../../support/mandates/mint.ts'
import { NOW_S, PLATFORM, platform, stranger, WALLET, wallet } from '../../support/mandates/scene.ts'
import type { Row } from './row.ts'

const good = mandate()
const [issued = '', hidden = '', proof = ''] = good.split('~')
const parts = issued.split('.') as [string, string, string]
const head = (header: object) => mandate({ header })
const pad = 'A'.repeat(65_537 - good.length)
const registered = (keys: readonly object[]) => ({
  issuers: { registered: [{ iss: WALLET, keys: keys as Record<string, unknown>[] }], self: true },
})
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const signedAs = (alg: string, signature: (text: string) => Buffer) => {
  const text = `${base64url({ alg, typ: 'dc+sd-jwt', kid: 'wallet-1' })}.${parts[1]}`
  return compact(`${text}.${signature(text).toString('base64url')}`, [hidden], proof)
}
const self = (jwk: unknown): Forged => ({
  by: stranger,
  header: { jwk, kid: undefined },
  claims: { iss: undefined, cnf: undefined },
})
const selfBy = (jwk: unknown) => direct({ ...self(jwk), claims: { iss: undefined } })
const { kid: _kid, ...strangersKey } = stranger.jwk

export const form: readonly Row[] = [
  ['longer than 64 KiB', good + pad, 'too-long'],
  ['nothing at all', '', 'malformed'],
  ['a tilde', '~', 'malformed'],
  ['no tilde', issued, 'malformed'],
  ['a word', 'mandate', 'malformed'],
  ['an empty disclosure', `${issued}~~~`, 'malformed'],
  [
    '257 disclosures',
    compact(
      issued,
      Array.from({ length: 257 }, (_, n) => disclosure(`c${n}`, n)),
      proof,
    ),
    'too-many-parts',
  ],
  ['a chain of five', Array(5).fill(issued).join('~~'), 'too-many-parts'],
  ['two parts in the place of three', compact(`${parts[0]}.${parts[1]}`, [hidden], proof), 'malformed'],
  ['four parts', compact(`${issued}.${parts[2]}`, [hidden], proof), 'malformed'],
  ['cut in the middle', good.slice(0, good.length / 2), 'malformed'],
  ['cut in the payload', `${issued.slice(0, parts[0].length + 9)}~`, 'malformed'],
  ['an encrypted JWT of five parts', `${parts.join('.')}.a.b~`, 'malformed'],
  ['JSON serialisation', JSON.stringify({ payload: parts[1], signatures: [] }), 'malformed'],
  ['padding', compact(`${parts[0]}=.${parts[1]}.${parts[2]}`, [hidden], proof), 'not-base64url'],
  ['the other alphabet', compact(`${parts[0]}.${parts[1]}.+/${parts[2].slice(2)}`, [hidden], proof), 'not-base64url'],
  ['a line end inside', `${good.slice(0, 30)}\n${good.slice(30)}`, 'not-base64url'],
  [
    'a signature written in another way',
    compact(flipped(issued, issued.length - 1, lastOther(issued)), [hidden], proof),
    'not-base64url',
  ],
  [
    'a header that is no text',
    compact(`${Buffer.from([0xff, 0xfe]).toString('base64url')}.${parts[1]}.${parts[2]}`),
    'not-json',
  ],
  ['a payload that is an array', mandate({ payload: '[]' }), 'not-json'],
  ['a payload that is text', mandate({ payload: '"agreed"' }), 'not-json'],
  ['a payload with a byte order mark', mandate({ payload: '\ufeff{}' }), 'not-json'],
  ['a payload with a comment', mandate({ payload: '{"vct":"mandate.checkout.1"/**/}' }), 'not-json'],
  ['a claim that stands twice', mandate({ payload: '{"exp":1,"iss":"a","exp":99999999999}' }), 'name-repeated'],
  [
    'a claim that stands twice, once in other letters',
    mandate({ payload: '{"exp":1,"\\u0065xp":99999999999}' }),
    'name-repeated',
  ],
  [
    'a header member that stands twice',
    compact(jws('{"alg":"none","typ":"dc+sd-jwt","alg":"ES256"}', {}, wallet)),
    'name-repeated',
  ],
  ['33 levels', mandate({ payload: `{"a":${'['.repeat(32)}${']'.repeat(32)}}` }), 'too-deep'],
  ['20,000 levels', mandate({ payload: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` }), 'too-deep'],
  [
    'alg none',
    compact(`${base64url({ alg: 'none', typ: 'dc+sd-jwt', kid: 'wallet-1' })}.${parts[1]}.`, [hidden], proof),
    'malformed',
  ],
  ['alg none with a signature', head({ alg: 'none' }), 'header-algorithm'],
  [
    'alg HS256 with the public key as the secret',
    signedAs('HS256', (text) => createHmac('sha256', String(wallet.jwk.x)).update(text).digest()),
    'header-algorithm',
  ],
  ['alg RS256', signedAs('RS256', (text) => sign('sha256', Buffer.from(text), rsa.privateKey)), 'header-algorithm'],
  ['alg EdDSA', head({ alg: 'EdDSA' }), 'header-algorithm'],
  ['alg in small letters', head({ alg: 'es256' }), 'header-algorithm'],
  ['alg __proto__', head({ alg: '__proto__' }), 'header-algorithm'],
  ['alg that is a list', head({ alg: ['ES256'] }), 'header-algorithm'],
  ['no alg', head({ alg: undefined }), 'header-algorithm'],
  ['a critical header', head({ crit: ['exp'], exp: 1 }), 'header-critical'],
  ['an unencoded payload', head({ b64: false }), 'header-critical'],
  ['keys by URL', head({ jku: 'https://evil.example/jwks' }), 'header-names-url'],
  ['a certificate by URL', head({ x5u: 'https://evil.example/cert' }), 'header-names-url'],
  ['keys by URL in the proof', mandate({ proofHeader: { jku: 'http://169.254.169.254/' } }), 'header-names-url'],
]

export const issuer: readonly Row[] = [
  ['no type', head({ typ: undefined }), 'header-type'],
  ['the type of any JWT', head({ typ: 'JWT' }), 'header-type'],
  ['a proof in the place of a mandate', head({ typ: 'kb+jwt' }), 'header-type'],
  ['the second of a chain in the place of the first', head({ typ: 'kb+sd-jwt' }), 'header-type'],
  ['a key id that nobody owns', head({ kid: 'unknown' }), 'key-unknown'],
  ['a key id that is a number', head({ kid: 1 }), 'key-malformed'],
  ['no key, and none to confirm', direct({ header: { kid: undefined } }), 'key-unknown'],
  ['a certificate, which nobody has configured', direct({ header: { kid: undefined, x5c: ['MIIB'] } }), 'key-unknown'],
  ['an owned key id, signed by somebody else', mandate({ by: { ...stranger, jwk: wallet.jwk } }), 'signature-wrong'],
  [
    'an owned key id beside the key that has signed',
    mandate({ by: stranger, header: { kid: 'wallet-1', jwk: strangersKey } }),
    'signature-wrong',
  ],
  ['ES384 with a key for ES256', head({ alg: 'ES384' }), 'signature-wrong'],
  [
    'the payload of another',
    compact(`${parts[0]}.${mandate({ claims: { exp: NOW_S + 9 } }).split('.')[1]}.${parts[2]}`, [hidden], proof),
    'signature-wrong',
  ],
  [
    'a signature in the form of X.509',
    signedAs('ES256', (text) => sign('sha256', Buffer.from(text), wallet.privateKey)),
    'signature-wrong',
  ],
  [
    'no bytes but nulls for a signature',
    compact(`${parts[0]}.${parts[1]}.${'A'.repeat(86)}`, [hidden], proof),
    'signature-wrong',
  ],
  ['a registered key that is not taken', good, 'key-unknown', { issuers: { registered: [], self: false } }],
  ['a platform that is not taken', mandate({ by: platform, claims: { iss: PLATFORM } }), 'key-unknown', registered([])],
  [
    'a buyer’s own where none is taken',
    selfBy(strangersKey),
    'key-unknown',
    { issuers: { registered: [], self: false } },
  ],
  [
    'a key of the list that is an RSA key',
    good,
    'key-unknown',
    registered([{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'wallet-1' }]),
  ],
  ['a key of the list for encryption', good, 'key-unknown', registered([{ ...wallet.jwk, use: 'enc' }])],
  ['a key in the header with its secret', selfBy(stranger.privateKey.export({ format: 'jwk' })), 'key-malformed'],
  ['a symmetric key in the header', selfBy({ kty: 'oct', k: 'c2VjcmV0' }), 'key-malformed'],
  ['a key in the header of another curve', selfBy({ ...strangersKey, crv: 'secp256k1' }), 'key-malformed'],
  ['a point that is not on the curve', selfBy({ ...strangersKey, y: 'A'.repeat(43) }), 'signature-wrong'],
  ['a key in the header that is too short', selfBy({ ...strangersKey, x: 'AAAA' }), 'key-malformed'],
  ['a key in the header for another algorithm', selfBy({ ...strangersKey, alg: 'ES384' }), 'key-malformed'],
  ['a key in the header that may not verify', selfBy({ ...strangersKey, key_ops: ['sign'] }), 'key-malformed'],
  ['a key in the header that is text', selfBy('key'), 'key-malformed'],
  ['a key in the header with prototypes', selfBy({ ...strangersKey, crv: 'constructor' }), 'key-malformed'],
  ['another issuer’s name', mandate({ claims: { iss: 'https://bank.example' } }), 'issuer-not-owner'],
  [
    'another origin than the platform’s',
    mandate({ by: platform, claims: { iss: 'https://platform.example.evil.test' } }),
    'issuer-not-owner',
  ],
  [
    'a stranger that calls itself the wallet',
    direct({ ...self(strangersKey), claims: { iss: WALLET } }),
    'issuer-not-owner',
  ],
  [
    'forged and expired at once',
    mandate({ by: { ...stranger, jwk: wallet.jwk }, claims: { exp: 1 } }),
    'signature-wrong',
  ],
  [
    'forged and about another session',
    mandate({ by: { ...stranger, jwk: wallet.jwk }, claims: { checkout_hash: 'x' } }),
    'signature-wrong',
  ],
]

/** Another letter at the end that decodes to the same bytes where a reader is lenient. */
function lastOther(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return letters[letters.indexOf(text.at(-1) ?? '') ^ 1] ?? ''
}
