/**
 * Web apps that let people sign in, each by a client that others make, set up as its README says: `/<client>/login`
 * leads away, and `/<client>/cb` answers who came back, or why nobody did. Argument: `{ issuer, id, secret }` as JSON.
 * The process prints `{ origin, apps }`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import session from 'express-session'
import { authJs } from './sign-in-authjs.ts'
import { oauth4webapi, oauth4webapiByReadme, openidClient, openidClientByReadme } from './sign-in-oidc.ts'
import { byPassport, passportOauth2, passportOpenidConnect } from './sign-in-passport.ts'
import { simpleOauth2, simpleOauth2ByReadme } from './sign-in-simple.ts'

export type Provider = { readonly issuer: string; readonly id: string; readonly secret: string }
/** Who has signed in, as far as the client has found out. */
export type Person = { readonly sub?: unknown; readonly email?: unknown }
/** What an app keeps of a visitor between the two. */
export type Kept = Record<string, string>

/** A client whose app does the two steps by itself. */
export type SignInClient = (
  provider: Provider,
  callback: string,
) => {
  begin(kept: Kept): Promise<string>
  finish(kept: Kept, url: URL): Promise<Person>
}

const clients: Readonly<Record<string, SignInClient>> = {
  'openid-client': openidClient,
  'openid-client-readme': openidClientByReadme,
  oauth4webapi,
  'oauth4webapi-readme': oauth4webapiByReadme,
  'simple-oauth2': simpleOauth2,
  'simple-oauth2-readme': simpleOauth2ByReadme,
}

const provider: Provider = JSON.parse(process.argv[2] ?? '{}')
const app = express()
const server = createServer(app)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://localhost:${(server.address() as AddressInfo).port}`

app.use(session({ secret: 'kept by nobody', resave: false, saveUninitialized: true, name: 'app' }))
const keptOf = (request: Request): Kept => {
  const own = request.session as unknown as { kept?: Kept }
  own.kept ??= {}
  return own.kept
}
/** The page of the app itself on which a sign-in fails. */
const failed = (response: Response, error: unknown) =>
  response.status(500).send(`This app says: ${reasonOf(error).join('; ')}`)

/** What an error and those that caused it say. */
const reasonOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return [JSON.stringify(error)]
  const own = Object.entries(error).flatMap(([name, value]) => (typeof value === 'string' ? [`${name} ${value}`] : []))
  return [error.message, ...own, ...(error.cause === undefined ? [] : reasonOf(error.cause))]
}

for (const [name, make] of Object.entries(clients)) {
  const client = make(provider, `${origin}/${name}/cb`)
  app.get(`/${name}/login`, (request, response) => {
    client.begin(keptOf(request)).then(
      (url) => response.redirect(url),
      (error: unknown) => failed(response, error),
    )
  })
  app.get(`/${name}/cb`, (request, response) => {
    client.finish(keptOf(request), new URL(request.originalUrl, origin)).then(
      (person) => response.json(person),
      (error: unknown) => failed(response, error),
    )
  })
}
byPassport(app, { passportOpenidConnect, passportOauth2 }, provider, origin, failed)
authJs(app, provider, origin)

process.stdout.write(`${JSON.stringify({ origin })}\n`)
