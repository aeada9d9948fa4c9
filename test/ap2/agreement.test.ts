import test from 'ava'
import { compactVerify, importJWK } from 'jose'
import { checkAgreement } from '../../adapters/ap2/check-agreement.ts'
import { authorize } from '../../adapters/ap2/merchant-authorization.ts'
import { publishedKeys } from '../../adapters/ap2/merchant-keys.ts'
import { mandateReference } from '../../adapters/ap2/verify-mandate.ts'
import { wire } from '../../adapters/http/agent/common/errors.ts'
import type { SettingsCommands } from '../../domain/account/settings.ts'
import type { IssuerJwk } from '../../domain/commerce/mandate-rules.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { codeOf } from '../domain/flow-setup.ts'
import { type Forged, mandate } from '../support/mandates/forge.ts'
import { digest, type Minter } from '../support/mandates/mint.ts'
import {
  AUD,
  checkOf,
  checkout,
  NONCE,
  PLATFORM,
  platform,
  stranger,
  WALLET,
  wallet,
} from '../support/mandates/scene.ts'
import { keyFlow, SHOP } from '../support/mandates/shop.ts'

/**
 * An agreement as it comes with a completion, held against what the seller has said that it takes: the ledger is real,
 * on a log in memory.
 */

const UCP_AGENT = `profile="${PLATFORM}/.well-known/ucp"`

const shop = async (rules: NonNullable<SettingsCommands['change']['mandates']> = {}) => {
  const { flow } = keyFlow()
  await flow.ledger.settings.change(SHOP, { mandates: rules })
  const { checkoutJwt } = await authorize(flow, SHOP, checkout)
  const asked: string[] = []
  const keyLists = {
    profile: async (url: string, kid: string) => {
      asked.push(`${url} ${kid}`)
      return { version: '2026-04-08', keys: [platform.jwk] }
    },
    jwks: async (url: string, kid: string) => {
      asked.push(`${url} ${kid}`)
      return [wallet.jwk]
    },
  }
  const mine = (change: Forged = {}) =>
    mandate({ ...change, claims: { checkout_jwt: checkoutJwt, checkout_hash: digest(checkoutJwt), ...change.claims } })
  const check = (token: string | undefined, change: object = {}) =>
    checkAgreement(
      { ...flow, keyLists },
      {
        accountId: SHOP,
        token,
        session: checkOf('').session,
        nonce: NONCE,
        aud: AUD,
        orderId: 'ord_1',
        ucpAgent: undefined,
        ucpVersion: '2026-04-08',
        ...change,
      },
    )
  return { flow, asked, mine, check }
}
const listed = ({ jwk }: Minter) => jwk as unknown as IssuerJwk
const registered = { issuers: [{ iss: WALLET, keys: [listed(wallet)] }] }
const self = { by: stranger, header: { kid: undefined, jwk: stranger.jwk }, claims: { iss: undefined } }
const claimsOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

test('C-SES-07 J-AUTH-08 what is kept of a mandate is the token, sealed, whose key it was, what it agreed to, and the receipt', async (t) => {
  const { flow, mine, check, asked } = await shop(registered)
  const token = mine()
  const evidence = await check(token, { ucpAgent: UCP_AGENT })
  t.like(evidence, { tier: 'registered', issuer: WALLET })
  t.is(await flow.vault.open(evidence?.token ?? ''), token)
  t.is(evidence?.keyThumbprint.length, 43)
  t.deepEqual(asked, [], 'a registered key asks nobody')
  const [key] = await publishedKeys(flow, SHOP)
  const { protectedHeader } = await compactVerify(evidence?.receipt ?? '', await importJWK({ ...key }, 'ES256'))
  t.deepEqual(protectedHeader, { alg: 'ES256', typ: 'JWT', kid: key?.kid as string })
  t.deepEqual(claimsOf(evidence?.receipt), {
    iss: AUD,
    iat: flow.world.now().getTime() / 1_000,
    reference: mandateReference(token),
    status: 'Success',
    order_id: 'ord_1',
  })
  t.deepEqual(await check(token), evidence, 'the same again has the same receipt')
})

test('C-SES-10 C-SES-11 C-SES-12 E-401-02 E-401-03 E-401-04 what is not taken is refused with 401, its own code and a receipt', async (t) => {
  const { mine, check } = await shop(registered)
  const cases = [
    [mine().slice(0, -3), 'mandate_invalid_signature', 'invalid_credential'],
    ['nonsense', 'mandate_invalid_signature', 'invalid_credential'],
    [mine({ claims: { exp: 1 } }), 'mandate_expired', 'invalid_credential'],
    [mine({ proof: { nonce: 'other' } }), 'mandate_scope_mismatch', 'invalid_mandate'],
    [mandate(), 'mandate_scope_mismatch', 'invalid_mandate'],
  ] as const
  for (const [token, code, error] of cases) {
    const refusal = await t.throwsAsync(check(token), { instanceOf: Refusal })
    t.deepEqual(refusal && wire[refusal.code], [401, code])
    const receipt = claimsOf(refusal?.facts?.checkout_receipt)
    t.like(receipt, { status: 'Error', error, reference: mandateReference(token), iss: AUD })
    t.is(receipt.error_description, refusal?.detail)
  }
})

test('J-AUTH-08 a seller that requires an agreement sells nothing without one, and others do', async (t) => {
  t.is(await (await shop()).check(undefined), null)
  t.is(await codeOf((await shop({ require: true })).check(undefined)), 'checkout-mandate-required')
  t.deepEqual(wire['checkout-mandate-required'], [401, 'mandate_required'])
})

test('the profile of a platform is read only for a key id that no registered issuer owns, and only where platforms are taken', async (t) => {
  const ofPlatform: Forged = { by: platform, claims: { iss: PLATFORM } }
  const all = await shop(registered)
  t.like(await all.check(all.mine(ofPlatform), { ucpAgent: UCP_AGENT }), { tier: 'platform', issuer: PLATFORM })
  t.deepEqual(all.asked, [`${PLATFORM}/.well-known/ucp platform-1`])
  t.is(await codeOf(all.check(all.mine(ofPlatform))), 'checkout-mandate-invalid', 'without the header nobody is asked')
  await all.check(all.mine(self), { ucpAgent: UCP_AGENT })
  await all.check(undefined, { ucpAgent: UCP_AGENT })
  t.is(await codeOf(all.check('nonsense', { ucpAgent: UCP_AGENT })), 'checkout-mandate-invalid')
  t.is(all.asked.length, 1)
  const without = await shop({ ...registered, accept: ['registered', 'self'] })
  t.is(await codeOf(without.check(without.mine(ofPlatform), { ucpAgent: UCP_AGENT })), 'checkout-mandate-invalid')
  t.deepEqual(without.asked, [])
})

test('a header that names no profile, or a version to come, is refused once the profile is needed', async (t) => {
  const { check, mine } = await shop()
  const token = mine({ by: platform, claims: { iss: PLATFORM } })
  const asked = (ucpAgent: string, ucpVersion = '2026-04-08') => codeOf(check(token, { ucpAgent, ucpVersion }))
  t.is(await asked('platform/1.0'), 'profile-url-invalid')
  t.is(await asked('name="platform"'), 'profile-url-invalid')
  t.is(await asked(`${UCP_AGENT}, version="2099-01-01"`), 'protocol-version-unsupported')
  t.is(await asked(`${UCP_AGENT}; version="2099-01-01"`), 'protocol-version-unsupported')
  t.is(await asked(UCP_AGENT, '2026-01-11'), 'protocol-version-unsupported')
  t.is(await asked(`${UCP_AGENT}, version="2026-01-11"`), 'done')
  t.deepEqual(
    (['profile-url-invalid', 'profile-unreachable', 'profile-malformed', 'protocol-version-unsupported'] as const).map(
      (code) => wire[code],
    ),
    [
      [400, 'invalid_profile_url'],
      [424, 'profile_unreachable'],
      [422, 'profile_malformed'],
      [422, 'version_unsupported'],
    ],
  )
})

test('keys of an issuer are read from where the seller says, and a tier that is not accepted vouches for nobody', async (t) => {
  const remote = await shop({ issuers: [{ iss: WALLET, jwksUri: `${WALLET}/jwks.json` }] })
  t.like(await remote.check(remote.mine()), { tier: 'registered', issuer: WALLET })
  t.deepEqual(remote.asked, [`${WALLET}/jwks.json wallet-1`])
  const strict = await shop({ ...registered, accept: ['registered'] })
  t.is(await codeOf(strict.check(strict.mine(self))), 'checkout-mandate-invalid')
  const open = await shop({ ...registered, accept: ['self'] })
  t.like(await open.check(open.mine(self)), { tier: 'self', issuer: null })
  t.is(await codeOf(open.check(open.mine())), 'checkout-mandate-invalid')
})
