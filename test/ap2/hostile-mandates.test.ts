import { createHook } from 'node:async_hooks'
import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import { verifyMandate } from '../../adapters/ap2/verify-mandate.ts'
import { anyCharacter } from '../support/any-character.ts'
import { chain, direct, mandate } from '../support/mandates/forge.ts'
import { checkOf } from '../support/mandates/scene.ts'
import { binding, disclosures, expired, times } from './hostile/claims.ts'
import { form, issuer } from './hostile/form.ts'
import type { Row } from './hostile/row.ts'
import { audience, chainRest, constraints, links, terms } from './hostile/terms.ts'

/**
 * Every step of the check broken in turn: what is forged is told from what has expired, and both from what is about
 * something else.
 */

/** What this process opens to the outside: sockets and questions to name servers, whoever asks for them. */
const OUTSIDE = /^(TCP|UDP|TLS|PIPECONNECT|GETADDRINFO|GETNAMEINFO|QUERY|HTTPCLIENT)/
const seen: string[] = []
const tripwire = createHook({ init: (_id, type) => void (OUTSIDE.test(type) && seen.push(type)) })
test.before('the tripwire sees a socket and a name that is looked up', async (t) => {
  tripwire.enable()
  await lookup('localhost').catch(() => undefined)
  await new Promise((done) => connect(9, '127.0.0.1').on('error', done).on('connect', done))
  t.deepEqual(
    seen.splice(0).filter((type) => /^(GETADDRINFOREQWRAP|TCPWRAP)$/.test(type)),
    ['GETADDRINFOREQWRAP', 'TCPWRAP'],
  )
})
test.after('none of all these mandates, nor a good one, makes the verifier ask anybody', (t) => {
  t.deepEqual(seen, [])
  tripwire.disable()
})

const tables: readonly (readonly [title: string, fault: string, rows: readonly Row[]])[] = [
  ['C-SES-10 E-401-02 a mandate of a wrong form is forged', 'signature', form],
  ['C-SES-10 E-401-02 a mandate that nobody who is trusted has signed is forged', 'signature', issuer],
  ['C-SES-10 E-401-02 a mandate with disclosures that do not add up is forged', 'signature', disclosures],
  ['C-SES-10 E-401-02 a mandate whose key is not proved is forged', 'signature', binding],
  ['C-SES-10 E-401-02 a mandate with times that are none, or are to come, is forged', 'signature', times],
  ['C-SES-10 E-401-02 a chain with a broken link is forged', 'signature', links],
  ['C-SES-11 E-401-03 a mandate whose time is over has expired', 'expired', expired],
  ['C-SES-12 E-401-04 a mandate for somebody else or another session is out of scope', 'scope', audience],
  ['C-SES-12 E-401-04 a mandate about another checkout or amount is out of scope', 'scope', terms],
  ['C-SES-12 E-401-04 a chain whose constraints are not met is out of scope', 'scope', constraints],
]

for (const [title, fault, rows] of tables)
  test(`${title}: ${rows.length} of them`, async (t) => {
    for (const [what, token, reason, check] of rows)
      t.deepEqual(await verifyMandate(checkOf(token, check)), { ok: false, fault, reason } as never, what)
  })

test('C-SES-11 C-SES-12 what a chain says of times, audience and terms counts as in one mandate', async (t) => {
  for (const [what, token, reason] of chainRest)
    t.like(
      await verifyMandate(checkOf(token)),
      { ok: false, fault: reason === 'expired' ? 'expired' : 'scope', reason },
      what,
    )
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~.='
const good = { bound: mandate(), direct: direct(), chain: chain() }

/** Every byte of one; of the others, whose parts are alike, every eleventh. */
const steps = { bound: 1, direct: 11, chain: 11 }
for (const [name, token] of Object.entries(good))
  test(`C-SES-10 whichever byte of a good mandate is flipped, it is forged: ${name}`, async (t) => {
    t.true((await verifyMandate(checkOf(token))).ok)
    for (let at = 0; at < token.length; at += steps[name as keyof typeof good]) {
      const other = ALPHABET[(ALPHABET.indexOf(token[at] ?? '') + 1 + (at % (ALPHABET.length - 1))) % ALPHABET.length]
      const verdict = await verifyMandate(checkOf(token.slice(0, at) + other + token.slice(at + 1)))
      t.is(!verdict.ok && verdict.fault, 'signature', `${other} at ${at}`)
    }
  })

test('C-SES-10 a good mandate with bytes flipped, dropped, added, doubled or moved is never taken, and never breaks the verifier', async (t) => {
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const bytes = fc.oneof(fc.constantFrom(...ALPHABET), fc.string({ unit: anyCharacter, maxLength: 3 }))
  const change = fc.tuple(fc.constantFrom('flip', 'add', 'drop', 'double', 'move'), place, place, bytes)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(good)), change, async (token, [how, from, to, text]) => {
      const [a, b] = [from, to].map((share) => Math.floor(share * token.length)) as [number, number]
      const [start, end] = [Math.min(a, b), Math.max(a, b)]
      const piece = token.slice(start, end)
      const changed = {
        flip: token.slice(0, a) + text + token.slice(a + 1),
        add: token.slice(0, a) + text + token.slice(a),
        drop: token.slice(0, start) + token.slice(end),
        double: token.slice(0, end) + piece + token.slice(end),
        move: token.slice(0, start) + token.slice(end) + piece,
      }[how] as string
      const { ok } = await verifyMandate(checkOf(changed))
      t.is(ok, changed === token)
    }),
    { numRuns: 400 },
  )
})
