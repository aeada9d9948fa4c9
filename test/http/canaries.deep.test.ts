import fs from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { World } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import { world as real } from '../../src/settings/world.ts'
import { play } from '../fuzz/play.ts'
import type { Tried } from '../fuzz/player.ts'
import { openStage, type Scene, type Stage } from '../fuzz/stage.ts'
import { REDIRECT } from '../support/balance-calls.ts'
import { enrolledMember, memberSignIn } from '../support/dashboard.ts'
import { dump, files } from '../support/everywhere.ts'
import { teamMember } from '../support/members.ts'
import { formOf, redemption, request } from '../support/oidc.ts'
import { recoveryToken } from '../support/owner-letters.ts'
import { person, signIn } from '../support/people.ts'
import { activeSeller, ok } from '../support/seller.ts'
import { storeCalls } from '../support/stores.ts'
import { readLog } from './log.ts'

/**
 * Every secret is a canary, with no list to forget one in: what the world mints as a secret is recorded where it is
 * minted, and what is sealed is read back out of the log. What is minted for everybody to see is the exception, and
 * named with its reason.
 */

/** Minted as secrets, so that nobody foresees them, and told to whoever asks: by the file that mints them. */
const TOLD: Readonly<Record<string, string>> = {
  'domain/write-side/ledger.ts': 'names a command in the log',
  'domain/use-cases/selling/webhooks/deliver-now.ts': 'names a delivery',
  'adapters/http/agent/common/deliveries.ts': 'names a delivery',
  'adapters/http/buyer/mail-receipt.ts': 'names a letter',
  'domain/use-cases/signin/check-domain.ts': 'stands in the DNS',
  'domain/use-cases/signin/send-notification.ts': 'names a token, and spreads retries',
  'domain/use-cases/commerce/sessions.ts': 'what an agreement has to repeat',
  'domain/game/studio/quote.ts': 'tells two quotes apart',
  'domain/account/keys/api-key.ts': 'the id of a key; its secret has more bytes',
}
/**
 * Kept as they are until they are told, so that all can be worked out again; before that nobody is answered with them.
 */
const KEPT = /^domain\/game\/world\/chance/
/** Ids that let somebody in. */
const SECRET_IDS: ReadonlySet<string> = new Set(['rc', 'c', 'ct'])
/** Where letters with links and codes are minted. */
const MAILED = /account\/(email-address|owner-keys|team\/invitations)|user-link/
/** Mints the cookie of a guest, which the page that comes first gives to that browser, and no page says. */
const GUEST = 'adapters/http/core/member-caller.ts'
const SECRET_MIN_BYTES = 16
/** Shorter texts stand in many places by chance. */
const SEALED_MIN_CHARS = 12

type Canary = { readonly text: string; readonly site: string }

const minted = new Map<string, Canary>()
const printed: string[] = []
const heard: Tried[] = []
let sealed: readonly Canary[]
let stage: Stage

test.before(async () => {
  catchOutput()
  stage = await openStage({ world: recording(), env: { LOG_LEVEL: 'debug', SEAL_EVERY_SECONDS: '1' } })
  await signingIn(await stage.scene())
  await recoveringAKey()
  await workingTogether()
  // What the fuzz sends is not planted: a text of its own may stand in a field that is sealed and in one that is not.
  sealed = await sealedTexts()
  const { faults } = await play(stage, {
    seed: 77,
    from: 0,
    requests: 600,
    progress: () => {},
    heard: (each) => heard.push(each),
  })
  if (faults.length > 0) throw new Error(faults.map(({ what }) => what).join('\n'))
})
test.after.always(() => stage?.stop())

test('X-MASK-01 X-HASH-01 no secret that was ever minted, and nothing that is sealed, lies in the log, the database or a file', async (t) => {
  const canaries = [...minted.values(), ...sealed, ...ownSecrets()].filter(({ site }) => !KEPT.test(site))
  const sites = new Set([...minted.values()].map(({ site }) => site))
  t.log(`${canaries.length} canaries of ${sites.size} places`)
  t.true(sites.size >= 12 && canaries.length > 120)
  const [master = ''] = masterKeys()
  const places = {
    log: JSON.stringify(await readLog(stage.app), (_, each) => (typeof each === 'bigint' ? String(each) : each)),
    database: await dump(stage.app.databaseUrl),
    files: files(stage.app).replaceAll(master, ''),
  }
  for (const [place, text] of Object.entries(places)) clean(t, place, text, canaries)
})

test('X-HASH-01 every place that mints a secret was played, or mints what is told', (t) => {
  const played = new Set([...minted.values()].map(({ site }) => site))
  const minting = ['domain', 'adapters'].flatMap((folder) =>
    fs.globSync(`${folder}/**/*.ts`).filter((file) => /\bworld\.secret\(/.test(fs.readFileSync(file, 'utf8'))),
  )
  t.deepEqual(minting.filter((file) => !played.has(file) && !(file in TOLD)).sort(), [])
})

test('X-MASK-01 X-ERR-01 nor in a line of output, a refusal, a metric, a public document, an export or what merchants are sent', async (t) => {
  const canaries = [...minted.values(), ...ownSecrets()]
  const { app } = stage
  await eventually('the output', async () => printed.some((line) => line.includes('"request"')))
  clean(t, 'the output', printed.join(''), canaries)
  clean(t, 'the metrics', await (await fetch(app.served().metricsUrl)).text(), canaries)
  clean(t, 'the document', (await app.call('GET', '/openapi.json')).text, canaries)
  clean(t, 'what merchants are sent', JSON.stringify(app.receiver.posts), canaries)
  const links = (await app.call('GET', '/dev/inbox.json')).text
  clean(
    t,
    'letters',
    links,
    canaries.filter(({ site }) => !MAILED.test(site)),
  )
  const refused = heard.filter(({ answer }) => answer && answer.status >= 400)
  t.true(refused.length > 100)
  for (const { wire, answer } of refused) {
    const sent = JSON.stringify([wire, wire.body?.toString()])
    const headers = [...(answer?.headers ?? [])]
    const page = `${answer?.text} ${JSON.stringify(headers.filter(([name]) => name !== 'set-cookie'))}`
    const whole = `${answer?.text} ${JSON.stringify(headers)}`
    const found = canaries.filter(
      ({ text, site }) =>
        (site === GUEST ? page : whole).includes(text) && !sent.includes(text) && !decoded(sent).includes(text),
    )
    t.deepEqual(found, [], `${wire.method} ${wire.path}`)
  }
  const { key } = await activeSeller(app)
  for (const format of ['hledger', 'beancount', 'csv', 'jsonl'])
    clean(t, format, (await app.call('GET', `/v1/audit/export?format=${format}`, { key })).text, canaries)
  clean(t, 'the events', (await ok(app.call('GET', '/v1/audit/events', { key }))).text, canaries)
})

/** A world that remembers what it has minted, and where. */
const recording = (): Partial<World> => ({
  secret(bytes) {
    const text = real.secret(bytes)
    const site = siteOf(new Error().stack)
    if (bytes >= SECRET_MIN_BYTES && !(site in TOLD)) note(text, site)
    if (site === KEYS && bytes > SECRET_MIN_BYTES) note(text, site)
    return text
  },
  id(prefix) {
    const id = real.id(prefix)
    if (SECRET_IDS.has(prefix)) {
      const site = siteOf(new Error().stack)
      const own = id.slice(prefix.length + 1)
      note(
        prefix === 'rc' ? (own.slice(0, 16).match(/.{4}/g) ?? []).join('-') : prefix === 'c' ? own.slice(0, 8) : id,
        site,
      )
    }
    return id
  },
})
const KEYS = 'domain/account/keys/api-key.ts'

const note = (text: string, site: string) => minted.set(text, { text, site })

const siteOf = (stack = ''): string =>
  stack
    .split('\n')
    .slice(2)
    .flatMap((line) => /\/((?:domain|adapters|projections|src|test)\/[^:?]*\.ts)/.exec(line)?.[1] ?? [])[0] ?? 'nowhere'

/** Everything in the log that a vault has sealed, as it was before. */
const sealedTexts = async (): Promise<Canary[]> => {
  const { vault } = stage.balances.operator.flow
  const boxes = new Set(
    JSON.stringify((await readLog(stage.app)).map(({ data }) => data)).match(
      /v1\.[a-z]+_[a-z2-7]{26}\.[\w-]+\.[\w-]+/g,
    ),
  )
  const texts: Canary[] = []
  for (const each of boxes) {
    const text = (await vault.open(each)) ?? ''
    const leaves = /^[{[]/.test(text) ? leavesOf(JSON.parse(text)) : [text]
    texts.push(
      ...leaves.filter((leaf) => leaf.length >= SEALED_MIN_CHARS).map((leaf) => ({ text: leaf, site: 'sealed' })),
    )
  }
  return texts
}

const leavesOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(leavesOf)
      : []

/** What the operator and people choose by themselves. */
const ownSecrets = (): Canary[] => [
  ...masterKeys().map((text) => ({ text, site: 'the master key' })),
  ...[...stage.processor.state.keys.keys()].map((text) => ({ text, site: 'a key of the card processor' })),
  ...['correct horse battery', 'correct horse'].map((text) => ({ text, site: 'a password' })),
]

/** As it stands in its file, which is the one place for it. */
const masterKeys = (): string[] => {
  const key = openDataDir(readConfig(stage.app.env)).masterKey()
  return [key.toString('hex'), key.toString('base64')]
}

/**
 * Secrets of people that the fuzz comes by only now and then: of a browser that signs in, of a code and its token, of a
 * second factor.
 */
const signingIn = async ({ named: { ids } }: Scene) => {
  const { app, balances } = stage
  const ada = await balances.customer()
  const browser = person(app)
  await signIn(browser, { ...ada, code: () => ada.totp.generate() })
  const [first = '', other = ''] = ids.client_id ?? []
  const fields = { redirect_uri: REDIRECT, client_secret: ids.client_secret?.[0] }
  const named = { clientId: first, clientSecret: fields.client_secret ?? null }
  const body = formOf(redemption(named, ids.code?.find((each) => /^[0-9a-f]{64}$/.test(each)) ?? '', fields)).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await ok(app.call('POST', '/oauth2?op=token', { body, headers }))
  const asking = formOf(request({ clientId: other }, { redirect_uri: REDIRECT }))
  for (const who of [ada.browser, person(app)]) await who.open(`/oauth2?op=authorize&${asking}`)
  const bob = await balances.operator.user()
  const enrolling = person(app, (await balances.operator.session(bob.sub)).cookie)
  await enrolling.send('/account/security/enrol', { act: 'prove', password: bob.password })
  await enrolling.open('/account/security/enrol')
  stage.clock.shiftMs += STEP_MS
  const code = ada.totp.generate({ timestamp: Date.now() + stage.clock.shiftMs })
  await ada.browser.send('/account/security/codes', { code })
}
/** A seller who has lost the owner key, and is shown a new one. */
const recoveringAKey = async () => {
  const { app } = stage
  const { email } = await activeSeller(app)
  await ok(app.call('POST', '/recover-key', { body: { email } }))
  const token = await recoveryToken(app, email)
  await ok(app.call('POST', '/recover-key/confirm', { body: { token, password: 'correct horse' } }))
}

/** A member who comes by letter, an owner who signs in with a second factor, and a webhook that is tried out. */
const workingTogether = async () => {
  const { app, balances, clock } = stage
  const { owner } = await teamMember({ app, flow: balances.operator.flow })
  const before = clock.shiftMs
  const { email, code } = await enrolledMember(app, clock)
  const { location } = await memberSignIn(person(app), { email, code })
  if (location !== '/dashboard') throw new Error(`the second factor led to ${location}`)
  // A card processor refuses a session that lasts longer by its own clock than it may.
  clock.shiftMs = before
  const { create, tryOut } = storeCalls(app)
  const { store } = await create(owner.key, { webhook_url: app.receiver.url })
  await ok(tryOut(owner.key, store.id))
}

/** A code of an authenticator app counts once. */
const STEP_MS = 30_000

const clean = (t: ExecutionContext, place: string, text: string, canaries: readonly Canary[]) => {
  const found = canaries.filter((canary) => text.includes(canary.text))
  t.deepEqual(
    found.map(({ text: secret, site }) => `${site}: ${secret}`),
    [],
    `in ${place}`,
  )
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The service's log goes to the output by its number; here it is kept. */
const catchOutput = () => {
  const { write, writeSync } = fs
  const kept = (fd: number, text: unknown) => {
    if (fd === 1) printed.push(String(text))
    return fd === 1
  }
  Object.assign(fs, {
    write(fd: number, text: string, ...rest: unknown[]) {
      if (!kept(fd, text)) return Reflect.apply(write, fs, [fd, text, ...rest])
      const done = rest.at(-1) as (error: null, bytes: number) => void
      setImmediate(() => done(null, Buffer.byteLength(String(text))))
    },
    writeSync: (fd: number, text: string, ...rest: unknown[]) =>
      kept(fd, text) ? Buffer.byteLength(String(text)) : Reflect.apply(writeSync, fs, [fd, text, ...rest]),
  })
}
