import test from 'ava'
import { createDownloads } from '../../../adapters/http/agent/common/downloads.ts'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { dashboardEndpoints } from '../../../adapters/http/surfaces/dashboard.ts'
import { capabilitiesOf } from '../../../domain/account/roles.ts'
import type { MemberGrants } from '../../../domain/account/team-members.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { memberSignIn } from '../../support/dashboard.ts'
import { cases } from '../../support/depth.ts'
import { teamMember } from '../../support/members.ts'
import { openOperator } from '../../support/operator.ts'
import { type Person, person } from '../../support/people.ts'
import { freshAddress, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** Every page and form of the dashboard as a clerk, an auditor and a member of one store, drawn from its endpoints. */

let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp()
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

const all = dashboardEndpoints(createDownloads())
const ofMembers = all.filter(({ auth }) => auth === 'member')
/** A page that something in the query picks has it there. */
const pathOf = ({ path, method, ...e }: Endpoint) =>
  path.replaceAll(/:(\w+)/g, '1') + (method === 'get' && e.when ? `?${new URLSearchParams(fieldsOf(e))}` : '')
const fieldsOf = ({ when = {} }: Pick<Endpoint, 'when'>): Record<string, string> =>
  Object.fromEntries(Object.entries(when).map(([name, value]) => [name, value === true ? '1' : value]))

const allows = ({ role, permissions, storeScope }: MemberGrants, { callers, reach, auth }: Endpoint): boolean =>
  auth !== 'member' ||
  ((callers?.capability === undefined || capabilitiesOf(role, permissions).includes(callers.capability)) &&
    !callers?.ownerOnly &&
    (storeScope.length === 0 || reach === 'store'))

/** What a role lacks is tried each time; of what it has, `npm test` opens a part. */
const tried = (grants: MemberGrants): readonly Endpoint[] => [
  ...ofMembers.filter((e) => !allows(grants, e)),
  ...cases(
    ofMembers.filter((e) => allows(grants, e)),
    3,
  ),
]

const FORBIDDEN = 'You may not do this'

const members: readonly MemberGrants[] = [
  { role: 'clerk', permissions: [], storeScope: [] },
  { role: 'auditor', permissions: [], storeScope: [] },
  { role: 'manager', permissions: [], storeScope: [1] },
]

for (const grants of members)
  test(`N-95 a ${grants.role} ${grants.storeScope.length > 0 ? 'of one store ' : ''}is refused every page and form that the role lacks, and shown none`, async (t) => {
    const { who } = await teamMember({ app, flow: operator.flow }, grants)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await who.open('/dashboard')).text)?.[1] ?? ''
    let refused = 0
    const shown = new Set<string>()
    for (const e of tried(grants)) {
      const mayDo = allows(grants, e)
      // Forms that the role has are sent by the tests of their screens.
      if (e.method !== 'get' && mayDo) continue
      if (e.produces === 'text/event-stream' && mayDo) continue
      const answer =
        e.method === 'get' ? await who.open(pathOf(e)) : await who.post(pathOf(e), { ...fieldsOf(e), csrf })
      const isRefused = answer.status === 403 && answer.text.includes(FORBIDDEN)
      t.is(isRefused, !mayDo, `${e.method} ${e.path} ${answer.status}`)
      if (!mayDo) refused++
      if (answer.status !== 200 || e.produces !== 'text/html') continue
      for (const way of waysIn(answer.text))
        for (const to of all.filter((each) => leadsTo(way, each)))
          if (!allows(grants, to)) shown.add(`${e.path} shows ${way.method} ${way.path} ${way.act ?? ''}`.trim())
    }
    t.deepEqual([...shown], [])
    t.true(refused > 10)
  })

type Way = {
  readonly method: string
  readonly path: string
  readonly act?: string | undefined
  readonly query?: string | undefined
}

/** The links and forms of a page. */
const waysIn = (text: string): readonly Way[] => {
  const links = [...text.matchAll(/href="(\/dashboard[^"?#]*)(?:\?([^"#]*))?/g)].map(([, path = '', query = '']) => ({
    method: 'get',
    path,
    query: query.replaceAll('&amp;', '&'),
  }))
  const forms = text.split('<form').slice(1)
  const sent = forms.flatMap((form) => {
    const path = /^[^>]*action="(\/dashboard[^"?#]*)/.exec(form)?.[1]
    const act = /name="act" value="([^"]+)"/.exec(form.slice(0, form.indexOf('</form>')))?.[1]
    const hasButton = form.slice(0, form.indexOf('</form>')).includes('<button')
    return path === undefined || !hasButton ? [] : [{ method: 'post', path, act }]
  })
  return [...links, ...sent]
}

const leadsTo = ({ method, path, act, query }: Way, e: Endpoint): boolean =>
  e.method === method &&
  new RegExp(`^${e.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`).test(path) &&
  (e.when?.act === undefined || e.when.act === act) &&
  (method !== 'get' || Object.entries(fieldsOf(e)).every((each) => each.join('=') === one(query, each[0])))

/** One parameter of a query as it is written there. */
const one = (query = '', name: string): string => `${name}=${new URLSearchParams(query).get(name)}`

test('N-95 a member finds the payments of their stores, and none of other stores or of another account', async (t) => {
  const { who, accountId, owner, email } = await teamMember({ app, flow: operator.flow }, { role: 'master-admin' })
  const wallet = { asset: 'eth', address: freshAddress() }
  await ok(app.call('POST', '/v1/wallets', { key: owner.key, body: wallet }))
  const { storeId } = await addStore(app, owner.key)
  const invoice = { amount: '5', currency_code: 'USD' }
  const asked = async (store: number) =>
    (await consoleOk(app, owner.key, 'create-transaction', { ...invoice, store_id: String(store) })).transaction_id
  const [first, second] = [await asked(1), await asked(storeId)]
  const seen = async (by: Person) => {
    const { text } = await by.open('/dashboard/payments')
    const listed = [...text.matchAll(/href="\/dashboard\/payments\/(\d+)"/g)].map(([, id = '']) => id)
    const statuses = [first, second].map(async (id) => (await by.open(`/dashboard/payments/${id}`)).status)
    return [listed.toSorted(), await Promise.all(statuses)]
  }
  t.deepEqual(await seen(who), [[first, second].toSorted(), [200, 200]])
  const [seat = ''] = Object.keys((await operator.ledger.team.read(accountId)).members)
  await operator.ledger.team.changeMember(accountId, { number: Number(seat), storeScope: [storeId], by: 'mem_o' })
  const scoped = person(app)
  await memberSignIn(scoped, { email })
  t.deepEqual(await seen(scoped), [[second], [404, 200]])
  const stranger = await teamMember({ app, flow: operator.flow }, { role: 'master-admin' })
  t.deepEqual(await seen(stranger.who), [[], [404, 404]])
  for (const path of ['/dashboard/team', '/dashboard/team/members/1', '/dashboard/team/invite'])
    t.is((await stranger.who.open(path)).status, 403, path)
})
