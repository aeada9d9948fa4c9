/**
 * The users of an EventStoreDB, over the part of its HTTP interface that stays on without AtomPub. A server without TLS
 * has none.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { readConnectionString } from '../client/connection-string.ts'

type ServerUser = { readonly login: string; readonly groups: readonly string[]; readonly disabled: boolean }

export type ServerUsers = {
  /** Undefined when there is none of that name. */
  find(login: string): Promise<ServerUser | undefined>
  /** The user that the calls are made as. */
  current(): Promise<ServerUser>
  /**
   * Makes a user without any group. Whether there was one has to be asked before: the server gives the same answer for
   * a user that it has already.
   */
  create(login: string, password: string): Promise<void>
  setPassword(login: string, password: string): Promise<void>
  close(): Promise<void>
}

/** Milliseconds of one call at one address, from the connection to the last byte of its answer. */
const CALL_LIMIT_MS = 10_000
const ANSWER_MAX_BYTES = 65_536
/** Redirects that are followed: a follower of a cluster names the leader, which then answers itself. */
const REDIRECTS_MAX = 2

/**
 * The users of the server of a connection string, asked as its user. Throws when the string has none, or no TLS. Calls
 * reject with one sentence, in which there is no password.
 */
export const openServerUsers = (connectionString: string, limitMs = CALL_LIMIT_MS): ServerUsers => {
  const { hosts, user, insecure, authority } = readConnectionString(connectionString)
  if (insecure || !user) throw new Error('a server without TLS knows no users: whoever reaches it may do everything')
  const agent = new Agent({ connect: { timeout: limitMs, ...(authority && { ca: readFileSync(authority) }) } })
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    let failure: unknown
    for (const host of hosts)
      try {
        return await send({ agent, authorization, limitMs }, method, new URL(`https://${host}${path}`), body)
      } catch (error) {
        failure = error
      }
    throw new Error(`the users of ${hosts.join(', ')} cannot be asked: ${(failure as Error).message}`, {
      cause: failure,
    })
  }
  const mustSucceed = (what: string, { status, json }: Answer): Answer => {
    if (status === 401)
      throw new Error(`the server does not know the user ${user.username}, or knows it by another password`)
    if (status === 403) throw new Error(`the user ${user.username} may not ${what}: name an admin of the server`)
    if (status >= 300 || json?.success !== true)
      throw new Error(`the server did not ${what}: it answered ${status} ${String(json?.error ?? '')}`.trim())
    return { status, json }
  }
  return {
    find: async (login) => {
      const answer = await call('GET', `/users/${encodeURIComponent(login)}`)
      return answer.status === 404 ? undefined : userOf(mustSucceed('look up a user', answer))
    },
    current: async () => userOf(mustSucceed('say who is asking', await call('GET', '/users/$current'))),
    create: async (login, password) => {
      mustHavePassword(password)
      const wish = { loginName: login, fullName: 'Daybook', groups: [], password }
      mustSucceed('make a user', await call('POST', '/users/', wish))
    },
    setPassword: async (login, newPassword) => {
      mustHavePassword(newPassword)
      const path = `/users/${encodeURIComponent(login)}/command/reset-password`
      mustSucceed('set a password', await call('POST', path, { newPassword }))
    },
    close: () => agent.close(),
  }
}

/** Throws for an empty password, which the server itself would take. */
const mustHavePassword = (password: string) => {
  if (password === '') throw new Error('a user needs a password')
}

type Answer = { readonly status: number; readonly json: UserAnswer | undefined }
type UserAnswer = { readonly success?: unknown; readonly error?: unknown; readonly data?: unknown }

const send = async (
  {
    agent,
    authorization,
    limitMs,
  }: { readonly agent: Agent; readonly authorization: string; readonly limitMs: number },
  method: 'GET' | 'POST',
  to: URL,
  body: object | undefined,
): Promise<Answer> => {
  const signal = AbortSignal.timeout(limitMs)
  let url = to
  for (let redirects = 0; ; redirects++) {
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(url, {
      method,
      signal,
      dispatcher: agent,
      headers: { authorization, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await bounded(answer)
    const location = statusCode === 307 && redirects < REDIRECTS_MAX ? headers.location : undefined
    if (typeof location !== 'string') return { status: statusCode, json: parsed(text) }
    url = new URL(location, url)
    // The password goes nowhere without TLS.
    if (url.protocol !== 'https:') throw new Error(`the server sends its callers to ${url.host} without TLS`)
  }
}

const bounded = async (answer: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer) {
    bytes += part.length
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`the server answered with more than ${ANSWER_MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const parsed = (text: string): UserAnswer | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}

const userOf = ({ json }: Answer): ServerUser => {
  const { loginName, groups, disabled } = (json?.data ?? {}) as Readonly<Record<string, unknown>>
  if (typeof loginName !== 'string') throw new Error('the server answered for a user without its name')
  return { login: loginName, groups: Array.isArray(groups) ? groups.map(String) : [], disabled: disabled === true }
}
