import test from 'ava'
import { createDownloads } from '../../../adapters/http/agent/common/downloads.ts'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { dashboardEndpoints } from '../../../adapters/http/surfaces/dashboard.ts'
import { capabilitiesOf } from '../../../domain/account/roles.ts'
import type { MemberGrants } from '../../../domain/account/team-members.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { teamMember } from '../../support/members.ts'
import { openOperator } from '../../support/operator.ts'

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
const pathOf = ({ path }: Endpoint) => path.replaceAll(/:(\w+)/g, '1')
const fieldsOf = ({ when = {} }: Endpoint) =>
  Object.fromEntries(Object.entries(when).map(([name, value]) => [name, value === true ? '1' : value]))

const allows = ({ role, permissions, storeScope }: MemberGrants, { callers, reach, auth }: Endpoint): boolean =>
  auth !== 'member' ||
  ((callers?.capability === undefined || capabilitiesOf(role, permissions).includes(callers.capability)) &&
    !callers?.ownerOnly &&
    (storeScope.length === 0 || reach === 'store'))

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
    for (const e of ofMembers) {
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

type Way = { readonly method: string; readonly path: string; readonly act?: string | undefined }

/** The links and forms of a page. */
const waysIn = (text: string): readonly Way[] => {
  const links = [...text.matchAll(/href="(\/dashboard[^"?#]*)/g)].map(([, path = '']) => ({ method: 'get', path }))
  const forms = text.split('<form').slice(1)
  const sent = forms.flatMap((form) => {
    const path = /^[^>]*action="(\/dashboard[^"?#]*)/.exec(form)?.[1]
    const act = /name="act" value="([^"]+)"/.exec(form.slice(0, form.indexOf('</form>')))?.[1]
    const hasButton = form.slice(0, form.indexOf('</form>')).includes('<button')
    return path === undefined || !hasButton ? [] : [{ method: 'post', path, act }]
  })
  return [...links, ...sent]
}

const leadsTo = ({ method, path, act }: Way, e: Endpoint): boolean =>
  e.method === method &&
  new RegExp(`^${e.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`).test(path) &&
  (e.when?.act === undefined || e.when.act === act)

test('N-95 a member of another account finds no payment of this one, and no member', async (t) => {
  const { who } = await teamMember({ app, flow: operator.flow }, { role: 'master-admin' })
  for (const path of ['/dashboard/payments/1000000', '/dashboard/payments/999999999'])
    t.is((await who.open(path)).status, 404, path)
  t.is((await who.open('/dashboard/team')).status, 403)
  t.is((await who.open('/dashboard/team/members/1')).status, 403)
})
