/* Asks the service. The key is sent in its header alone, and lives in this tab. */

const KEPT = 'daybook-audit-key'
/** Milliseconds to wait for an answer: longer than the service itself takes to say that it has none. */
const ANSWER_MAX_MS = 30_000
/**
 * Tries of one call. A service that is asked too much at once says how long to wait; the checks of one page are done
 * well before the tries are used up.
 */
const TRIES_MAX = 8
const WAIT_MAX_S = 10

let key = sessionStorage.getItem(KEPT) ?? ''

export const hasKey = () => key !== ''

export const useKey = (given, keep) => {
  key = given
  if (keep) sessionStorage.setItem(KEPT, given)
  else sessionStorage.removeItem(KEPT)
}

export const forgetKey = () => {
  key = ''
  sessionStorage.removeItem(KEPT)
}

/** What the service refused, or did not answer. */
export class Failed extends Error {
  name = 'Failed'
  constructor(message, { status, code, waitS = 1 } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.waitS = waitS
  }
}

/** The JSON that a call answers. Asks again when it was too much at once. Rejects with Failed. */
export const ask = async (path, query = {}, signal = undefined) => {
  for (let tries = 1; ; tries++) {
    try {
      return await once(path, query, signal)
    } catch (error) {
      if (error.status !== 429 || tries === TRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, error.waitS * 1_000))
    }
  }
}

const once = async (path, query, signal) => {
  const limit = AbortSignal.timeout(ANSWER_MAX_MS)
  const response = await send(path, query, signal ? AbortSignal.any([limit, signal]) : limit)
  try {
    return await response.json()
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Failed('The answer could not be read. Perhaps the connection broke.')
  }
}

/** The response itself, for what is too large to be held as one. Rejects with Failed. */
export const send = async (path, query, signal) => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''))
  let response
  try {
    response = await fetch(`${path}?${search}`, { headers: { 'X-Api-Key': key }, cache: 'no-store', signal })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Failed('The service cannot be reached right now. Look at your connection and try again.')
  }
  if (!response.ok) throw await refusalOf(response)
  return response
}

const refusalOf = async (response) => {
  const { message, error_code: code } = await response.json().catch(() => ({}))
  const { status } = response
  const waitS = Math.min(WAIT_MAX_S, Number(response.headers.get('retry-after')) || 1)
  return new Failed(message ?? `The service answered ${status}.`, { status, code, waitS })
}

/** Runs a job for each item of a list, `together` of them at once. */
export const each = async (list, together, job) => {
  const left = [...list]
  const run = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await job(next)
  }
  await Promise.all(Array.from({ length: together }, run))
}
