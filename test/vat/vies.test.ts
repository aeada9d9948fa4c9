import test, { type ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { createVatRegistry } from '../../adapters/vat/registry.ts'
import { createVies } from '../../adapters/vat/vies.ts'
import { eventually } from '../../src/demo/stage.ts'
import { readConfig } from '../../src/settings/config.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { playVies, type ViesAnswer, viesSays } from './played-vies.ts'

/** The registry of the EU, played on this machine: what it says counts, and what it does not say is in nobody's way. */

const DE = 'DE136695976'
const FR = 'FR40303265045'
const BY_FORM = { number: DE, country: 'DE', valid: null, checked: 'format' } as const
const DAY_MS = 24 * 3_600_000

const setup = async (t: ExecutionContext, answer: ViesAnswer, limits: { waitMs?: number; pauseMs?: number } = {}) => {
  const played = await playVies(answer)
  const outbound = createOutbound({ allow: parseAllowList(played.hostPort), userAgent: 'Daybook-Test/1' })
  const clock = { now: 0 }
  const vies = createVies({ outbound, base: played.base, now: () => clock.now, ...limits })
  t.teardown(async () => {
    played.stop()
    await outbound.close()
  })
  return { ...createVatRegistry(vies), played, clock }
}

test('M-VAT-02 a yes and a no of the registry count, with the name, and with the consultation number for the seller’s books', async (t) => {
  const { check, played } = await setup(t, ({ vatNumber }) =>
    viesSays({
      valid: vatNumber === '136695976',
      name: 'Käse GmbH',
      requestIdentifier: 'WAPIAAAAYxyz',
      address: 'x'.repeat(2_000),
    }),
  )
  const yes = { number: DE, country: 'DE', valid: true, checked: 'registry', name: 'Käse GmbH' }
  t.deepEqual(await check('de 136 695 976', 'FR 40 303265045'), { ...yes, consultation: 'WAPIAAAAYxyz' })
  const requester = { requesterMemberStateCode: 'FR', requesterNumber: '40303265045' }
  t.deepEqual(played.asked(), [{ countryCode: 'DE', vatNumber: '136695976', ...requester }])
  t.like(await check('DE129273398'), { valid: false, checked: 'registry' })
  t.deepEqual(played.asked()[1], { countryCode: 'DE', vatNumber: '129273398' })
})

test('M-VAT-02 the registry is not asked about a wrong form or a country that it does not have, nor for such a seller', async (t) => {
  const { check, played } = await setup(t, () => viesSays({ valid: true, name: '---' }))
  t.like(await check('DE136695977'), { valid: false, checked: 'format' })
  t.like(await check('GB110305878'), { valid: true, checked: 'format' })
  t.deepEqual(played.asked(), [])
  const bare = { number: DE, country: 'DE', valid: true, checked: 'registry' } as const
  t.deepEqual(await check(DE, 'GB110305878'), bare, 'a name of dashes is none')
  t.deepEqual(played.asked(), [{ countryCode: 'DE', vatNumber: '136695976' }])
})

test('M-VAT-02 what the registry said holds for a day, and one question serves all who ask at the same time', async (t) => {
  const { check, played, clock } = await setup(t, () => viesSays({ valid: true }))
  const [first, second] = await Promise.all([check(DE), check(DE)])
  t.deepEqual(first, second)
  clock.now = DAY_MS - 1
  await check(DE)
  t.is(played.asked().length, 1)
  clock.now = DAY_MS
  await check(DE)
  t.is(played.asked().length, 2)
})

const broken: Readonly<Record<string, ReturnType<ViesAnswer>>> = {
  'is down': { status: 500, body: 'down' },
  'sends elsewhere': { status: 302, headers: { location: '/other' }, body: '' },
  'says that a country is down': viesFault('MS_UNAVAILABLE'),
  'has too many questions': viesFault('GLOBAL_MAX_CONCURRENT_REQ'),
  'says garbage': { body: '<html>' },
  'says nothing': { body: '' },
  'breaks off': { body: '{"countryCode":"DE","vatNumber":"136695976","valid":tr' },
  'says another type': viesSays({ valid: 'true' }),
  'says a list': { body: '[]' },
  'speaks of another number': viesSays({ valid: true, vatNumber: '999999999' }),
  'speaks of another country': viesSays({ valid: true, countryCode: 'FR' }),
  'takes back what it says': viesSays({ valid: true, userError: 'MS_MAX_CONCURRENT_REQ' }),
  'says more than fits': viesSays({ valid: true, address: 'x'.repeat(5_000) }),
}

for (const [what, answer] of Object.entries(broken))
  test(`M-VAT-02 a registry that ${what} leaves a number of the right form neither valid nor invalid`, async (t) => {
    const { check } = await setup(t, () => answer)
    t.deepEqual(await check(DE), BY_FORM)
  })

test('M-VAT-02 a registry that is away, or too slow, keeps nobody waiting, and a late answer serves the next', async (t) => {
  const { check, played } = await setup(t, () => viesSays({ valid: true }), { waitMs: 1 })
  const held = played.hold()
  t.deepEqual(await check(DE), BY_FORM)
  held.release()
  await eventually('the late answer', async () => (await check(DE)).checked === 'registry')
  t.is(played.asked().length, 1)
  played.stop()
  t.like(await check(FR), { valid: null, checked: 'format' })
})

test('M-VAT-02 a country whose registry fails is left alone for a while, and others are not', async (t) => {
  const down = { is: true }
  const { check, played } = await setup(
    t,
    ({ countryCode }) => (countryCode === 'DE' && down.is ? viesFault('MS_UNAVAILABLE') : viesSays({ valid: true })),
    { pauseMs: 50 },
  )
  t.deepEqual(await check(DE), BY_FORM)
  t.deepEqual(await check(DE), BY_FORM)
  t.is(played.asked().length, 1)
  t.like(await check(FR), { valid: true, checked: 'registry' })
  down.is = false
  await eventually('the registry of the country', async () => (await check(DE)).checked === 'registry')
})

test('M-VAT-02 four questions are asked at once, a hundred wait, and for one more the form decides', async (t) => {
  const { check, played } = await setup(t, () => viesSays({ valid: true }), { waitMs: 20_000 })
  const held = played.hold()
  // Each requester makes another question.
  const asking = Array.from({ length: 104 }, (_, index) => check(DE, germanNumber(index)))
  await eventually('the first questions', async () => played.asked().length === 4)
  t.like(await check(FR), { valid: null, checked: 'format' })
  t.is(played.asked().length, 4)
  held.release()
  t.true((await Promise.all(asking)).every(({ valid }) => valid === true))
  t.is(played.asked().length, 104)
})

test('M-VAT-02 a seller that the registry does not know still learns of the other number', async (t) => {
  const { check, played } = await setup(t, ({ requesterNumber }) =>
    requesterNumber ? viesFault('INVALID_REQUESTER_INFO') : viesSays({ valid: true }),
  )
  t.like(await check(DE, FR), { valid: true, checked: 'registry' })
  t.is(played.asked().length, 2)
  const strict = await setup(t, () => viesFault('INVALID_INPUT'))
  t.like(await strict.check(DE), { valid: false, checked: 'registry' })
})

test('M-VAT-02 VAT_REGISTRY is format or vies, and VIES_URL goes with vies', (t) => {
  t.is(readConfig({}).vies, undefined)
  const base = 'https://ec.europa.eu/taxation_customs/vies/rest-api'
  t.deepEqual(readConfig({ VAT_REGISTRY: 'vies' }).vies, { base, own: false })
  const own = { VAT_REGISTRY: 'vies', VIES_URL: 'http://127.0.0.1:1/v/' }
  t.deepEqual(readConfig(own).vies, { base: 'http://127.0.0.1:1/v', own: true })
  for (const [env, says] of [
    [{ VAT_REGISTRY: 'other' }, /^VAT_REGISTRY /],
    [{ VIES_URL: base }, /^VIES_URL /],
    [{ VAT_REGISTRY: 'vies', VIES_URL: 'ftp://x' }, /^VIES_URL /],
  ] as const)
    t.regex(String(t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message), says)
})

function viesFault(error: string) {
  return { body: JSON.stringify({ actionSucceed: false, errorWrappers: [{ error }] }) }
}

/** The nth German number that has right digits (ISO 7064, mod 11,10). */
const germanNumber = (index: number): string => {
  const digits = String(10_000_000 + index)
  let product = 10
  for (const digit of digits) {
    const sum = (Number(digit) + product) % 10 || 10
    product = (2 * sum) % 11
  }
  return `DE${digits}${(11 - product) % 10}`
}
