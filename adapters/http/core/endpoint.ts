import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Capability } from '../../../domain/account/capabilities.ts'
import type { RefusalCode } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Once } from '../../../domain/use-cases/once.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Pictures } from '../../postgres/pictures.ts'
import type { RequestLog } from '../../postgres/requests/request-log.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import type { AuditReads } from './audit-reads.ts'
import type { Actor, AppCaller, BearerCaller, GuestCaller, MemberCaller, PersonCaller } from './caller.ts'
import type { UploadRule } from './upload.ts'

export type { Actor } from './caller.ts'

/** A store that was named by its publishable token (J-AUTH-06). */
export type CloudCaller = { readonly accountId: string; readonly storeId: number }

/**
 * `none`: public, no credential is read. `key`: X-Api-Key. `offered`: public, but a key that is sent has to be a good
 * one. `cloud`: the publishable token of a store in the field or query parameter `cloud`. `shop`: public, in the
 * store that the host or `cloud` in the query names (C-SES-02).
 */
export type Auth = 'none' | 'key' | 'offered' | 'cloud' | 'shop' | SignInAuth

/**
 * Who may call on the sign-in service. `client`: an app and its secret; `app`: also a public one, by its id alone, and
 * what it sends is looked at first (the order of errors of a token request). `bearer`: an app for a user, by an access
 * token. `person`: the user who is signed in with this browser; `visitor`: nobody has to be. A form that a person posts
 * needs the session's `csrf` and has to come from our own pages.
 *
 * At the dashboard, `member`: the member of a seller's account who is signed in with this browser; `guest`: nobody has
 * to be. Every form there needs a `csrf`, also a guest's.
 */
export type SignInAuth = 'client' | 'app' | 'bearer' | 'person' | 'visitor' | 'member' | 'guest'

/**
 * How far a call goes: over the whole account (`account`), or over records of single stores alone (`store`). A key that
 * is limited to stores is refused every call that does not say `store`; a call that says `store` shows and changes only
 * what belongs to the key's stores, or to no store (J-AUTH-04).
 */
type Reach = 'account' | 'store'

/**
 * A call that takes a seller's key, or that a member makes, has to say how far it goes: a right is given, never left
 * over. No other call has a reach.
 */
export type DeclaredReach<A extends Auth> = A extends 'key' | 'offered' | 'member'
  ? { readonly reach: Reach }
  : { readonly reach?: never }

/** The names of the finer limits; how many calls each allows is a setting. */
export type SignInLimit = 'signUp' | 'authorize' | 'userinfo' | 'tokenFailures' | 'balance'

type Callers = {
  none: undefined
  key: Actor
  offered: Actor | undefined
  cloud: CloudCaller
  shop: CloudCaller
  client: AppCaller
  app: AppCaller
  bearer: BearerCaller
  person: PersonCaller
  visitor: PersonCaller | undefined
  member: MemberCaller
  guest: MemberCaller | GuestCaller
}

type Request<P, Q, B, A, H> = {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly headers: H
  readonly actor: A
  /**
   * The network that the caller's address is in, for limits. It is stored nowhere but sealed, in letters that tell
   * somebody from where their email address was given.
   */
  readonly ip: string
  /** Who may share an open challenge: the network, the `User-Agent`, and the `Idempotency-Key` if there is one. */
  readonly caller: string
  /** What the browser says in `Accept-Language`; empty where it says nothing. */
  readonly languages: string
  readonly flow: UseCaseContext
  readonly queries: Queries
  /** Sessions, codes, tokens. */
  readonly signIn: SignInRows
  /** What sellers uploaded. */
  readonly pictures: Pictures
  /** What was called lately. */
  readonly requestLog: RequestLog
  /** Reads the one file that is sent, where the operation takes one. */
  readonly upload: () => Promise<Buffer>
  /** The log itself and what is proved of it. */
  readonly audit: AuditReads
  /** How each connected chain is, by the name of its network, as it was last checked: `ok`, or what is wrong. */
  readonly chainHealth: () => ReadonlyMap<string, { readonly status: string }>
  /** Gives the ids and the things that an `idempotent` operation makes. */
  readonly once: Once
  /**
   * Resolves once what this call has written or seen can be read from rows, or the wait is up. It is for some answers
   * of an operation that does not wait for that anyway.
   */
  readonly shows: () => Promise<void>
  /** Aborts when the service stops: an answer that goes on ends then. */
  readonly stopping: AbortSignal
}

/** A header that is sent several times has a list. */
type Headers = Readonly<Record<string, string | string[]>>

/** An answer that is not 200 with JSON: another status, headers, a page or a stream. */
export class Reply {
  readonly status: number
  readonly body: object | string | Readable
  readonly headers: Headers

  constructor(status: number, body: object | string | Readable, headers: Headers = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/**
 * Who may call, beyond `auth` and `reach`. Unless given, sandbox keys and pages of other origins may not, and nothing
 * more is asked of the others.
 */
type EndpointCallers = {
  /** What a caller that is not the owner must be allowed; nothing unless given. */
  readonly capability?: Capability
  /** Nobody but the owner may do it, whatever else a key is allowed (X-OWN-01). */
  readonly ownerOnly?: true
  /**
   * A member who has a second factor has to have proved it within the last five minutes; `enrolled`: nobody may do it
   * without having one.
   */
  readonly fresh?: true | 'enrolled'
  /** A member may do it who has yet to set up the second factor that the account asks of everybody (N-96). */
  readonly unenrolled?: true
  /**
   * Which sandbox keys may call it: secret ones, or publishable ones too. Not declared: none may (N-28, Q-24). What a
   * publishable one may call, pages of other origins may.
   */
  readonly sandbox?: 'secret' | 'publishable'
  /** The scope that a bearer's token needs. */
  readonly scope?: 'openid' | 'balance'
  /** Pages of other origins may call it from their scripts (CORS), without cookies. */
  readonly crossOrigin?: true
  /**
   * It goes on with what buyers began in a shop, and so answers in the shop of a suspended account, too (N-78). Not
   * declared: a suspended shop is not there.
   */
  readonly finishes?: true
}

/**
 * How often it may be called, where that is not as often as a key, an app or an address may call anything. `address`
 * is a finer limit for each address; on the sign-in service there are also those for each app (`client`) and `token`,
 * and for what fails from an address (`failures`, L-AUT-11).
 */
type EndpointLimits = { readonly [by in 'address' | 'client' | 'token' | 'failures']?: SignInLimit } & {
  /**
   * Calls without a key cost more than looking does, and have a tighter limit by the caller's address: all of them, or
   * those that send one of these headers.
   */
  readonly keyless?: true | readonly string[]
  /**
   * One address calls it for many sellers: their calls are told apart by the path, so that those of one do not hold up
   * another's (L-JSN-12).
   */
  readonly perTarget?: true
  /** A buyer pays by it: it is not refused for what strangers of the same network have written. */
  readonly pays?: true
}

/** The form of its body, where that is not the one that its surface reads. */
type EndpointBody = {
  /** Its body is taken as the text that was sent, under `raw`, because a signature is checked over that text alone. */
  readonly raw?: true
  /** Takes its body as JSON too, where its surface reads forms. */
  readonly json?: true
  /** It takes one file in place of a body (`multipart/form-data`), which is read when it asks for it. */
  readonly upload?: UploadRule
}

/**
 * One operation, declared once: routing, authentication, validation, its OpenAPI entry and the code that answers come
 * from here. What is not declared is as most operations have it. A group that a spread brings is replaced whole by one
 * that is given after it, so a declaration that has both writes all members out.
 */
export type Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  A extends Auth = Auth,
  H extends z.ZodType = z.ZodType,
> = {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  /**
   * Parameters that pick this operation among those on the same path: a value, or true for any. The most specific match
   * answers.
   */
  readonly when?: Readonly<Record<string, string | true>>
  readonly summary: string

  // Who may call it, and how often.
  readonly auth: A
  /** Required of each declaration that takes a seller's key: see `DeclaredReach`. */
  readonly reach?: Reach
  readonly callers?: EndpointCallers
  readonly limits?: EndpointLimits

  // What it reads.
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Headers that it reads, by their names in lower case. */
  readonly headers?: H
  readonly takes?: EndpointBody
  /**
   * Where it passes over names that it does not know, because a protocol or a link that is public has to bear them;
   * elsewhere they are refused, because a misspelt limit would be no limit.
   */
  readonly ignores?: 'query' | 'body' | 'both'

  // What it does.
  /** A GET that changes something: a HEAD, or a browser that only prefetches, does not reach it. */
  readonly acts?: true
  /** It creates something, and takes an Idempotency-Key (X-IDEM-01). */
  readonly idempotent?: true
  /**
   * When it waits for the rows of the read models: until they show what anybody was answered, before it decides for a
   * caller that is known, and before it reads the first row for one that is not; and until they show what it wrote,
   * after it. It waits at both times unless it says one of these. `before`: whoever reads what it writes waits for it.
   * `after`: it decides on the ledger alone, and needs no row. `never`: both hold. `when-behind`: both hold, and it is
   * called so often that it waits where read models or policies are far behind (N-173).
   */
  readonly waits?: 'before' | 'after' | 'never' | 'when-behind'

  // How it answers.
  /**
   * It answers a person with a page, reads forms, and refuses with a page. Callers who prefer HTML get it, unless they
   * send a signed payment or say `agent=1`; others get the operation beside it. `always`: there is no operation
   * beside it, and everybody gets the page.
   */
  readonly page?: true | 'always'
  readonly returns: R
  /** Media type of the 200 answer; JSON unless given. */
  readonly produces?: string
  /** Answers besides 200: what they mean, and their media type when it is not JSON. */
  readonly otherwise?: Readonly<Record<number, { description: string; schema?: z.ZodType }>>
  readonly refusals?: readonly RefusalCode[]
  /** How it words a refusal, where that is not how its surface does. */
  readonly failure?: (code: string, message: string, facts?: Readonly<Record<string, string>>) => object
  readonly answer: (
    request: Request<z.output<P>, z.output<Q>, z.output<B>, Callers[A], z.output<H>>,
  ) => Promise<z.input<R> | Reply>
}

/**
 * What picks an operation among those on its path, as text: `action=refund`, or the name alone where any value picks
 * it.
 */
export const picksOf = ({ when = {} }: Pick<Endpoint, 'when'>): string[] =>
  Object.entries(when).map(([name, value]) => (value === true ? name : `${name}=${value}`))

export const endpoint = <
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  A extends Auth,
  H extends z.ZodType,
>(
  e: Endpoint<P, Q, B, R, A, H> & DeclaredReach<A>,
) => e as unknown as Endpoint
