/** Auth.js on Express, with its own defaults and with `state` switched on. */
import { ExpressAuth, getSession } from '@auth/express'
import type { Express } from 'express'
import type { Provider } from './sign-in.ts'

export const authJs = (app: Express, { issuer, id, secret }: Provider, origin: string): void => {
  app.set('trust proxy', true)
  const checked = { authjs: ['pkce', 'state'], 'authjs-readme': undefined } as const
  for (const [name, checks] of Object.entries(checked)) {
    const config = {
      secret: 'a secret of this app, for its cookies alone',
      trustHost: true,
      basePath: `/${name}`,
      providers: [
        {
          id: 'daybook',
          name: 'Daybook',
          type: 'oidc' as const,
          issuer,
          clientId: id,
          clientSecret: secret,
          ...(checks && { checks: [...checks] }),
        },
      ],
      callbacks: {
        session: ({ session, token }: { session: object; token: { sub?: string } }) => ({ ...session, sub: token.sub }),
      },
      // What Auth.js writes into the log of the app, where `debug` is on: it has what the provider has said.
      debug: true,
      logger: {
        error: (error: Error) => heard(name, reasonOf(error)),
        warn() {},
        debug: (what: string, facts: unknown) => heard(name, `${what} ${JSON.stringify(facts)}`),
      },
    }
    app.get(`/${name}/me`, async (request, response) => {
      response.json({ ...(await getSession(request, config as never)), origin, log: log.get(name) })
    })
    app.use(`/${name}/*`, ExpressAuth(config as never))
  }
}

const log = new Map<string, string>()
const heard = (name: string, words: string) => void log.set(name, `${log.get(name) ?? ''}${words}\n`)
const reasonOf = (error: Error): string => {
  const { err } = (error.cause ?? {}) as { err?: Error }
  return [error.message, ...(err ? [reasonOf(err)] : [])].join('; ')
}
