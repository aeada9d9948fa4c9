import { z } from 'zod'
import { mandateStateAt } from '../../../../domain/balance/mandate.ts'
import { isAutomatic, remainingCap } from '../../../../domain/balance/standing-order.ts'
import { type TransferKind, userRef } from '../../../../domain/balance/transfer-terms.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { BalanceEntryRow } from '../../../../projections/balance/balances.ts'
import type { MandateRow } from '../../../../projections/balance/mandates.ts'
import { endpoint } from '../../core/endpoint.ts'
import { when } from '../../pages/people/account-frame.ts'
import {
  appsPage,
  balancePage,
  type ShownEntry,
  type ShownOrder,
  standingOrdersPage,
  usd,
} from '../../pages/people/money.ts'
import { seeOther } from '../../pages/people-page.ts'
import { revokeApp } from '../oidc/end-sessions.ts'
import { knownScopes, SCOPE_WORDS } from '../oidc/scopes.ts'
import { ofRows } from './of-people.ts'

/** What a user has let apps do, and what has come of it; each can be taken back (A-OID-11, A-MAN-04, A-MAN-08). */

const common = { ...ofRows, auth: 'person' } as const
const csrf = z.string().max(100)
/** Apps and standing orders that a page shows: nobody can look through more. */
const SHOWN_MAX = 200
const PER_PAGE = 50

const lookAtApps = endpoint({
  ...common,
  path: '/account/apps',
  method: 'get',
  summary: 'The apps that have access to the account',
  async answer({ queries, actor }) {
    const apps = await queries.appsOfUser(actor.sub, SHOWN_MAX)
    return appsPage({
      csrf: actor.csrf,
      apps: apps.map(({ scopes, ...app }) => ({
        ...app,
        can: knownScopes(scopes.join(' ')).map((scope) => SCOPE_WORDS[scope]),
      })),
    })
  },
})

const revoke = endpoint({
  ...common,
  path: '/account/apps',
  method: 'post',
  summary: 'Takes an app its access: its tokens are dead, and it has to ask again',
  body: z.object({ csrf, client_id: z.string().max(64) }),
  async answer({ body, flow, signIn, actor }) {
    await revokeApp({ flow, signIn }, actor.sub, body.client_id)
    return seeOther('/account/apps')
  },
})

const lookAtOrders = endpoint({
  ...common,
  path: '/account/standing-orders',
  method: 'get',
  summary: 'The standing orders of the user, ended ones too',
  query: z.object({ done: z.string().max(10).optional() }),
  async answer({ query, flow, queries, actor }) {
    const rows = await queries.standingOrdersOf(actor.sub, SHOWN_MAX)
    const orders = await Promise.all(rows.map((row) => shownOrder(flow, row)))
    return standingOrdersPage({
      csrf: actor.csrf,
      orders,
      done: query.done && 'It has ended: nothing more is debited.',
    })
  },
})

const endOrder = endpoint({
  ...common,
  path: '/account/standing-orders',
  method: 'post',
  summary: 'Ends a standing order of the user',
  body: z.object({ csrf, mandate_id: z.string().max(64) }),
  async answer({ body, flow, actor }) {
    // The order is ended in the user's own stream, which has no order of anybody else.
    await flow.ledger.userBalance.end(actor.sub, { mandateId: body.mandate_id, by: 'user' })
    return seeOther('/account/standing-orders?done=1')
  },
})

const lookAtBalance = endpoint({
  ...common,
  path: '/account/balance',
  method: 'get',
  summary: 'The balance of the user and how it came about, the newest first',
  query: z.object({
    before: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional(),
  }),
  async answer({ query, flow, queries, actor }) {
    const account = userRef(actor.sub)
    const [balance, rows] = await Promise.all([
      queries.balance(account),
      queries.balanceEntries(account, PER_PAGE + 1, query.before),
    ])
    const page = rows.slice(0, PER_PAGE)
    return balancePage({
      csrf: actor.csrf,
      balance,
      isFirst: query.before === undefined,
      entries: await Promise.all(page.map((row) => shownEntry(flow, row))),
      older: rows.length > PER_PAGE ? `/account/balance?before=${page.at(-1)?.number}` : undefined,
    })
  },
})

export const moneyEndpoints = [lookAtApps, revoke, lookAtOrders, endOrder, lookAtBalance]

const KINDS: Readonly<Record<TransferKind, string>> = {
  intent: 'Payment',
  'standing-order': 'Standing order',
  'credit-push': 'Credit',
  refund: 'Refund',
  'top-up': 'Top-up',
  grant: 'Credit',
}

const shownEntry = async (flow: UseCaseContext, row: BalanceEntryRow): Promise<ShownEntry> => {
  const app = row.clientId === null ? undefined : await appName(flow, row.clientId)
  const joint = row.amount.startsWith('-') ? 'to' : row.kind === 'top-up' ? 'in' : 'from'
  return {
    at: row.at,
    ledgerRef: row.ledgerRef,
    amount: row.amount,
    balance: row.balance,
    what: app === undefined ? KINDS[row.kind] : `${KINDS[row.kind]} ${joint} ${app}`,
    description: row.description === null ? undefined : await openedText(flow.vault, row.description),
  }
}

const INTERVALS = { weekly: 'week', monthly: 'month' } as const

const STATES: Readonly<Record<ReturnType<typeof mandateStateAt>, string>> = {
  pending: 'not approved',
  approved: 'active',
  declined: 'declined',
  revoked: 'ended',
  expired: 'its time is up',
  exhausted: 'used up',
}

const shownOrder = async (flow: UseCaseContext, row: MandateRow): Promise<ShownOrder> => {
  const state = mandateStateAt(row, flow.world.now().toISOString())
  const isActive = state === 'approved'
  const { schedAmount, schedInterval } = row
  const app = await appName(flow, row.clientId)
  return {
    mandateId: row.mandateId,
    app,
    description: await openedText(flow.vault, row.description),
    state: state === 'revoked' && row.endedBy === 'app' ? 'ended by the app' : STATES[state],
    terms: [
      ...(schedAmount === null
        ? []
        : ([
            [
              `${isAutomatic(row) ? 'Each' : 'At most each'} ${INTERVALS[schedInterval ?? 'monthly']}`,
              usd(schedAmount),
            ],
          ] as const)),
      ['Taken by', isAutomatic(row) ? 'Daybook, by itself' : app],
      ['At most at once', usd(row.perDebitCap)],
      ...(row.cooldown === 'none' ? [] : [['Not more often than', `once a ${INTERVALS[row.cooldown]}`] as const]),
      ['At most in all', usd(row.lifetimeCap)],
      ['Taken so far', usd(row.spent)],
      ['Left', usd(remainingCap(row))],
      ...(isActive && row.nextDebitAt !== null ? [['Next', when(row.nextDebitAt)] as const] : []),
      ...(row.lastDebitAt === null ? [] : [['Last', when(row.lastDebitAt)] as const]),
      ...(row.validUntil === null ? [] : [['Until', when(row.endedAt ?? row.validUntil)] as const]),
    ],
    canEnd: isActive,
  }
}

const appName = async ({ ledger }: UseCaseContext, clientId: string): Promise<string> => {
  const app = await ledger.clientApp.recent(clientId)
  if (app.status === 'none') return clientId
  return app.development ? `${app.name} (in development)` : app.name
}
