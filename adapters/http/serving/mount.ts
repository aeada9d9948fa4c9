import type { Context } from 'koa'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { noteSandboxKeyUse } from '../../../domain/use-cases/account/sandbox-keys.ts'
import type { OutsidePorts, UseCaseContext } from '../../../domain/use-cases/context.ts'
import { type Once, onceOf } from '../../../domain/use-cases/once.ts'
import type { OpenLedger } from '../../../domain/write-side/ledger.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Pictures } from '../../postgres/pictures.ts'
import type { RequestLog } from '../../postgres/requests/request-log.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import { cloudCaller } from '../core/actor.ts'
import type { AuditReads } from '../core/audit-reads.ts'
import { type Auth, type Endpoint, Reply, type SignInAuth } from '../core/endpoint.ts'
import { networkOf } from '../core/network-of.ts'
import type { Surface } from '../core/surface.ts'
import type { UploadedForm } from '../core/upload.ts'
import { admitAddress, admitCaller, admittedToSignIn, type CallLimits, failuresOf } from './admission.ts'
import { loggedMember } from './caller-names.ts'
import { causeOf } from './cause.ts'
import { keyedBy } from './idempotency.ts'
import { isShared, sayMethods } from './methods.ts'
import { mustNameOneHost } from './one-host.ts'
import { likelyOperation, pickedBy, readOperation } from './reading.ts'
import { receiveText } from './receive-text.ts'
import type { Routes } from './routes.ts'
import { atThisHost, type Operations, shopCaller } from './shop-hosts.ts'
import { allowanceOf } from './stranger-bytes.ts'
import { fileIn, formOf, uploaded } from './uploads.ts'
import { validRequest } from './validation.ts'

export type Service = {
  readonly openLedger: OpenLedger
  readonly outside: OutsidePorts
  readonly queries: Queries
  readonly limits: CallLimits
  readonly signIn: SignInRows
  readonly audit: AuditReads
  readonly pictures: Pictures
  readonly requestLog: RequestLog
  readonly chainHealth: () => ReadonlyMap<string, { readonly status: string }>
  /** Queries that wait, before a row is read that is not kept in memory, until it shows what anybody was answered. */
  shown(): Queries
  /** True once everything that any process has answered by can be read; false when the wait is up. */
  current(): Promise<boolean>
  /**
   * Resolves once what was written up to a log position can be read, or the wait is up; `kept` is the newest up to
   * there in a stream that other processes keep.
   */
  settled(position: bigint, kept: bigint): Promise<void>
  /** Resolves once no process answers any more by what it kept from before an event of such a stream. */
  heard(kept: bigint): Promise<void>
  /** Resolves once what follows from writes is not far behind a position; at once as a rule. */
  keepUp(position: bigint): Promise<void>
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

/**
 * Puts every endpoint of a surface among the routes: match, authenticate, allow, validate, answer, and wait until its
 * own writes show.
 */
export const mount = (routes: Routes, surface: Surface, service: Service): void => {
  for (const { under, load } of surface.later ?? [])
    routes.later(under, async () => mount(routes, { ...surface, endpoints: await load(), later: [] }, service))
  const handler = (all: Operations) => async (ctx: Context) => {
    const operations = atThisHost(ctx, all, service)
    ctx.state.surface = surface
    ctx.set(surface.headers ?? {})
    const [{ path }] = operations
    // Where a body picks the operation, an OPTIONS means all of them, because it has no body; and it means those of all
    // methods of its path.
    const byQuery = path === surface.pickedByQuery
    if (ctx.method === 'OPTIONS')
      return sayMethods(
        ctx,
        byQuery ? pickedBy(operations, ctx.query) : surface.endpoints.filter((e) => e.path === path),
      )
    ctx.state.endpoint =
      likelyOperation(ctx, operations, surface) ?? (operations.length === 1 ? operations[0] : undefined)
    mustNameOneHost(ctx)
    await receiveText(ctx)
    await answer(ctx, operations, surface, service)
  }
  for (const operations of byRoute(surface.endpoints)) {
    const [{ path, method }] = operations
    if (path === surface.pickedByQuery) continue
    const shared = operations.some(isShared) ? ['OPTIONS'] : []
    routes.on(path, [method.toUpperCase(), ...shared], handler(operations))
  }
  const [first, ...rest] = surface.endpoints
    .filter(({ path }) => path === surface.pickedByQuery)
    .toSorted(bySpecificity)
  if (first) routes.on(first.path, [], handler([first, ...rest]))
}

const answer = async (ctx: Context, operations: Operations, surface: Surface, service: Service) => {
  const { e, query, body } = readOperation(ctx, operations, surface)
  if (e.acts && (ctx.method === 'HEAD' || /prefetch/.test(`${ctx.get('purpose')} ${ctx.get('sec-purpose')}`))) {
    ctx.set('Allow', e.method.toUpperCase())
    throw new Refusal('method-not-allowed', 'This link has to be followed with a plain GET.')
  }
  const validated = (fields: object = body) =>
    validRequest(e, surface, { params: ctx.params, query, body: fields, headers: ctx.headers })
  const { limits } = service
  if (isSignIn(e)) await admitAddress(ctx, e, limits)
  const early = e.auth === 'app' ? validated() : undefined
  const key =
    isSignIn(e) || NAMES_STORE.has(e.auth)
      ? undefined
      : await admitCaller(ctx, e, credential(ctx, surface, body), service)
  const shop = NAMES_STORE.has(e.auth) ? await named(ctx, e, { query, body }, service) : undefined
  const failing = failuresOf(ctx, e, limits)
  const caller = isSignIn(e) ? await failing.counted(signedIn(ctx, e, body, service)) : undefined
  if (caller?.kind === 'member' && e.method !== 'get') ctx.state.caller = loggedMember(caller)
  const isKnown = key !== undefined || (caller !== undefined && caller.kind !== 'guest')
  // A merchant reads what an earlier call wrote, in whichever process, and also when that call's own wait was up before
  // it showed. Of strangers those wait who read a row.
  if (isKnown && waits(e, 'before')) await service.current()
  const queries = !isKnown && waits(e, 'before') ? service.shown() : service.queries
  const idempotent = e.idempotent && (key ?? shop)
  const once = onceOf(service.outside, idempotent && keyedBy(ctx, idempotent, e, body))
  const sent = caller?.kind === 'member' ? await formOf(ctx, e, caller.csrf) : undefined
  const given = early ?? validated(sent?.fields)
  const network = networkOf(ctx.ip)
  const call = { requestId: ctx.state.requestId as string, network, writes: e.method !== 'get' }
  const cause = await causeOf({ key, shop, caller }, call, service.outside.vault)
  const session = service.openLedger(
    cause,
    isKnown ? undefined : allowanceOf(limits.strangerBytes, network, e.limits?.pays),
  )
  const flow = { ...service.outside, ledger: session.ledger }
  const shows = () => service.settled(session.position(), session.kept())
  try {
    const actor = (key ?? shop ?? caller) as never
    const request = requestOf(ctx, e, service, { given, actor, network, flow, queries, once, shows, sent })
    const answered = await failing.counted(e.answer(request))
    if (once.replayed()) ctx.set('Idempotency-Replayed', 'true')
    // What was answered is not taken back because its use could not be noted, or its key was revoked meanwhile.
    if (key?.testOnly) await noteSandboxKeyUse(flow, key.accountId, key.keyId).catch(() => {})
    send(ctx, answered, surface)
  } finally {
    await (waits(e, 'after') ? shows() : leaves(e, session, service))
  }
}

/** What other processes keep must not be older than any answer; and who sells does not outrun what follows from it. */
const leaves = async (
  e: Endpoint,
  { position, kept }: Pick<ReturnType<OpenLedger>, 'position' | 'kept'>,
  service: Service,
) => {
  await service.heard(kept())
  if (e.waits === 'when-behind') await service.keepUp(position())
}

type CallParts = {
  readonly given: ReturnType<typeof validRequest>
  readonly actor: never
  readonly network: string
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly once: Once
  readonly shows: () => Promise<void>
  readonly sent: UploadedForm | undefined
}

/** Written out, because a spread of two objects costs a call more than all that it then decides. */
const requestOf = (
  ctx: Context,
  e: Endpoint,
  service: Service,
  { given, actor, network, flow, queries, once, shows, sent }: CallParts,
) => ({
  params: given.params,
  query: given.query,
  body: given.body,
  headers: given.headers,
  actor,
  ip: network,
  caller: callerOf(ctx, network),
  languages: ctx.get('accept-language'),
  flow,
  queries,
  signIn: service.signIn,
  audit: service.audit,
  pictures: service.pictures,
  requestLog: service.requestLog,
  chainHealth: service.chainHealth,
  upload: () => (sent ? fileIn(sent) : uploaded(ctx, e)),
  once,
  shows,
  stopping: service.stopping,
})

/** Whether an operation waits for the rows before it decides, or after. */
const waits = (e: Endpoint, when: 'before' | 'after'): boolean => e.waits === undefined || e.waits === when

/**
 * The text by which anonymous callers are told apart: the network, the program, and the name that they give a call so
 * that its repeat is known.
 */
const callerOf = (ctx: Context, network: string): string =>
  JSON.stringify([network, ctx.get('user-agent').slice(0, NAME_MAX), ctx.get('idempotency-key').slice(0, NAME_MAX)])

/** Characters of what a caller says of itself that count. */
const NAME_MAX = 256

const isSignIn = ({ auth }: Endpoint): boolean => SIGN_IN.includes(auth)
const SIGN_IN: readonly string[] = [
  'client',
  'app',
  'bearer',
  'person',
  'visitor',
  'member',
  'guest',
] satisfies readonly SignInAuth[]

const signedIn = (ctx: Context, e: Endpoint, body: object, { openLedger, outside, signIn, limits }: Service) => {
  const { ledger } = openLedger({ actor: 'admission', correlationId: ctx.state.requestId as string })
  return admittedToSignIn(ctx, e, body, { outside, rows: signIn, ledger, limits })
}

/** The store that a call names; the call counts against the limit of the address that it comes from. */
const named = async (
  ctx: Context,
  { auth, callers }: Endpoint,
  { query, body }: { query: { cloud?: unknown }; body: { cloud?: unknown } },
  service: Service,
) => {
  await service.limits.address.take(networkOf(ctx.ip))
  if (auth === 'cloud') return cloudCaller(service, { ...query, ...body }.cloud)
  const named = { cloud: query.cloud, host: ctx.hostname, shop: service.outside.origins.shop }
  return shopCaller(service, named, callers?.finishes ?? false)
}

const NAMES_STORE: ReadonlySet<string> = new Set(['cloud', 'shop'] satisfies readonly Auth[])

const send = (ctx: Context, answered: unknown, surface: Surface) => {
  if (answered instanceof Reply) {
    ctx.status = answered.status
    ctx.set(answered.headers)
    ctx.body = answered.body
  } else ctx.body = surface.success(answered as object)
}

/** The header wins over the form field that document 3 also accepts. */
const credential = (ctx: Context, surface: Surface, body: object): string => {
  const field = surface.reads === 'form' ? (body as Record<string, unknown>)['api-key'] : undefined
  return ctx.get('x-api-key') || (typeof field === 'string' ? field : '')
}

/** Operations that share a method and path, the most specific first. */
export const byRoute = (endpoints: readonly Endpoint[]): Operations[] => {
  const routes = new Map<string, [Endpoint, ...Endpoint[]]>()
  for (const e of endpoints.toSorted(bySpecificity)) {
    const key = `${e.method} ${e.path}`
    const found = routes.get(key)
    if (found) found.push(e)
    else routes.set(key, [e])
  }
  return [...routes.values()]
}

const bySpecificity = (a: Endpoint, b: Endpoint): number => specificity(b) - specificity(a)

/** Pages come first: a caller who may have one prefers it. */
const specificity = ({ when = {}, page }: Endpoint) => Object.keys(when).length + (page ? PAGE_FIRST : 0)
const PAGE_FIRST = 100
