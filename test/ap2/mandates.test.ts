import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { mandatesOf } from '../../adapters/ap2/compact.ts'
import { checkConstraints } from '../../adapters/ap2/constraints.ts'
import { mandateOf, OPEN } from '../../adapters/ap2/mandate.ts'
import { presentedInChain } from '../../adapters/ap2/presentation.ts'
import { mandateReference, verifyMandate } from '../../adapters/ap2/verify-mandate.ts'
import { chain, cnf, direct, items, mandate, open } from '../support/mandates/forge.ts'
import { digest, disclosure, newMinter } from '../support/mandates/mint.ts'
import {
  AUD,
  checkOf,
  holder,
  NONCE,
  NOW_S,
  PLATFORM,
  platform,
  signedCheckout,
  stranger,
  WALLET,
  wallet,
  wholeCheckout,
} from '../support/mandates/scene.ts'
import { type Minted, mandateBy } from '../support/mandates/wallet.ts'

/** Mandates that agree to the checkout, most of them minted by a library that is not ours. */

const checkout_jwt = signedCheckout()
const checkout_hash = digest(checkout_jwt)
const closed = { checkout_jwt, checkout_hash }
const hidden = { frame: { _sd: ['checkout_jwt'] }, show: { checkout_jwt: true } }
const times = { iat: NOW_S - 5, exp: NOW_S + 600 }
const here = { aud: AUD, nonce: NONCE }
const proof = { by: holder, iat: NOW_S, ...here }
const wide = newMinter('ES384', 'wide-1')
const wider = newMinter('ES512', 'wider-1')
const { kid: _kid, ...strangersKey } = stranger.jwk

const good: Readonly<Record<string, readonly [Minted, object]>> = {
  'a wallet’s, its key proved': [
    { by: wallet, claims: { iss: WALLET, ...times, cnf, ...closed }, ...hidden, proof },
    { tier: 'registered', mode: 'bound', issuer: WALLET },
  ],
  'a wallet’s that names no issuer, with nothing hidden': [
    { by: wallet, claims: { ...times, cnf, ...closed }, proof },
    { tier: 'registered', mode: 'bound', issuer: WALLET },
  ],
  'a wallet’s own presentation, for this session': [
    { by: wallet, claims: { iss: WALLET, ...times, ...here, ...closed } },
    { tier: 'registered', mode: 'direct' },
  ],
  'a platform’s in the form of AP2’s own kit, without audience, nonce or proof': [
    {
      by: platform,
      header: { typ: 'example+sd-jwt' },
      claims: { delegate_payload: [{ vct: 'mandate.checkout.1', ...times, ...closed }] },
      frame: { delegate_payload: { _sd: [0], 0: { _sd: ['checkout_jwt'] } } },
    },
    { tier: 'platform', mode: 'direct', issuer: PLATFORM },
  ],
  'a platform’s that names itself by another page of its origin': [
    { by: platform, claims: { iss: `${PLATFORM}/agents/7`, ...times, cnf, ...closed }, ...hidden, proof },
    { tier: 'platform', mode: 'bound', issuer: PLATFORM },
  ],
  'a buyer’s, by a key in the header': [
    { by: stranger, header: { jwk: strangersKey }, claims: { ...times, ...here, ...closed } },
    { tier: 'self', mode: 'direct', issuer: undefined },
  ],
  'a buyer’s, by the key that it confirms': [
    { by: holder, claims: { ...times, cnf, ...closed }, ...hidden, proof },
    { tier: 'self', mode: 'bound', issuer: undefined },
  ],
  'one that holds the whole checkout, as UCP words it': [
    { by: wallet, claims: { iss: WALLET, ...times, cnf, checkout: wholeCheckout() }, proof },
    { tier: 'registered', mode: 'bound' },
  ],
  'one with SHA-512, whose checkout hash is of the same': [
    {
      by: wallet,
      hashAlg: 'sha-512',
      ...hidden,
      proof,
      claims: { ...times, cnf, checkout_jwt, checkout_hash: digest(checkout_jwt, 'sha512') },
    },
    { tier: 'registered', checkoutHash: digest(checkout_jwt, 'sha512') },
  ],
  'one with ES384': [
    { by: wide, alg: 'ES384', header: { jwk: wide.jwk }, claims: { ...times, ...here, ...closed } },
    { tier: 'self' },
  ],
  'one with ES512': [
    { by: wider, alg: 'ES512', header: { jwk: wider.jwk }, claims: { ...times, ...here, ...closed } },
    { tier: 'self' },
  ],
  'one that says no end, a quarter of an hour old': [
    { by: wallet, claims: { iat: NOW_S - 900, ...here, ...closed } },
    { tier: 'registered' },
  ],
  'one that ended less than a minute ago by another clock': [
    { by: wallet, claims: { iat: NOW_S + 59, exp: NOW_S - 59, ...here, ...closed } },
    { tier: 'registered' },
  ],
}

for (const [name, [minted, expected]] of Object.entries(good))
  test(`C-SES-07 J-AUTH-08 a mandate is taken: ${name}`, async (t) => {
    const token = await mandateBy(minted)
    const verdict = await verifyMandate(checkOf(token))
    t.like(verdict, { ok: true, checkoutHash: checkout_hash, ...expected })
    t.is(verdict.ok && verdict.reference, mandateReference(token))
  })

test('C-SES-07 the seller is known by any of its names, and the keys that agreed are told', async (t) => {
  const token = await mandateBy(good['a wallet’s, its key proved']?.[0] as Minted)
  const verdict = await verifyMandate(checkOf(token, { aud: ['https://other.test', AUD] }))
  t.true(verdict.ok)
  if (!verdict.ok) return
  t.is(verdict.keyThumbprint.length, 43)
  t.not(verdict.holderThumbprint, verdict.keyThumbprint)
  const alone = await verifyMandate(checkOf(direct({ claims: { aud: ['https://other.test', AUD] } })))
  t.like(alone, { ok: true, mode: 'direct', holderThumbprint: undefined })
})

test('C-SES-07 an agent acts on a mandate that bounds it: a chain of two, of three, and one that hides what does not matter', async (t) => {
  const is = async (token: string, expected: object = {}) =>
    t.like(await verifyMandate(checkOf(token)), { ok: true, tier: 'registered', mode: 'chain', ...expected })
  await is(chain())
  await is(chain({ claims: { iss: undefined } }))
  const middle = newMinter()
  await is(chain({}, { by: middle }, { body: { cnf: { jwk: middle.jwk } } }))
  const allowed = { type: 'checkout.allowed_merchants', allowed: [{ '...': 'hidden' }, { id: AUD, name: 'Tees' }] }
  await is(chain({ body: { constraints: [items([2, 'res_a', 'res_x'], [1, 'res_b', 'res_a']), allowed] } }))
  const byWebsite = { ...allowed, allowed: [{ name: 'Tees', website: `${AUD}/` }] }
  await is(chain({ body: { constraints: [items([3, 'res_a', 'res_b']), byWebsite] } }))
  const shown = disclosure({ id: AUD })
  await is(
    chain({
      body: { constraints: [items([3, 'res_a', 'res_b']), { ...allowed, allowed: [{ '...': digest(shown) }] }] },
      disclosures: [shown],
    }),
  )
  await is(chain({}, { namesIssued: true }))
})

test('C-SES-07 the chain that AP2 itself publishes is read as its own kit does', async (t) => {
  const token = readFileSync(new URL('../support/mandates/ap2-chain.txt', import.meta.url), 'utf8').trim()
  const [first, ...next] = mandatesOf(token)
  if (!first) return t.fail()
  const { closed, open: before, proof } = await presentedInChain(first, next)
  t.is(proof?.nonce, 'b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4')
  t.is(closed.body.checkout_hash, closed.claims.hash(String(closed.body.checkout_jwt)))
  const terms = JSON.parse(Buffer.from(String(closed.body.checkout_jwt).split('.')[1] ?? '', 'base64url').toString())
  const met = (seller: string) => () => {
    for (const each of before) checkConstraints(each, { terms, seller: [seller] })
  }
  t.notThrows(met('merchant_1'))
  t.throws(met('merchant_2'), { message: /merchant-not-allowed/ })
})

test('a receipt refers to what was signed, whatever is disclosed beside it and whoever has passed it on', (t) => {
  const token = mandate()
  const [jwt = ''] = token.split('~')
  t.is(mandateReference(token), digest(jwt))
  t.is(mandateReference(`${jwt}~`), digest(jwt))
  const passedOn = chain()
  t.is(mandateReference(passedOn), digest(passedOn.split('~~')[1]?.split('~')[0] ?? ''))
  t.is(mandateReference(''), digest(''))
})

test('items fill requirements just where a matching of single pieces does', (t) => {
  const ids = ['a', 'b', 'c', 'd']
  const need = fc.record({ quantity: fc.integer({ min: 1, max: 3 }), accepts: fc.subarray(ids) })
  const piece = fc.constantFrom(...ids)
  fc.assert(
    fc.property(fc.array(need, { minLength: 1, maxLength: 4 }), fc.array(piece, { maxLength: 8 }), (needs, pieces) => {
      const constraint = items(...needs.map(({ quantity, accepts }) => [quantity, ...accepts] as const))
      const terms = { line_items: pieces.map((id) => ({ item: { id }, quantity: 1 })) }
      const places = needs.flatMap(({ quantity, accepts }) => Array(quantity).fill(accepts) as string[][])
      const expected = places.length === pieces.length && canFill(places, pieces)
      t.is(isMet(constraint, terms), expected)
    }),
    { numRuns: 500 },
  )
})

test('a hundred requirements over a hundred items, as many as a mandate can hold, cost less than a second', (t) => {
  const ids = Array.from({ length: 100 }, (_, n) => `r${n}`)
  const accepted = (n: number) => Array.from({ length: 12 }, (_, k) => `r${(n + k * k) % 100}`)
  const constraint = items(...ids.map((_, n) => [1_000_000, ...accepted(n)] as const))
  const terms = { line_items: ids.map((id, n) => ({ item: { id }, quantity: n % 2 ? 1_500_000 : 500_000 })) }
  const began = process.cpuUsage()
  t.true(isMet(constraint, terms))
  const { user, system } = process.cpuUsage(began)
  t.true(user + system < 1_000_000, `${user + system} µs`)
})

const isMet = (constraint: object, terms: object): boolean => {
  const [first] = mandatesOf(open({ body: { constraints: [constraint] } }))
  if (!first) return false
  try {
    checkConstraints(mandateOf(first, OPEN), { terms: terms as never, seller: [] })
    return true
  } catch {
    return false
  }
}

/** Tries every way to give each place a piece of its own. */
const canFill = ([place, ...places]: readonly string[][], pieces: readonly string[]): boolean =>
  place === undefined ||
  [...new Set(pieces.filter((id) => place.includes(id)))].some((id) =>
    canFill(places, pieces.toSpliced(pieces.indexOf(id), 1)),
  )
