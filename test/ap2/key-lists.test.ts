import test from 'ava'
import { createKeyLists } from '../../adapters/ap2/key-lists.ts'
import { ucpAgentOf } from '../../adapters/ap2/ucp-agent.ts'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import type { GetResult } from '../../domain/kernel/ports.ts'
import { codeOf } from '../domain/flow-setup.ts'

/**
 * Lists of keys that strangers publish: how often they are asked for, and what is made of their answers. The way out
 * itself is tested elsewhere.
 */

const URL = 'https://platform.example/.well-known/ucp'
const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'k1' }
const profile = (change: object = {}) =>
  JSON.stringify({ ucp: { version: '2026-04-08' }, signing_keys: [key], ...change })
const ok = (body: string, maxAgeS?: number): GetResult => ({
  status: 200,
  reason: undefined,
  body,
  ...(maxAgeS !== undefined && { maxAgeS }),
})

/** A way out that answers what it is told to, counts, and a clock that stands still until it is moved. */
const lists = (answer: (url: string) => GetResult | Promise<GetResult>) => {
  const asked: string[] = []
  const clock = { ms: 1_000 }
  const outbound = {
    refusal: (url: string) => (url.startsWith('https://') ? undefined : 'the URL is not https'),
    get: async (url: string, characters?: number, totalMs?: number) => {
      asked.push(`${url} ${characters} ${totalMs}`)
      return await answer(url)
    },
  }
  return { ...createKeyLists({ outbound, now: () => clock.ms }), asked, clock }
}

test('a profile is read once within 64 KiB and 3 seconds, whoever asks at the same time, and kept for a minute at the least', async (t) => {
  const { profile: read, asked, clock } = lists(() => ok(profile(), 1))
  const [a, b] = await Promise.all([read(URL, 'k1'), read(URL, 'k1')])
  t.deepEqual(a, { version: '2026-04-08', keys: [key] })
  t.is(a, b)
  clock.ms += 59_999
  await read(URL, 'k1')
  await read(URL, 'unknown')
  t.deepEqual(asked, [`${URL} 65536 3000`])
  clock.ms += 1
  await read(URL, 'k1')
  t.is(asked.length, 2)
})

test('a profile is kept as long as it says, an hour at the most, and read again before that for a key that it had not', async (t) => {
  let keys = [key]
  const { profile: read, asked, clock } = lists(() => ok(profile({ signing_keys: undefined, keys }), 99_999))
  await read(URL, 'k1')
  clock.ms += 3_599_999
  await read(URL, 'k1')
  t.is(asked.length, 1)
  clock.ms += 1
  await read(URL, 'k1')
  t.is(asked.length, 2)
  keys = [{ ...key, kid: 'k2' }]
  clock.ms += 60_000
  t.is((await read(URL, 'k2')).keys[0]?.kid, 'k2')
  t.is(asked.length, 3)
})

test('what is no profile is malformed, and is not read again for a minute', async (t) => {
  const bad = [
    '',
    '[]',
    'null',
    '{}',
    '{"ucp":{}}',
    '{"ucp":{"version":"2026-04-08"}}',
    profile().slice(0, -1),
    profile({ ucp: { version: 2026 } }),
    ...[{ ucp: { version: 'draft' } }, { signing_keys: {} }, { keys: [1] }, { keys: Array(51).fill(key) }].map(profile),
  ]
  for (const body of bad) {
    const { profile: read, asked } = lists(() => ok(body))
    t.is(await codeOf(read(URL, 'k1')), 'profile-malformed', body)
    t.is(await codeOf(read(URL, 'k1')), 'profile-malformed', body)
    t.is(asked.length, 1, body)
  }
})

test('an address that may not be called is refused before anything is asked', async (t) => {
  const { profile: read, jwks, asked } = lists(() => ok(profile()))
  for (const url of ['http://platform.example/', 'file:///etc/passwd', '']) {
    t.is(await codeOf(read(url, 'k1')), 'profile-url-invalid', url)
    t.deepEqual(await jwks(url, 'k1'), [], url)
  }
  t.deepEqual(asked, [])
})

test('X-SSRF-01 the real way out leads to no private host, named by its address or by a name of its own', async (t) => {
  const lookup = async () => ['93.184.216.34', '10.0.0.1']
  const outbound = createOutbound({ allow: parseAllowList(''), userAgent: 'Daybook-Test/1', lookup })
  t.teardown(outbound.close)
  const { profile: read, jwks } = createKeyLists({ outbound })
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '169.254.169.254',
    'localhost',
    'metadata.internal',
    'a:b@platform.com',
    'platform.com:22',
  ])
    t.is(await codeOf(read(`https://${host}/`, 'k1')), 'profile-url-invalid', host)
  t.is(await codeOf(read('https://rebinding.com/', 'k1')), 'profile-unreachable')
  t.deepEqual(await jwks('https://rebinding.com/jwks.json', 'k1'), [])
})

test('a host that fails is left alone, twice as long each time, and a redirect is a failure', async (t) => {
  let status: number | undefined = 302
  const { profile: read, asked, clock } = lists(() => ({ ...ok(profile()), status }))
  const fails = async (n: number, what: string) => {
    t.is(await codeOf(read(URL, 'k1')), 'profile-unreachable', what)
    t.is(asked.length, n, what)
  }
  await fails(1, 'redirected')
  await fails(1, 'rests')
  t.is(await codeOf(read('https://platform.example/other', 'k1')), 'profile-unreachable', 'the whole host rests')
  clock.ms += 5_000
  status = undefined
  await fails(2, 'no answer')
  clock.ms += 9_999
  await fails(2, 'rests for longer')
  clock.ms += 1
  status = 200
  t.is((await read(URL, 'k1')).keys.length, 1)
  t.is(await codeOf(lists(() => ok(profile())).profile('https://another.example', 'k1')), 'done')
})

test('neither one host nor all together are asked without bound', async (t) => {
  const { profile: read, asked, clock } = lists(() => ok(profile()))
  for (let n = 0; n < 12; n++) await codeOf(read(`${URL}?${n}`, 'k1'))
  t.is(asked.length, 10)
  t.is(await codeOf(read(`${URL}?11`, 'k1')), 'rate-limited')
  for (let n = 0; n < 150; n++) await codeOf(read(`https://p${n}.example/`, 'k1'))
  t.is(asked.length, 120)
  clock.ms += 60_000
  t.is(await codeOf(read(`${URL}?11`, 'k1')), 'done')
  const silent = lists(() => new Promise(() => {}))
  for (let n = 0; n < 40; n++) void codeOf(silent.profile(`https://p${n}.example/`, 'k1'))
  t.is(silent.asked.length, 16, 'at the same time')
  const many = lists(() => ok(profile(), 3_600))
  await many.profile(URL, 'k1')
  for (let n = 0; n < 500; n++) {
    many.clock.ms += 600
    await many.profile(`https://p${n}.example/`, 'k1')
  }
  await many.profile(URL, 'k1')
  t.is(many.asked.filter((each) => each.startsWith(URL)).length, 2, 'the one used longest ago has made room')
})

test('of a list only keys that signatures can be checked by are kept, and nothing else of them', async (t) => {
  const others = [
    { kty: 'RSA', n: 'n', e: 'AQAB' },
    { d: 'd' },
    { use: 'enc' },
    { alg: 'HS256' },
    { kid: undefined },
    { kid: 'k'.repeat(201) },
  ]
  const listed = [
    ...others,
    { key_ops: ['sign'] },
    { x: 1 },
    { x5c: ['MIIB'], use: 'sig', key_ops: ['verify'], alg: 'ES256' },
  ]
  const { keys } = await lists(() => ok(profile({ keys: listed.map((change) => ({ ...key, ...change })) }))).profile(
    URL,
    'k1',
  )
  t.deepEqual(keys, [key, { ...key, alg: 'ES256' }])
})

test('a key set of an issuer that cannot be read has no keys', async (t) => {
  const url = 'https://bank.example/jwks.json'
  t.deepEqual(await lists(() => ok(JSON.stringify({ keys: [key] }))).jwks(url, 'k1'), [key])
  for (const body of ['', '{}', '{"keys":{}}', '{"keys":["k"]}'])
    t.deepEqual(await lists(() => ok(body)).jwks(url, 'k1'), [], body)
  t.deepEqual(await lists(() => ({ ...ok('{"keys":[]}'), status: 404 })).jwks(url, 'k1'), [])
})

test('a platform names its profile in a dictionary of RFC 8941, alone or among other things', (t) => {
  const named = { profile: URL, version: undefined }
  t.deepEqual(ucpAgentOf(`profile="${URL}"`), named)
  t.deepEqual(ucpAgentOf(` profile="${URL}"  `), named)
  t.deepEqual(ucpAgentOf(`version="2026-01-11", profile="${URL}"`), { profile: URL, version: '2026-01-11' })
  t.deepEqual(ucpAgentOf(`profile="${URL}"; version="2026-01-11";q`), { profile: URL, version: '2026-01-11' })
  t.deepEqual(ucpAgentOf(`name="x"; version="2026-01-11", profile="${URL}"`), named)
  t.deepEqual(ucpAgentOf(`a, b=?1,c=1.5;d="x;y, z" ,profile="${URL}";q=1;flag, t=tok:en/x`), named)
  t.deepEqual(ucpAgentOf(`profile="https://a.example", profile="${URL}"`), named)
  t.deepEqual(ucpAgentOf(String.raw`profile="a\"b\\c"`), { profile: String.raw`a"b\c`, version: undefined })
  t.deepEqual(ucpAgentOf('profile=token'), { profile: undefined, version: undefined })
  for (const bad of [
    '',
    URL,
    `profile="${URL}`,
    `profile='${URL}'`,
    `Profile="${URL}"`,
    `profile="${URL}",`,
    `profile="${URL}" x`,
    'profile="ä"',
    'profile="a\\b"',
    `profile = "${URL}"`,
    `profile="${URL}";`,
    `profile="${'x'.repeat(5_000)}"`,
  ])
    t.is(ucpAgentOf(bad), undefined, bad)
})
