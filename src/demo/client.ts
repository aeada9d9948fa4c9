/** A plain HTTP client of the JSON API, as a merchant would write it. */
import { describe } from '../console/failures.ts'

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the service said.
export type Answer = { status: number; headers: Headers; text: string; json: any }
export type CallOptions = { key?: string | undefined; body?: unknown; headers?: Record<string, string> }

export type Client = {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The JSON of an answer that must be 200. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  json(method: string, path: string, options?: CallOptions): Promise<any>
  /** Follows a link that came by mail. */
  follow(link: string): Promise<Answer>
}

/** One request and its answer; rejects where none came within so many milliseconds. */
export type Send = (
  url: URL,
  request: { method: string; headers: Record<string, string>; body?: string },
  limitMs: number,
) => Promise<Pick<Response, 'status' | 'headers' | 'text'>>

const CALL_MS = 30_000

const fetched: Send = (url, request, limitMs) =>
  fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(limitMs) })

/**
 * `origin` is asked at every call, so that a service that was started again may have moved.
 * @param limitMs milliseconds that a call may take
 */
export const createClient = (origin: () => string, limitMs = CALL_MS, send = fetched): Client => {
  const call = async (method: string, path: string, { key, body, headers }: CallOptions = {}): Promise<Answer> => {
    const request = {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const response = await send(new URL(path, origin()), request, limitMs).catch((error: Error) => {
      throw new Error(`${method} ${path} got no answer: ${describe(error.cause ?? error)}`, { cause: error })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }
  return {
    call,
    async json(method, path, options) {
      const answer = await call(method, path, options)
      if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
      return answer.json
    },
    follow: (link) => call('GET', new URL(link).pathname + new URL(link).search),
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
