import { z } from 'zod'
import { ROLES, SEAT_PRICES } from '../../../../domain/account/roles.ts'
import type { ZoneClock } from '../../../../domain/kernel/calendar.ts'
import { deletedOr } from '../../../../domain/kernel/refusal.ts'
import { rotateSandboxKey } from '../../../../domain/use-cases/account/sandbox-keys.ts'
import { changeSubagent, deleteSubagent, rotateSubagent } from '../../../../domain/use-cases/account/subagents.ts'
import { clockOf } from '../../../../domain/use-cases/account/time-zone.ts'
import { keyLimitsOf } from '../../agent/account/key-limits.ts'
import { KeyLimitsWish, listed, NewSandboxKey, sandboxKeyMade } from '../../agent/account/sandbox-keys.ts'
import { NewSubagent, shownTeam, subagentMade } from '../../agent/account/subagents.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import { type KeyFailure, keysPage, type ShownKey } from '../../pages/dashboard/developers/keys.ts'
import { KEYS } from '../../pages/dashboard/developers/paths.ts'
import { seeOther } from '../../pages/people-page.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'

/** Sub-keys and sandbox keys, with the rules of `/v1/subagents` and `/v1/sandbox-keys`. */

/** Sandbox keys on the page: the ones that work come first, of which there are at most a hundred. */
const SANDBOX_KEYS_SHOWN = 120

const common = { ...ofMembers, path: KEYS, method: 'post' } as const
const ofOwner = { ...common, callers: { capability: 'settings.edit', ownerOnly: true, fresh: true } } as const
const ofSandbox = { ...common, callers: { capability: 'sandbox-keys.manage', fresh: true } } as const
const typed = z.string().max(2_000).default('')
const id = z.string().regex(/^[1-9]\d{0,8}$/)
const limits = { ends_at: typed, networks: typed }

const look = endpoint({
  ...ofMembers,
  path: KEYS,
  method: 'get',
  callers: { capability: 'sandbox-keys.manage' },
  summary: 'The sub-keys and the sandbox keys, with their ends and networks',
  query: z.object({ done: z.literal('1').optional().catch(undefined) }),
  answer: ({ query, ...request }) => show(request, { isDone: query.done === '1' }),
})

const makeSubKey = endpoint({
  ...ofOwner,
  when: { act: 'make-sub-key' },
  summary: 'Makes a sub-key, shown once',
  body: z.object({ csrf, name: typed, role: typed, stores: typed, ...limits }),
  answer: ({ body: { csrf: _, ...values }, ...request }) =>
    attempted(request, { act: 'make-sub-key', id: '', values }, async (clock) => {
      const { name, role, stores } = values
      const scope = listIn(stores).map((store) => (/^\d{1,9}$/.test(store) ? Number(store) : store))
      const wish = { role, display_name: name, store_scope: scope, ...wishOf(values, clock) }
      return (await subagentMade(request.flow, request.actor.accountId, validInput(NewSubagent, wish))).apiKey
    }),
})

const changeSubKey = endpoint({
  ...ofOwner,
  when: { act: 'change-sub-key' },
  summary: 'Changes the end and the networks of a sub-key',
  body: z.object({ csrf, id, ...limits }),
  answer: ({ body: { csrf: _, id, ...values }, ...request }) =>
    attempted(request, { act: 'change-sub-key', id, values }, async (clock) => {
      const { flow, actor } = request
      const given = validInput(KeyLimitsWish, wishOf(values, clock))
      await changeSubagent(flow, actor.accountId, Number(id), await keyLimitsOf(flow.vault, actor.accountId, given))
    }),
})

const rotateSubKey = endpoint({
  ...ofOwner,
  when: { act: 'rotate-sub-key' },
  summary: 'Gives a sub-key a new secret, shown once',
  body: z.object({ csrf, id }),
  answer: ({ body, ...request }) =>
    attempted(request, { act: 'rotate-sub-key', id: body.id }, async () => {
      return (await rotateSubagent(request.flow, request.actor.accountId, Number(body.id))).apiKey
    }),
})

const removeSubKey = endpoint({
  ...ofOwner,
  when: { act: 'remove-sub-key' },
  summary: 'Deletes a sub-key; it stops at once',
  body: z.object({ csrf, id }),
  answer: ({ body, ...request }) =>
    attempted(request, { act: 'remove-sub-key', id: body.id }, () =>
      deleteSubagent(request.flow, request.actor.accountId, Number(body.id)),
    ),
})

const makeSandboxKey = endpoint({
  ...ofSandbox,
  when: { act: 'make-sandbox' },
  summary: 'Makes a sandbox key, shown once',
  body: z.object({ csrf, name: typed, kind: typed, ...limits }),
  answer: ({ body: { csrf: _, ...values }, ...request }) =>
    attempted(request, { act: 'make-sandbox', id: '', values }, async (clock) => {
      const wish = { kind: values.kind, label: values.name, ...wishOf(values, clock) }
      return (await sandboxKeyMade(request.flow, request.actor.accountId, validInput(NewSandboxKey, wish))).apiKey
    }),
})

const changeSandboxKey = endpoint({
  ...ofSandbox,
  when: { act: 'change-sandbox' },
  summary: 'Changes the end and the networks of a sandbox key',
  body: z.object({ csrf, id, ...limits }),
  answer: ({ body: { csrf: _, id, ...values }, ...request }) =>
    attempted(request, { act: 'change-sandbox', id, values }, async (clock) => {
      const { flow, actor } = request
      const given = validInput(KeyLimitsWish, wishOf(values, clock))
      const wish = await keyLimitsOf(flow.vault, actor.accountId, given)
      await flow.ledger.sandboxKeys.limit(actor.accountId, { number: Number(id), ...wish })
    }),
})

const rotateSandbox = endpoint({
  ...ofSandbox,
  when: { act: 'rotate-sandbox' },
  summary: 'Gives a sandbox key a new secret, shown once',
  body: z.object({ csrf, id }),
  answer: ({ body, ...request }) =>
    attempted(request, { act: 'rotate-sandbox', id: body.id }, async () => {
      return (await rotateSandboxKey(request.flow, request.actor.accountId, Number(body.id))).apiKey
    }),
})

const removeSandboxKey = endpoint({
  ...ofSandbox,
  when: { act: 'remove-sandbox' },
  summary: 'Revokes a sandbox key; it stops at once',
  body: z.object({ csrf, id }),
  answer: ({ body, ...request }) =>
    attempted(request, { act: 'remove-sandbox', id: body.id }, async () => {
      const { ledger } = request.flow
      const revoked = await ledger.sandboxKeys.revoke(request.actor.accountId, { number: Number(body.id) })
      deletedOr(revoked, 'sandbox-key-not-found')
    }),
})

export const keyScreen = [
  look,
  makeSubKey,
  changeSubKey,
  rotateSubKey,
  removeSubKey,
  makeSandboxKey,
  changeSandboxKey,
  rotateSandbox,
  removeSandboxKey,
]

const FIELDS = ['name', 'role', 'kind', 'stores', 'ends_at', 'networks'] as const

type Act = Pick<KeyFailure, 'act' | 'id'> & Partial<Pick<KeyFailure, 'values'>>

/**
 * Does it, and shows a key that this made, which is the only text that it answers; what it is refused for is said
 * beside its field.
 */
const attempted = async (
  request: MemberRequest & { readonly shows: () => Promise<void> },
  { act, id, values = {} }: Act,
  run: (clock: ZoneClock) => Promise<unknown>,
): Promise<Reply> => {
  let made: unknown
  try {
    made = await run(await clockOf(request.flow, request.actor.accountId))
  } catch (error) {
    // The API has other names for some fields; networks are named with their place in the list.
    const { store_scope, display_name, label, ...named } = faultsOf(error, [...FIELDS, ...OF_API], 'form')
    const faults = { ...named, ...said('stores', store_scope), ...said('name', display_name ?? label) }
    return await show(request, { failed: { act, id, values, faults } })
  }
  if (typeof made !== 'string') return seeOther(`${KEYS}?done=1`)
  await request.shows()
  return await show(request, { fresh: made })
}

const OF_API = ['store_scope', 'display_name', 'label'] as const

const said = (name: string, words: string | undefined) => (words === undefined ? {} : { [name]: words })

const listIn = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

/** What was typed, as the API takes it: an end is a time of the account's own clocks, and an empty field removes. */
const wishOf = ({ ends_at, networks }: { readonly ends_at: string; readonly networks: string }, clock: ZoneClock) => ({
  ends_at: ends_at === '' ? null : /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(ends_at) ? instantOf(clock, ends_at) : ends_at,
  networks: listIn(networks),
})

const instantOf = (clock: ZoneClock, wall: string): string =>
  Number.isNaN(Date.parse(`${wall}Z`)) ? wall : clock.instantOf(`${wall}:00.000`)

type Outcome = { readonly fresh?: string; readonly failed?: KeyFailure; readonly isDone?: boolean }

const show = async ({ flow, queries, actor }: MemberRequest, outcome: Outcome): Promise<Reply> => {
  const { accountId } = actor
  const clock = await clockOf(flow, accountId)
  const wallOf = (endsAt: string | null) => (endsAt === null ? '' : clock.text(endsAt).slice(0, WALL_CHARACTERS))
  const team = actor.actor.isOwner ? await shownTeam(flow, await flow.ledger.team.read(accountId)) : []
  const rows = await queries.sandboxKeys(accountId, SANDBOX_KEYS_SHOWN)
  const sandbox = await Promise.all(rows.map((row) => listed(flow, row)))
  const limitsOf = ({ ends_at, networks }: { ends_at: string | null; networks: string[] | null }) => ({
    endsAt: ends_at,
    endsWall: wallOf(ends_at),
    networks,
  })
  const keys: ShownKey[] = [
    ...team.map(({ id, role, display_name, store_scope, status, ...key }) => {
      return { of: 'sub-key' as const, id, name: display_name, role, stores: store_scope, status, ...limitsOf(key) }
    }),
    ...sandbox.map(({ id, kind, label, status, ...key }) => {
      return { of: 'sandbox' as const, id, name: label, role: kind, stores: [], status, ...limitsOf(key) }
    }),
  ]
  const roles = ROLES.filter((role) => role !== 'custom').map((role) => [role, SEAT_PRICES[role]] as const)
  return keysPage({ ...outcome, member: actor, keys, zone: clock.zone, roles })
}

/** `2026-01-02T03:04`, as fields for times take it. */
const WALL_CHARACTERS = 16
