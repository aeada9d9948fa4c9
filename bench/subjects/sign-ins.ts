/** A browser and an app that sign one user in again and again: silently to a code, and from the code to tokens. */
import { Pool } from 'undici'
import { answering } from '../answering.ts'
import { fly } from '../flight.ts'
import { CHALLENGE, REDIRECT_URI, STATE, VERIFIER } from '../sign-ins.ts'

export type SigningIn = {
  /** The authorization and the token endpoint; their queries are kept. */
  readonly authorize: string
  readonly token: string
  readonly clientId: string
  readonly clientSecret: string
  /** The cookie of a browser that is signed in; without it the first request has to sign it in by itself. */
  readonly cookie?: string
  readonly inFlight: number
  /** Milliseconds of silent requests for a code; or, with `codes`, the number of codes that are redeemed for tokens. */
  readonly ms?: number
  readonly codes?: number
}

const REDIRECTS_MAX = 10

const signIn = async (asked: SigningIn) => {
  const { origin } = new URL(asked.authorize)
  const pool = new Pool(origin, { connections: asked.inFlight, pipelining: 1 })
  try {
    const cookie = asked.cookie ?? (await signedIn(asked))
    const code = async () => codeIn(await get(pool, pathOf(asked, 'none'), cookie))
    if (asked.codes === undefined) return await fly({ inFlight: asked.inFlight, ms: asked.ms ?? 1_000 }, code)
    const codes: string[] = []
    await fly({ inFlight: asked.inFlight, count: asked.codes }, async () => void codes.push(await code()))
    const { pathname, search } = new URL(asked.token)
    const redeem = () => redeemed(pool, `${pathname}${search}`, asked, codes.pop() ?? '')
    return await fly({ inFlight: asked.inFlight, count: codes.length }, redeem)
  } finally {
    await pool.close()
  }
}

const pathOf = ({ authorize, clientId }: SigningIn, prompt: 'none' | undefined): string => {
  const url = new URL(authorize)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    state: STATE,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    nonce: 'a-nonce',
    ...(prompt && { prompt }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return `${url.pathname}${url.search}`
}

const get = async (pool: Pool, path: string, cookie: string): Promise<string> => {
  const { statusCode, headers, body } = await pool.request({ method: 'GET', path, headers: { cookie } })
  await body.dump()
  if (statusCode !== 302 && statusCode !== 303) throw new Error(`a silent request was answered ${statusCode}`)
  return String(headers.location)
}

const codeIn = (location: string): string => {
  const code = new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`no code in ${location}`)
  return code
}

const redeemed = async (pool: Pool, path: string, { clientId, clientSecret }: SigningIn, code: string) => {
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    client_id: clientId,
    client_secret: clientSecret,
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(fields).toString()
  const answer = await pool.request({ method: 'POST', path, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200 || !/"id_token"/.test(text))
    throw new Error(`a code was answered ${answer.statusCode}: ${text}`)
}

/** Follows the redirects of a first sign-in, which the peer makes without a page, and keeps the cookies. */
const signedIn = async (asked: SigningIn): Promise<string> => {
  const jar = new Map<string, string>()
  const { origin } = new URL(asked.authorize)
  let at = `${origin}${pathOf(asked, undefined)}`
  for (let n = 0; n < REDIRECTS_MAX && at.startsWith(origin); n++) {
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie: written(jar) } })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    at = new URL(answer.headers.get('location') ?? at, at).href
  }
  codeIn(at)
  return written(jar)
}

const written = (jar: ReadonlyMap<string, string>): string => [...jar].map((pair) => pair.join('=')).join('; ')

await answering<SigningIn>(signIn)
