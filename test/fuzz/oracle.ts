/** What has to hold of every answer, whatever was asked. */
import assert from 'node:assert/strict'
import { conforms, declaredAt, type Holding } from '../http/strict.ts'
import type { Wire } from './requests.ts'
import { HANG_MS, type Heard } from './send.ts'

const holding: Holding = {
  deepEqual: (actual, expected, what) => assert.deepEqual(actual, expected, what),
  true: (actual, what) => assert.equal(actual, true, what),
  not: (actual, expected, what) => assert.notEqual(actual, expected, what),
}

/** What is wrong with an answer; undefined when it is in order. */
export const faultOf = (wire: Wire, answer: Heard): string | undefined => {
  const { status, ms } = answer
  if (ms > HANG_MS) return `it took ${Math.round(ms)} ms`
  if (isParsers(wire, answer)) return undefined
  if (status >= 500 && !isDeclared(wire, answer)) return `it answered ${status}`
  try {
    inShape(wire, answer)
    return undefined
  } catch (error) {
    return (error as Error).message.slice(0, 2_000)
  }
}

/** Bytes of an address and its headers that Node reads, less what it adds to them by itself. */
const HEAD_MAX_BYTES = 16_384 - 512
/** What a header or an address of HTTP/1.1 may not hold (RFC 9110 §5.5, RFC 9112 §3.2). */
const UNREADABLE = /[^\t\x20-\x7e\x80-\xff]/

/** Node's own reader of HTTP refuses what it cannot read, before anything of ours sees it. */
const isParsers = ({ path, headers }: Wire, { status, headers: said }: Heard): boolean => {
  if (said.get('x-request-id') !== null) return false
  const head = [path, ...Object.entries(headers).flat()].join('')
  return (status === 431 && head.length >= HEAD_MAX_BYTES) || (status === 400 && UNREADABLE.test(head))
}

/** The 5xx that callers are told of: try again in a moment, or when something comes free. */
const isDeclared = ({ path }: Wire, { status, json, headers }: Heard): boolean =>
  status === 503 &&
  headers.get('retry-after') !== null &&
  (path.startsWith('/readyz') ||
    /^text\/html/.test(headers.get('content-type') ?? '') ||
    ['svc_unavailable', 'svc_busy', 'temporarily_unavailable'].includes(json?.error_code ?? json?.error))

const inShape = (wire: Wire, answer: Heard): void => {
  const { status, headers, text } = answer
  const type = headers.get('content-type') ?? ''
  if (/^application\/json(;|$)/.test(type))
    conforms(holding, wire.method, wire.path.split('#')[0] ?? '', fieldsOf(wire), answer)
  else if (status >= 400 && wire.method !== 'HEAD') {
    assert.match(type, /^text\/html/, 'a refusal is JSON, or a page')
    assert.match(text, /<h1/, 'it tells a person what is wrong')
    assert.notEqual(headers.get('content-security-policy'), null, 'a page has its headers')
  }
  assert.equal(headers.get('x-powered-by'), null)
}

/** What may pick an operation in a body. */
const fieldsOf = ({ headers, body }: Wire): unknown => {
  const text = body?.toString('utf8') ?? ''
  if (!/json/.test(headers['content-type'] ?? '')) return text
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/**
 * What a call was named by the service, where it was refused. A demand for payment is no refusal, and a 503 may come
 * after a write.
 */
export const refusedId = ({ method, path }: Wire, { status, headers, json }: Heard): string | undefined => {
  if (status < 400 || status >= 500) return undefined
  const { endpoint } = declaredAt(method, path.split('?')[0] ?? '', {})
  const asks = endpoint?.otherwise?.[status]?.schema?.safeParse(json).success
  return asks ? undefined : (headers.get('x-request-id') ?? undefined)
}
