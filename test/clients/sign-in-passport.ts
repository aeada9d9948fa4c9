/** Passport, by its strategies for OpenID Connect, which has no PKCE, and for OAuth 2.0, which has it as an option. */
import type { Express, Request, Response } from 'express'
import { Passport, type Strategy } from 'passport'
import OAuth2Strategy from 'passport-oauth2'
import OpenIDConnectStrategy from 'passport-openidconnect'
import type { Person, Provider } from './sign-in.ts'

type Make = (provider: Provider, callbackURL: string) => Strategy

export const passportOpenidConnect: Make = ({ issuer, id, secret }, callbackURL) =>
  new OpenIDConnectStrategy(
    {
      issuer,
      authorizationURL: `${issuer}/oauth2?op=authorize`,
      tokenURL: `${issuer}/oauth2?op=token`,
      userInfoURL: `${issuer}/oauth2?op=userinfo`,
      clientID: id,
      clientSecret: secret,
      callbackURL,
      scope: ['email'],
    },
    ((_issuer: string, profile: { id: string }, done: (error: null, user: Person) => void) =>
      done(null, { sub: profile.id })) as never,
  ) as never

export const passportOauth2: Make = ({ issuer, id, secret }, callbackURL) => {
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${issuer}/oauth2?op=authorize`,
      tokenURL: `${issuer}/oauth2?op=token`,
      clientID: id,
      clientSecret: secret,
      callbackURL,
      scope: ['openid', 'email'],
      state: true,
      pkce: true,
    } as never,
    ((_access: string, _refresh: string, profile: Person, done: (error: null, user: Person) => void) =>
      done(null, profile)) as never,
  )
  strategy.userProfile = (token: string, done: (error: unknown, profile?: Person) => void) => {
    fetch(`${issuer}/oauth2?op=userinfo`, { headers: { authorization: `Bearer ${token}` } })
      .then((answer) => answer.json() as Promise<Person>)
      .then(
        (person) => done(null, person),
        (error: unknown) => done(error),
      )
  }
  return strategy
}

export const byPassport = (
  app: Express,
  makers: { readonly passportOpenidConnect: Make; readonly passportOauth2: Make },
  provider: Provider,
  origin: string,
  failed: (response: Response, error: unknown) => unknown,
): void => {
  const strategies = {
    'passport-openidconnect': makers.passportOpenidConnect,
    'passport-oauth2': makers.passportOauth2,
  }
  for (const [name, make] of Object.entries(strategies)) {
    const passport = new Passport()
    passport.use(name, make(provider, `${origin}/${name}/cb`))
    app.use(`/${name}`, passport.initialize())
    const step = (request: Request, response: Response) =>
      passport.authenticate(name, { session: false }, (error: unknown, person?: Person, info?: unknown) =>
        person ? response.json(person) : failed(response, error ?? info),
      )(request, response, (error: unknown) => failed(response, error))
    app.get(`/${name}/login`, step)
    app.get(`/${name}/cb`, step)
  }
}
