import test, { type ExecutionContext } from 'ava'
import { createSignInRows, type SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { testDatabase } from '../support/postgres.ts'

/** Codes, tokens and proofs on a real database: each is refused by every single thing that is not as it was. */

const NOW = new Date('2026-03-02T10:00:00.000Z')
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const of = { clientId: 'app_1', redirectUri: 'https://app.test/cb', challenge: 'challenge' }
const token = { hash: 'token', expiresAt: after(3_600) }
const granted = { clientId: 'app_1', sub: 'usr_1', sid: 'ses_1', scope: 'openid', revocations: 0 }
const code = {
  ...granted,
  redirectUri: of.redirectUri,
  nonce: null,
  challenge: of.challenge,
  authTime: NOW.toISOString(),
  amr: ['pwd', 'otp'],
}

/** Somebody is signed in, and a code is given. */
const withCode = async (t: ExecutionContext, more: Partial<typeof code> = {}): Promise<SignInRows> => {
  const rows = await createSignInRows((await testDatabase(t)).sql)
  await rows.sessions.begin({ sid: 'ses_1', sub: 'usr_1', amr: ['pwd'], device: 'Test', secretHash: 'hash' }, NOW)
  t.true(await rows.tokens.addCode('code', { ...code, ...more }, after(120)))
  return rows
}

test('A-OID-12 A-OID-13 a code is redeemed by its own app, for its own address, with its own proof, in time and once', async (t) => {
  const { tokens } = await withCode(t)
  const wrong = [
    { of: { ...of, clientId: 'app_2' }, status: 'not-matching' },
    { of: { ...of, redirectUri: 'https://app.test/cb/' }, status: 'not-matching' },
    { of: { ...of, challenge: 'another' }, status: 'not-matching' },
    { of: { ...of, challenge: null }, status: 'not-matching' },
    { codeHash: 'no code', status: 'unknown' },
    { at: after(120), status: 'expired' },
  ]
  for (const { status, codeHash = 'code', at = NOW, ...other } of wrong) {
    const told = await tokens.redeem(codeHash, other.of ?? of, token, at)
    t.deepEqual(told, { status }, JSON.stringify(other))
    t.is(await tokens.token(token.hash, NOW), undefined)
  }
  t.deepEqual(await tokens.redeem('code', of, token, after(119)), { status: 'redeemed', row: code })
  t.deepEqual(await tokens.token(token.hash, after(3_599)), granted)
  t.is(await tokens.token(token.hash, after(3_600)), undefined)
  t.is(await tokens.token('another', NOW), undefined)
})

test('A-CLI-01 A-OID-12 a code that was asked for without a challenge is redeemed without one, and with none', async (t) => {
  const { tokens } = await withCode(t, { challenge: null as never })
  t.deepEqual(await tokens.redeem('code', of, token, NOW), { status: 'not-matching' })
  t.like(await tokens.redeem('code', { ...of, challenge: null }, token, NOW), { status: 'redeemed' })
})

test('A-OID-13 who is not its app ends no token with a code that was used, and its app does', async (t) => {
  const { tokens } = await withCode(t)
  await tokens.redeem('code', of, token, NOW)
  const again = { hash: 'second', expiresAt: token.expiresAt }
  t.deepEqual(await tokens.redeem('code', { ...of, clientId: 'app_2' }, again, NOW), { status: 'not-matching' })
  t.deepEqual(await tokens.token(token.hash, NOW), granted, 'another app has seen the code, and ends nothing')
  t.deepEqual(await tokens.redeem('code', of, again, after(300)), { status: 'used' }, 'also when it is too old')
  t.is(await tokens.token(token.hash, NOW), undefined)
  t.deepEqual(await tokens.redeem('code', of, again, NOW), { status: 'used' })
  t.is(await tokens.token(again.hash, NOW), undefined)
})

test('A-OID-14 why a code was not taken is told of a code alone that its app could still use for its address', async (t) => {
  const { tokens } = await withCode(t)
  const { clientId, redirectUri } = of
  t.deepEqual(await tokens.usableCode('code', of, after(119)), code)
  t.is(await tokens.usableCode('another', of, NOW), undefined)
  t.is(await tokens.usableCode('code', of, after(120)), undefined)
  t.is(await tokens.usableCode('code', { clientId: 'app_2', redirectUri }, NOW), undefined)
  t.is(await tokens.usableCode('code', { clientId, redirectUri: 'https://app.test/' }, NOW), undefined)
  await tokens.redeem('code', of, token, NOW)
  t.is(await tokens.usableCode('code', of, NOW), undefined)
})

test('A-OID-19 A-OID-11 a token is ended by its own app, and codes and tokens by the end of their session or of the consent', async (t) => {
  const { tokens } = await withCode(t)
  let n = 0
  /** One token, and one code that waits; answers whether each is still there. */
  const given = async () => {
    const [used, waits, hash] = [`used ${++n}`, `waits ${n}`, `token ${n}`]
    for (const each of [used, waits]) t.true(await tokens.addCode(each, code, after(120)))
    t.like(await tokens.redeem(used, of, { ...token, hash }, NOW), { status: 'redeemed' })
    const here = async () => [
      (await tokens.token(hash, NOW)) !== undefined,
      (await tokens.usableCode(waits, of, NOW)) !== undefined,
    ]
    return { hash, here }
  }
  const { hash, here } = await given()
  await tokens.revoke(hash, 'app_2')
  await tokens.revokeOfSessions(['ses_2'])
  await tokens.revokeOfApp('usr_2', 'app_1')
  await tokens.revokeOfApp('usr_1', 'app_2')
  t.deepEqual(await here(), [true, true])
  await tokens.revoke(hash, 'app_1')
  t.deepEqual(await here(), [false, true])
  const bySession = await given()
  await tokens.revokeOfSessions(['ses_2', 'ses_1'])
  t.deepEqual(await bySession.here(), [false, false])
  const byApp = await given()
  await tokens.revokeOfApp('usr_1', 'app_1')
  t.deepEqual(await byApp.here(), [false, false])
  t.false(await tokens.addCode('no session', { ...code, sid: 'ses_2' }, after(120)))
  t.false(await tokens.addCode('another user', { ...code, sub: 'usr_2' }, after(120)))
})

test('A-OID-13 a code is known to be too old for an hour more, and then to nobody', async (t) => {
  const { tokens } = await withCode(t)
  await tokens.sweepTokens(after(120 + 3_600))
  t.deepEqual(await tokens.redeem('code', of, token, after(120)), { status: 'expired' })
  await tokens.sweepTokens(after(121 + 3_600))
  t.deepEqual(await tokens.redeem('code', of, token, after(120)), { status: 'unknown' })
})

const asked = { holder: 'ses_1', purpose: 'intent', subject: 'pi_1', terms: 'f'.repeat(64) }

test('X-MFA-01 a proof counts for its holder, for its purpose, for what it was asked about and for the terms that were shown', async (t) => {
  const { challenges } = await createSignInRows((await testDatabase(t)).sql)
  await challenges.ask('proof', asked, after(300))
  for (const name of ['holder', 'purpose', 'subject', 'terms'] as const)
    t.false(await challenges.take('proof', { ...asked, [name]: 'another' }, NOW), name)
  t.false(await challenges.take('another', asked, NOW))
  t.false(await challenges.take('proof', asked, after(300)), 'too old')
  t.true(await challenges.take('proof', asked, after(299)), 'what did not fit has not used it up')
  t.false(await challenges.take('proof', asked, NOW), 'once')
})

test('X-MFA-01 the newest twenty proofs of one holder count, and those of visitors and of others are left alone', async (t) => {
  const { challenges } = await createSignInRows((await testDatabase(t)).sql)
  const visitor = { ...asked, holder: '' }
  for (let n = 0; n < 22; n++) {
    await challenges.ask(`visitor ${n}`, visitor, after(10 + n))
    if (n === 0) await challenges.ask('other', { ...asked, holder: 'ses_2' }, after(2))
    await challenges.ask(`own ${n}`, asked, after(100 + n))
  }
  await challenges.ask('swept', { ...asked, holder: 'ses_3' }, after(1))
  await challenges.sweepChallenges(after(1))
  const taken = async (name: string, whose: typeof asked) => challenges.take(name, whose, after(-1))
  t.deepEqual(
    [await taken('own 1', asked), await taken('own 2', asked), await taken('own 21', asked)],
    [false, true, true],
  )
  t.deepEqual([await taken('visitor 0', visitor), await taken('visitor 21', visitor)], [true, true])
  t.true(await taken('other', { ...asked, holder: 'ses_2' }))
  t.false(await taken('swept', { ...asked, holder: 'ses_3' }))
})
