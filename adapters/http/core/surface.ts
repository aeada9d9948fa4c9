import type { Context } from 'koa'
import type { Refusal, RefusalCode } from '../../../domain/kernel/refusal.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * How one surface words a refusal: HTTP status and stable code. The table is exhaustive, so a new refusal does not
 * compile without an entry.
 */
export type Wire = Readonly<Record<RefusalCode, readonly [status: number, code: string]>>

/** Endpoints that are loaded by the first call of one of their paths: a process that nobody asks for them has none. */
export type LaterEndpoints = {
  /** The beginnings of their paths, `account` or `v1/game`; no other endpoint has a path that begins so. */
  readonly under: readonly string[]
  load(): Promise<readonly Endpoint[]>
}

/** One of the three APIs: its endpoints, how its bodies are written, and how it says no. */
export type Surface = {
  readonly name: 'agent' | 'auth' | 'pay'
  readonly endpoints: readonly Endpoint[]
  readonly later?: readonly LaterEndpoints[]
  /** How request bodies are written. */
  readonly reads: 'json' | 'form'
  /** The path whose operations are picked by the query alone, never by a body. */
  readonly pickedByQuery?: string
  /** Headers of every answer, unless it has its own. */
  readonly headers?: Readonly<Record<string, string>>
  readonly wire: Wire
  /** Further headers of a refusal: they say how a caller has to prove who it is. */
  refusalHeaders?(ctx: Context, refusal: Refusal): Readonly<Record<string, string>>
  /** The error body of this surface. */
  failure(code: string, message: string, facts?: Readonly<Record<string, string>>): object
  /** What a successful answer is wrapped in. */
  success(answer: object): object
}
