/** Which address is the app's own: the table of everything that looks like it and is not. */
import test from 'ava'
import fc from 'fast-check'
import { isLive, isLivePostLogout, redirectUriFault } from '../../domain/signin/redirect-uris.ts'

const RULES = { developmentApps: true }
const verified = { token: 't', status: 'verified' } as const
const domains = { 'app.test': verified, 'lapsed.test': { ...verified, status: 'lapsed' } } as const
const OWN = 'https://app.test/cb'
const web = { confidential: true, domains, redirectUris: [OWN, 'https://app.test/cb?a=1', 'https://sub.app.test/cb'] }
const local = { confidential: false, domains: {}, redirectUris: ['http://127.0.0.1:5000/cb', 'http://127.0.0.1/bare'] }

/** What looks like one of them and is not. */
const alike = [
  'https://APP.test/cb',
  'HTTPS://app.test/cb',
  'https://app.test/CB',
  'https://app.test/Cb',
  'https://app.test:443/cb',
  'https://app.test:8443/cb',
  'https://app.test:/cb',
  'https://app.test/cb/',
  'https://app.test//cb',
  'https://app.test/cb/..',
  'https://app.test/./cb',
  'https://app.test',
  'https://user@app.test/cb',
  'https://user:pw@app.test/cb',
  'https://app.test@evil.test/cb',
  'https://app.test./cb',
  'https://app.test/cb#',
  'https://app.test/cb#f',
  'https://app.test/cb?',
  'https://app.test/cb?a=1&b=2',
  'https://app.test/cb?a=%31',
  'https://app.test/%63b',
  'https://app.test/cb%20',
  'https://%61pp.test/cb',
  'https://app.test/cb%2f',
  'https://app.test/cb%00',
  'http://app.test/cb',
  '//app.test/cb',
  '/cb',
  'https:/app.test/cb',
  'https:app.test/cb',
  'https:\\\\app.test\\cb',
  'https://xapp.test/cb',
  'https://app.test.evil.test/cb',
  'https://evil.test/https://app.test/cb',
  ' https://app.test/cb',
  'https://app.test/cb\n',
  'https://app.test/c\tb',
  'javascript:alert(1)',
  'data:text/html,x',
  '',
  'https://other.app.test/cb',
  'https://sub.sub.app.test/cb',
]

test('X-EXACT-01 A-OID-02 a redirect URI is compared letter by letter', (t) => {
  for (const uri of web.redirectUris) t.true(isLive(uri, web, RULES), uri)
  for (const uri of alike) {
    t.false(isLive(uri, web, RULES), uri)
    t.false(isLivePostLogout(uri, { ...web, postLogoutUris: [OWN] }, RULES), uri)
  }
})

test('A-CLI-03 of a loopback address the port alone may be another', (t) => {
  const own = [
    'http://127.0.0.1:5000/cb',
    'http://127.0.0.1:1/cb',
    'http://127.0.0.1:65535/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:9/bare',
  ]
  for (const uri of own) t.true(isLive(uri, local, RULES), uri)
  const close = [
    'http://127.0.0.1:5000/cb/',
    'http://127.0.0.1:5000/CB',
    'http://127.0.0.1:5000/cb?x=1',
    'http://127.0.0.1:5000/cb#f',
    'http://127.0.0.1:5000',
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:x/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:-1/cb',
    'https://127.0.0.1:5000/cb',
    'http://localhost:5000/cb',
    'http://127.0.0.2:5000/cb',
    'http://[::1]:5000/cb',
    'http://127.1:5000/cb',
    'http://127.0.0.1:5000@evil.test/cb',
    'http://evil.test#@127.0.0.1:5000/cb',
    'http://127.0.0.1:5000\\@evil.test/cb',
    'http://u@127.0.0.1:5000/cb',
    'http://2130706433:5000/cb',
    'http://0x7f.1:5000/cb',
    'http://127.0.0.1.evil.test:5000/cb',
    'http://127.0.0.1%2eevil.test/cb',
  ]
  for (const uri of close) t.false(isLive(uri, local, RULES), uri)
  t.false(isLive('http://127.0.0.1:5000/cb', { ...local, confidential: true }, RULES))
})

test('A-CLI-02 what can be no redirect URI is refused when it is registered, and what is taken matches itself and nothing else', (t) => {
  const never = [
    '',
    'cb',
    'http://app.test/cb',
    'https://app.test/c b',
    'https://app.test/ü',
    'https://app.test\\cb',
    'https://app.test/cb#f',
  ]
  for (const uri of [
    ...never,
    'https://u@app.test/cb',
    `https://app.test/${'x'.repeat(2_048)}`,
    'app.custom:/cb',
    'http://localhost/cb',
  ])
    t.is(typeof redirectUriFault(uri, { confidential: false }), 'string', uri)
  t.is(redirectUriFault('http://127.0.0.1/cb', { confidential: false }), undefined)
  t.is(typeof redirectUriFault('http://127.0.0.1/cb', { confidential: true }), 'string')
  const path = fc.webUrl({ validSchemes: ['https'], authoritySettings: { withPort: true }, withQueryParameters: true })
  fc.assert(
    fc.property(path, fc.string({ minLength: 1, maxLength: 3 }), fc.nat(), (url, more, at) => {
      const uri = url.replace(/^https:\/\/[^/?#:]+/, 'https://app.test')
      if (redirectUriFault(uri, { confidential: true }) !== undefined) return
      const app = { ...web, redirectUris: [uri] }
      t.true(isLive(uri, app, RULES), uri)
      const place = at % (uri.length + 1)
      t.false(isLive(uri.slice(0, place) + more + uri.slice(place), app, RULES))
      t.false(isLive(uri.slice(0, -1), app, RULES))
    }),
  )
})

test('A-CLI-03 an app in development may be on its maker’s own machine, also with a secret, and nowhere else', (t) => {
  const development = true as const
  const uris = ['http://localhost:3000/cb', 'http://127.0.0.1:3000/cb', 'http://[::1]:3000/cb']
  for (const confidential of [true, false]) {
    const app = { confidential, development, domains: {}, redirectUris: uris }
    for (const uri of [...uris, 'http://localhost/cb', 'http://localhost:65535/cb', 'http://127.0.0.1:1/cb']) {
      t.is(redirectUriFault(uri, app), undefined, uri)
      t.true(isLive(uri, app, RULES), uri)
      t.false(isLive(uri, app, { developmentApps: false }), `in production: ${uri}`)
    }
    const never = [
      'http://192.168.0.7/cb',
      'http://localhost.evil.test/cb',
      'http://evil.test/cb',
      'http://0.0.0.0/cb',
      'http://localhost@evil.test/cb',
      'https://localhost/cb#f',
      'ftp://localhost/cb',
    ]
    t.is(typeof redirectUriFault('http://u@localhost/cb', app), 'string')
    for (const uri of never) {
      t.is(typeof redirectUriFault(uri, app), 'string', uri)
      t.false(isLive(uri, { ...app, redirectUris: [...uris, uri] }, RULES), uri)
    }
    for (const uri of [
      'http://localhost:3000/cb/',
      'http://localhost:3000/CB',
      'http://localhost:x/cb',
      'http://LOCALHOST:3000/cb',
    ])
      t.false(isLive(uri, app, RULES), uri)
    const bare = { ...app, development: undefined as never }
    t.false(isLive('http://localhost:3000/cb', bare, RULES), 'not in development')
  }
})
