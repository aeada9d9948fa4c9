import test from 'ava'
import { gameCharacter } from '../../../../domain/game/characters/character.ts'
import { fold } from '../../../../domain/kernel/decider.ts'
import { Refusal } from '../../../../domain/kernel/refusal.ts'
import { clientApp } from '../../../../domain/signin/client-app.ts'
import { user } from '../../../../domain/signin/user.ts'
import { NOW } from '../../../support/given.ts'
import { type Oidc, openOidc } from '../../../support/oidc.ts'
import { hiddenIn } from '../../../support/people.ts'

/** Strangers choose names, and every object of JavaScript has some names by itself: those are nobody's. */

const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

let oidc: Oidc
test.before(async () => {
  oidc = await openOidc()
})
test.after.always(() => oidc?.stop())

test('X-ERR-01 a passkey under a name that every object has is one that is not known here', async (t) => {
  const ada = await oidc.signedIn()
  const userHandle = Buffer.from(ada.sub).toString('base64url')
  const response = { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle }
  for (const id of [...INHERITED, 'AAAA']) {
    const visitor = oidc.browser()
    const { challenge = '' } = hiddenIn((await visitor.open('/sign-in')).text)
    const passkey = JSON.stringify({ id, rawId: id, type: 'public-key', response })
    const { status, text } = await visitor.post('/sign-in', { challenge, passkey })
    t.deepEqual([status, text.includes('The passkey was not accepted')], [422, true], `${id} ${text}`)
    const removal = await ada.browser.open(`/account/security/remove?passkey_id=${id}`)
    t.deepEqual([removal.status, removal.location], [303, '/account/security'], id)
  }
})

test('A-MAN-06 a standing order under such a name is not ended, because there is none', async (t) => {
  const ada = await oidc.signedIn()
  const { csrf = '' } = hiddenIn((await ada.browser.open('/account/password')).text)
  for (const mandate_id of INHERITED) {
    const { status } = await ada.browser.post('/account/standing-orders', { csrf, mandate_id })
    t.is(status, 303, mandate_id)
  }
  t.deepEqual(
    await oidc.operator.ledger.userBalance.read(ada.sub),
    await oidc.operator.ledger.userBalance.read('usr_none'),
  )
})

test('A-CLI-02 domains, passkeys and runs under such names are there once they were added, and not before', (t) => {
  const app = fold(clientApp, [
    {
      type: 'ClientAppRegistered',
      data: { name: 'Shop', owner: null, confidential: true, firstParty: false },
    },
  ])
  const person = fold(user, [
    { type: 'UserRegistered', data: { email: 'e', emailFingerprint: 'f', passwordHash: 'p', profile: 'p' } },
  ])
  const ada = fold(gameCharacter, [
    {
      type: 'CharacterCreated',
      data: { member: 'usr_a', characterId: 7, name: 'Ada', class: 'envoy', createdAt: NOW },
    },
  ])
  const passkey = { publicKey: 'k', transports: [], label: 'l' }
  const codeOf = (work: () => unknown) => t.throws(work, { instanceOf: Refusal })?.code
  for (const name of INHERITED) {
    t.is(clientApp.decide.claimDomain(app, { domain: name, token: 't' }, NOW).length, 1, name)
    t.is(
      codeOf(() => clientApp.decide.verifyDomain(app, { domain: name }, NOW)),
      'not-found',
      name,
    )
    t.deepEqual(clientApp.decide.releaseDomain(app, { domain: name }, NOW), [], name)
    const added = user.decide.addPasskey(person, { credentialId: name, ...passkey }, NOW)
    t.is(added.length, 1, name)
    const with1 = fold(user, added, person)
    t.deepEqual(user.decide.addPasskey(with1, { credentialId: name, ...passkey }, NOW), [], name)
    const run = { runId: name, linkId: 'gln_1', moves: [] }
    t.is(
      codeOf(() => gameCharacter.decide.finishRun(ada, run, NOW)),
      'run-expired',
      name,
    )
  }
})
