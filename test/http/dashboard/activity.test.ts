import test from 'ava'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { inviteMember } from '../../../domain/use-cases/account/team/invitations.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { INVITATION, teamMember } from '../../support/members.ts'
import { openOperator } from '../../support/operator.ts'
import { linkTo, person } from '../../support/people.ts'
import { logOf } from '../../support/sale.ts'
import { activeSeller, freshAddress, freshEmail, ok } from '../../support/seller.ts'
import { teamCalls } from '../../support/team.ts'

/** Who did what in an account, by the API and at the dashboard. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const LIST = '/dashboard/activity'
/** What a further seat of an auditor costs, in millionths of a dollar. */
const SEAT = 5_000_000n
const { make } = teamCalls(() => app)

type Told = Readonly<Record<string, string>>
const actsOf = async (key: string, query = ''): Promise<readonly Told[]> =>
  (await ok(app.call('GET', `/v1/activity${query}`, { key }))).json.acts

/** An account in which its owner key, its owner and a sub-key have done something. */
const busy = async () => {
  const member = await signedInMember(app)
  const { key, who } = member
  await ok(app.call('PUT', '/v1/settings', { key, body: { currency: 'EUR' } }))
  const wallet = { asset: 'eth', address: freshAddress() }
  await ok(app.call('POST', '/v1/wallets', { key, body: wallet }))
  const agent = await make(key, { role: 'manager', display_name: 'Ann’s tool' })
  await ok(app.call('POST', '/v1/resources', { key: agent.api_key, body: { amount: 5, currency: 'USD' } }))
  await who.send('/dashboard/settings', { act: 'zone', time_zone: 'Europe/Berlin' })
  return { ...member, agent }
}

test('N-104 each act says who did it, from where and to what, and the newest comes first', async (t) => {
  const { key, agent } = await busy()
  const acts = await actsOf(key)
  const of = (act: string) => acts.find((each) => each.act === act)
  t.like(of('CurrencySet'), { by: 'owner-key', kind: 'settings', network: '127.0.0.1' })
  t.like(of('SubagentCreated'), { by: 'owner-key', kind: 'keys' })
  t.like(of('ResourceCreated'), { by: 'sub-key', kind: 'selling', actor_name: 'Ann’s tool', network: '127.0.0.1' })
  t.like(of('AccountSignedUp'), { by: 'anonymous', network: '127.0.0.1' })
  t.is(of('CreditGranted'), undefined)
  const places = acts.map(({ position }) => Number(position))
  t.deepEqual(
    places,
    places.toSorted((a, b) => b - a),
  )
  const byAgent = (await actsOf(key, `?actor=${of('ResourceCreated')?.actor}`)).map(({ act }) => act)
  t.deepEqual(byAgent, ['ResourceCreated'])
  t.deepEqual(
    (await actsOf(key, '?by=member')).every(({ by }) => by === 'member'),
    true,
  )
  t.deepEqual(await actsOf(key, '?to=2020-01-01'), [])
  t.is((await actsOf(key, '?search=CURRENCY'))[0]?.act, 'CurrencySet')
  t.is((await app.call('GET', '/v1/activity', { key: agent.api_key })).status, 403)
})

deepTest('N-104 N-36 a walk by pages reaches every act once', async (t) => {
  const { key } = await busy()
  const seen: string[] = []
  let before = ''
  do {
    const { acts, next } = (await ok(app.call('GET', `/v1/activity?limit=2${before}`, { key }))).json
    seen.push(...acts.map(({ position }: Told) => position))
    before = next === null ? '' : `&before=${next}`
  } while (before !== '')
  t.deepEqual(
    seen,
    (await actsOf(key)).map(({ position }) => position),
  )
  t.deepEqual((await ok(app.call('GET', '/v1/activity?limit=0', { key }))).json, { acts: [], next: null })
})

test('N-104 X-TEN-01 nobody sees what was done in another account', async (t) => {
  await busy()
  const { key } = await activeSeller(app)
  for (const { act } of await actsOf(key)) t.notRegex(act ?? '', /Resource|Subagent|Currency/)
})

test('N-104 the network in the log is sealed, and only what people and keys write has it', async (t) => {
  const { key } = await busy()
  const acts = await actsOf(key, '?kind=settings')
  t.true(acts.length > 0)
  for (const { type, cause } of await logOf(app)) {
    t.notRegex(JSON.stringify(cause), /127\.0\.0\.1/, type)
    if (cause.network !== undefined) t.regex(cause.network, /^v1\.acc_/)
  }
  const policies = (await logOf(app)).filter(({ cause }) => cause.causationId !== undefined)
  t.true(policies.length > 0)
  for (const { cause, type } of policies) t.is(cause.network, undefined, type)
})

deepTest('N-104 N-82 a member reads it in plain words, narrows it, and takes it away as CSV', async (t) => {
  const { who } = await busy()
  const { text } = await who.open(LIST)
  for (const shown of ['Set the currency', 'Priced a resource', 'Ann’s tool', 'You'])
    t.true(text.includes(shown), shown)
  const german = await who.open(LIST, { 'accept-language': 'de' })
  t.true(german.text.includes('Die Währung gesetzt'))
  const none = await who.open(`${LIST}?kind=billing`)
  t.regex(none.text, /Nothing fits these filters/)
  const wrong = await who.open(`${LIST}?from=yesterday`)
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="filter-from-error"/)
  const csv = await who.open(`${LIST}.csv?kind=settings&search=currency`)
  const lines = csv.text.trim().split('\n')
  t.is(lines.length, 2)
  t.regex(lines[1] ?? '', /"CurrencySet".*"Set the currency"/)
})

test('N-104 N-95 a member is shown by the address to the owner alone, and the id stays in the CSV', async (t) => {
  const operator = await openOperator(app)
  t.teardown(() => operator.stop())
  const { who: manager, email, owner, accountId } = await teamMember({ app, flow: operator.flow }, { role: 'manager' })
  const made = await manager.send(
    '/dashboard/products',
    { act: 'create', title: 'Tea', price: '5' },
    '/dashboard/products?new=1',
  )
  t.is(made.status, 303, made.text.slice(-900))
  const who = person(app)
  await memberSignIn(who, { email: owner.email })
  const { text } = await who.open(`${LIST}?kind=shop`)
  t.regex(text, new RegExp(`actor=(mem_\\w+)">${email}<`))
  const memberId = /actor=(mem_\w+)">/.exec(text)?.[1] ?? ''
  t.false(text.includes(`${memberId}</code>`))
  t.true((await who.open(`${LIST}.csv?kind=shop`)).text.includes(memberId))
  const auditor = person(app)
  const invited = { email: freshEmail(), role: 'auditor', permissions: [], storeScope: [] } as const
  await inviteMember(operator.flow, accountId, { ...invited, by: ownerMemberId(accountId), agreed: SEAT })
  await auditor.send(await linkTo(app, invited.email, INVITATION), { act: 'password', new_password: PASSWORD })
  const seen = (await auditor.open(`${LIST}?kind=shop`)).text
  t.true(seen.includes('>A member</a>'))
  t.false(seen.includes(email))
})
