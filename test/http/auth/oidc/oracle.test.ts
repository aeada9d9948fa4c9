/**
 * Authorization requests at random, to us and to a certified provider of others, which has the same app, the same user
 * and the same consent. Where the two differ, the difference is one of those below, each with its reason.
 */
import test from 'ava'
import { runs } from '../../../support/depth.ts'
import { openOidc, redemption, request } from '../../../support/oidc.ts'
import { ORACLE_APP, startOracle } from '../../../support/oidc-oracle.ts'

const REQUESTS = runs({ quick: 90, deep: 6_000 })
const AT_ONCE = 24
const SEED = 20_261_122

/** `code`, an error that is sent back as `error:<code>`, `page`, or what the user is asked: `sign-in`, `consent`. */
type Outcome = string

/** Where we differ, and why we may. `asked` narrows it to requests of which that is true. */
const allowed: readonly { ours: RegExp; theirs: RegExp; why: string; asked?: (p: Asked) => boolean }[] = [
  {
    ours: /^error:invalid_request$/,
    theirs: /./,
    asked: ({ state }) => one(state).length < 16,
    why: 'A-OID-03: a state has 16 characters',
  },
  {
    ours: /^error:/,
    theirs: /./,
    asked: ({ response_mode }) => !['', 'query'].includes(one(response_mode)),
    why: 'one way to answer is offered',
  },
  {
    ours: /^error:invalid_request$/,
    theirs: /./,
    asked: ({ code_challenge }) => one(code_challenge).length > 43,
    why: 'a challenge of S256 has 43 characters, and with another nobody could redeem the code',
  },
  {
    ours: /^error:registration_not_supported$/,
    theirs: /^error:/,
    asked: ({ registration }) => one(registration) !== '',
    why: 'of several mistakes, what is not offered at all is told first',
  },
  {
    ours: /^error:invalid_request$/,
    theirs: /^error:invalid_scope$/,
    why: 'of several mistakes, the scope is told last',
  },
  {
    ours: /^error:pkce_required$/,
    theirs: /./,
    asked: ({ code_challenge, code_challenge_method }) => one(code_challenge) + one(code_challenge_method) === '',
    why: 'A-CLI-01: apps of others have to use PKCE',
  },
  {
    ours: /^error:unsupported_response_type$/,
    theirs: /./,
    asked: ({ response_type }) => one(response_type) !== 'code',
    why: 'A-OID-04: response_type is code',
  },
  {
    ours: /^error:invalid_request$/,
    theirs: /./,
    asked: ({ max_age }) => one(max_age).startsWith(' '),
    why: 'max_age is digits',
  },
  {
    ours: /^page$/,
    theirs: /./,
    asked: (p) => Object.values(p).some(({ length }) => length > 1),
    why: 'knowledge §A4: no parameter stands twice, not even one that means nothing here',
  },
  {
    ours: /^page$/,
    theirs: /./,
    asked: ({ redirect_uri }) => one(redirect_uri) === '',
    why: 'A-OID-01: redirect_uri is never guessed',
  },
  {
    ours: /^error:invalid_scope$/,
    theirs: /./,
    asked: ({ scope }) => !one(scope).split(' ').includes('openid'),
    why: 'Q-17: without openid nothing is left',
  },
]

type Asked = Record<string, readonly string[]>
const one = (values: readonly string[] = []): string => values[0] ?? ''

test('A-OID-01 A-OID-02 A-OID-05 A-OID-06 A-OID-07 A-OID-08 requests at random end as they do at a certified provider, but for what is listed', async (t) => {
  const [oidc, oracle] = await Promise.all([openOidc(), startOracle()])
  t.teardown(() => Promise.all([oidc.stop(), oracle.stop()]))
  const [ours, theirs] = await Promise.all([us(oidc), them(oracle)])
  const random = randomOf(SEED)
  const requests = Array.from({ length: REQUESTS }, () => mutated(random))
  const different = new Map<string, number>()
  const unknown: string[] = []
  let same = 0
  const hold = async ({ parameters, signedIn }: Mutated) => {
    const [we, they] = await Promise.all([ours(parameters, signedIn), theirs(parameters, signedIn)])
    if (we === they) return void same++
    const asked = Object.groupBy(parameters, ([name]) => name)
    const values = Object.fromEntries(
      Object.entries(asked).map(([name, pairs = []]) => [name, pairs.map(([, v]) => v)]),
    )
    const known = allowed.find((each) => each.ours.test(we) && each.theirs.test(they) && (each.asked?.(values) ?? true))
    const what = `${we} for ${they}: ${signedIn ? 'signed in' : 'not signed in'} ${JSON.stringify(values)}`
    if (!known) unknown.push(what)
    // The two hard rules hold whatever the table says.
    if (we === 'code' && (they === 'page' || they.startsWith('error:'))) unknown.push(`a code: ${what}`)
    if ((we === 'code' || we.startsWith('error:')) && they === 'page') unknown.push(`a redirect: ${what}`)
    if (known) different.set(known.why, (different.get(known.why) ?? 0) + 1)
  }
  const queue = requests.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const each of queue) await hold(each)
    }),
  )
  t.log(`${same} the same`, Object.fromEntries(different))
  t.deepEqual(unknown, [])
  t.true(same > REQUESTS / 2)
})

type Pairs = readonly (readonly [name: string, value: string])[]
type Mutated = { parameters: Pairs; signedIn: boolean }

/** What a parameter is changed to; `undefined` leaves it out. `@` marks what each side fills in with its own. */
const MUTATIONS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  response_type: [undefined, '', 'token', 'id_token', 'code token', 'none', 'CODE', 'code code'],
  client_id: [undefined, '', 'nobody', '@client ', 'APP'],
  redirect_uri: [
    undefined,
    '',
    '@uri/',
    '@uri?x=1',
    'https://APP.test/cb',
    'https://app.test:443/cb',
    'https://evil.test/cb',
    'https://app.test/CB',
    'https://u@app.test/cb',
    '@uri#f',
    'https://app.test/%63b',
  ],
  scope: [
    undefined,
    '',
    'openid email',
    'openid profile',
    'email',
    'email openid',
    'openid zzz',
    'OPENID',
    'openid openid',
    'openid offline_access',
    'openid balance',
    ' openid',
  ],
  state: [undefined, '', 'short', 's'.repeat(15), 's'.repeat(16), 'ü'.repeat(20), 's'.repeat(500)],
  nonce: ['', 'n', 'n'.repeat(300)],
  code_challenge: [undefined, '', 'short', 'a'.repeat(43), 'a'.repeat(44), '!'.repeat(43)],
  code_challenge_method: [undefined, '', 'plain', 's256', 'S512'],
  prompt: [
    'none',
    'none',
    'login',
    'consent',
    'login consent',
    'none login',
    '',
    'nonsense',
    'NONE',
    'consent login none',
  ],
  max_age: ['0', '100000', '-1', 'x', '1.5', '', '9007199254740993', '00', ' 5'],
  id_token_hint: ['@ada', '@eve', 'x.y.z', '@broken', ''],
  login_hint: ['ada@people.test', ''],
  response_mode: ['query', 'fragment', 'form_post', 'jwt', '', 'web_message'],
  request: ['', 'eyJhbGciOiJub25lIn0.e30.', 'x'],
  request_uri: ['', 'https://app.test/request', 'urn:x'],
  registration: ['', '{}'],
  claims: ['', '{}', '{"userinfo":{"name":null}}', 'x'],
  display: ['page', 'popup', 'x', ''],
}

/** A request that is good, but for up to three changes; some have a parameter twice. */
const mutated = (random: () => number): Mutated => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const parameters = new Map<string, string | undefined>(Object.entries(GOOD))
  for (let changes = Math.floor(random() * 4); changes > 0; changes--) {
    const name = pick(Object.keys(MUTATIONS))
    parameters.set(name, pick(MUTATIONS[name] ?? []))
  }
  const pairs = [...parameters].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const twice = random() < 0.05 ? [pick(pairs)] : []
  return { parameters: [...pairs, ...twice], signedIn: random() < 0.7 }
}

const GOOD = {
  response_type: 'code',
  client_id: '@client',
  redirect_uri: '@uri',
  scope: 'openid',
  state: 'a-state-of-16-characters',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
}

/** What each side calls the app and its users. */
type Own = Readonly<Record<string, string>>
const filled = (parameters: Pairs, own: Own) =>
  new URLSearchParams(parameters.map(([name, value]) => [name, value.replace(/@\w+/, (word) => own[word] ?? word)]))

const us = async (oidc: Awaited<ReturnType<typeof openOidc>>) => {
  const app = await oidc.operator.app()
  const [ada, eve] = [await oidc.signedIn(), await oidc.signedIn()]
  const hintOf = async ({ browser }: typeof ada) => {
    const code = await browser.code(request(app, { scope: 'openid email' }))
    return (await oidc.post('token', redemption(app, code))).json.id_token as string
  }
  const hint = await hintOf(ada)
  const own = {
    '@client': app.clientId,
    '@uri': 'https://app.test/cb',
    '@ada': hint,
    '@eve': await hintOf(eve),
    '@broken': `${hint}x`,
  }
  return async (parameters: Pairs, signedIn: boolean): Promise<Outcome> => {
    const url = `${oidc.origin}/oauth2?op=authorize&${filled(parameters, own)}`
    const answer = await fetch(url, { redirect: 'manual', headers: signedIn ? { cookie: ada.cookie } : {} })
    return outcomeOf(answer, await answer.text())
  }
}

const them = async (oracle: Awaited<ReturnType<typeof startOracle>>) => {
  const hint = await oracle.idToken('ada')
  const own = {
    '@client': ORACLE_APP.id,
    '@uri': ORACLE_APP.redirectUri,
    '@ada': hint,
    '@eve': await oracle.idToken('eve'),
    '@broken': `${hint}x`,
  }
  const cookies = await oracle.session(filled(Object.entries(GOOD), own))
  return async (parameters: Pairs, signedIn: boolean): Promise<Outcome> => {
    const url = `${oracle.issuer}/auth?${filled(parameters, own)}`
    const answer = await fetch(url, { redirect: 'manual', headers: signedIn ? { cookie: cookies } : {} })
    return outcomeOf(answer, await answer.text())
  }
}

const outcomeOf = ({ status, headers }: Response, text: string): Outcome => {
  const location = headers.get('location') ?? ''
  if (/^\/interaction\/.*prompt=login/.test(location) || location.startsWith('/sign-in?')) return 'sign-in'
  if (/^\/interaction\/.*prompt=consent/.test(location)) return 'consent'
  if (location !== '') return sentBack(new URLSearchParams(location.replace(/^[^?#]*[?#]/, '')))
  const posted = [...text.matchAll(/name="(code|error)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  if (posted.length > 0) return sentBack(new URLSearchParams(posted))
  if (status === 400) return 'page'
  return text.includes('name="decision"') ? 'consent' : `status ${status}`
}

const sentBack = (query: URLSearchParams): Outcome => (query.has('code') ? 'code' : `error:${query.get('error')}`)

/** mulberry32: the same requests at every run. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
