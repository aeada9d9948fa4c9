/** The heads of the log as everybody reads them, with the witnesses and the authority of the settings. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { isSealedBy } from '../../../adapters/audit/head.ts'
import { vkeyIn } from '../../../adapters/audit/witness/note.ts'
import { mustNotBeRefused } from '../../../src/commands/audit/seal.ts'
import { listStamps } from '../../../src/commands/audit/stamps.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { inProcess } from '../../support/commands.ts'
import { deepTest } from '../../support/deep-test.ts'
import { type Shop, shop, wholeLogOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { isStamp, type StampAuthority, startStampAuthority } from '../../support/stamping.ts'
import { ownWitness, type RunningWitness, referenceVerdict, referenceWitness } from '../../support/witnessing.ts'
import { strictly } from '../strict.ts'

const test = anyTest as TestFn

let app: TestApp
let s: Shop
let dir: string
let authority: StampAuthority
const closers: (() => unknown)[] = []
test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'daybook-checkpoint-'))
  authority = await startStampAuthority(join(dir, 'tsa'))
  app = await startApp({ env: { SEAL_EVERY_SECONDS: '1', COSIGN_EVERY_SECONDS: '1' } })
  s = await shop(app)
})
test.after.always(async () => {
  await app?.stop()
  for (const close of [...closers, () => authority?.stop()]) await close()
  rmSync(dir, { recursive: true, force: true })
})

const checkpoint = async (query = '') => (await app.call('GET', `/audit/checkpoint.json${query}`)).json

/** Something happens, so that there is something to seal. */
const happen = () => ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 1 } }))

const headsNow = async () => (await app.call('GET', '/readyz')).json.checks.heads

const metrics = async () => (await fetch(app.served().metricsUrl)).text()

const sealed = async () => (await wholeLogOf(app)).filter(({ type }) => type === 'LogSealed').length

const OF_SEALS = /^(LogSealed|SealKeyPublished|CheckpointSigned|HeadCosigned|HeadStamped)$/

/** Whether all is sealed but what seals and signatures have written themselves, and each head was published. */
const isQuiet = async () => {
  const { size } = await checkpoint()
  const events = await wholeLogOf(app)
  const sealedLast = events.findLast(({ type }) => type === 'LogSealed')?.data as { size: number } | undefined
  return sealedLast?.size === size && events.slice(size).every(({ type }) => OF_SEALS.test(type))
}

test.serial('without a key everybody reads the newest head, as a note and as a seal', async (t) => {
  const call = strictly(t, app)
  await eventually('a checkpoint', async () => (await checkpoint()).size > 0)
  const { json } = await eventually('the seal of it', async () => {
    const answer = await call('GET', '/audit/checkpoint.json')
    return answer.json.head !== null && answer
  })
  const note = await app.call('GET', `/audit/checkpoint`)
  t.is(note.headers.get('content-type'), 'text/plain; charset=utf-8')
  t.is(note.headers.get('access-control-allow-origin'), '*')
  const log = vkeyIn(json.vkey)
  t.truthy(log)
  if (!log) return
  t.regex(json.origin, /^localhost:\d+\/daybook\/[0-9a-f-]{36}$/)
  t.like(await referenceVerdict(dir, note.text, { log }), { log: true, origin: json.origin })
  t.like(json.head, { size: json.size, root: json.root })
  t.true(isSealedBy(log.publicKey, json.head))
  for (const [query, status] of [
    ['?cosignatures=0', 200],
    ['?cosignatures=1', 404],
    ['?cosignatures=9', 400],
    ['?cosignatures=x', 400],
  ] as const)
    t.is((await app.call('GET', `/audit/checkpoint${query}`)).status, status, query)
})

test.serial('witnesses sign the heads and an authority stamps them', async (t) => {
  const log = vkeyIn((await checkpoint()).vkey)
  if (!log) return t.fail()
  const own = await ownWitness(join(dir, 'own'), [log])
  const python = await referenceWitness([log])
  const absent = await ownWitness(join(dir, 'absent'), [log], { name: 'witness.example/absent' })
  await absent.stop()
  closers.push(own.stop, python.stop)
  const setting = ({ address, vkey }: RunningWitness) => `${address.url} ${vkey}`
  await app.restart(async () => {
    Object.assign(app.env, { WITNESSES: [own, python, absent].map(setting).join(', '), TIMESTAMP_URL: authority.url })
  })
  await happen()
  const { json } = await eventually('two signatures', async () => {
    const answer = await strictly(t, app)('GET', '/audit/checkpoint.json?cosignatures=2')
    return answer.status === 200 && answer
  })
  t.deepEqual(
    json.cosignatures.map(({ witness }: { witness: string }) => witness).sort(),
    [own.vkey, python.vkey].sort(),
  )
  const verdict = await referenceVerdict(dir, json.note, { log, witness: [own.vkey, python.vkey] })
  t.true(verdict.log && Object.values(verdict.witnesses).every((time) => time !== null))
  t.is((await app.call('GET', '/audit/checkpoint?cosignatures=3')).status, 404)

  const { witnesses } = await eventually('quiet', async () => {
    const now = await headsNow()
    const signed = [own, python].every(({ address }) => now.witnesses[address.key.name].behind_events === 0)
    return now.stamp.stamped_size !== null && signed && (await isQuiet()) && now
  })
  t.like(witnesses[own.address.key.name], { status: 'ok', failure: null, refusal: null })
  t.like(witnesses[absent.address.key.name], {
    status: 'down',
    cosigned_size: null,
    failure: 'no answer: connection-failed',
  })
  const text = await metrics()
  t.regex(text, /daybook_witness_cosigned_age_seconds\{witness="witness\.example\/own"\} \d/)
  t.notRegex(text, /daybook_witness_cosigned_age_seconds\{witness="witness\.example\/absent"/)
  t.regex(text, /daybook_witness_refused\{witness="witness\.example\/own"\} 0/)
  t.regex(text, /daybook_stamp_age_seconds \d/)
})

deepTest.serial('the stamps are what openssl takes for stamps of the heads', async (t) => {
  const stamps = join(dir, 'stamps')
  await inProcess(app.env, (books, out) => listStamps(books, out, { dir: stamps }))
  const files = (await readdir(stamps)).sort()
  const [size] = files[0]?.split('.') ?? []
  t.deepEqual(files, [`${size}.checkpoint`, `${size}.tsr`])
  const [note, response] = files.map((file) => join(stamps, file))
  t.true(await isStamp(note ?? '', response ?? '', authority.caFile))
  writeFileSync(note ?? '', 'another\n')
  t.false(await isStamp(note ?? '', response ?? '', authority.caFile))
  t.is(authority.asked.length, 1, 'at most once in an hour')
})

deepTest.serial('when a witness has seen another history, nothing is sealed until it signs again', async (t) => {
  const log = vkeyIn((await checkpoint()).vkey)
  if (!log) return t.fail()
  // The folder of a witness that was shown more than this log has.
  const folder = join(dir, 'knowing')
  const knowing = await ownWitness(folder, [log], { name: 'witness.example/knowing' })
  closers.push(knowing.stop)
  const { origin, size } = await checkpoint()
  const larger = { origin, size: size + 1_000, root: Buffer.alloc(32, 1).toString('base64') }
  await knowing.heads.keep(larger, '')
  await app.restart(async () => {
    Object.assign(app.env, { WITNESSES: `${knowing.address.url} ${knowing.vkey}` })
  })
  const { name } = knowing.address.key
  const stopped = await eventually('the alarm', async () => {
    const now = await headsNow()
    return now.status === 'stopped' && now
  })
  t.like(stopped.witnesses[name], { status: 'refused', refusal: { reason: 'larger', seen: larger.size } })
  t.regex(await metrics(), /daybook_witness_refused\{witness="witness\.example\/knowing"\} 1/)
  t.is((await app.call('GET', '/readyz')).status, 200)
  const before = await sealed()
  await happen()
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  t.is(await sealed(), before)
  const { heads } = readConfig(app.env)
  await t.throwsAsync(
    inProcess(app.env, (books) => mustNotBeRefused(books, heads)),
    { message: new RegExp(`^nothing is sealed: the witness ${name} has seen a head of ${larger.size} events`) },
  )

  // The lost end of the log comes back in life; here the witness forgets it.
  await knowing.heads.keep({ origin, size: 0, root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' }, '')
  await eventually('the seal', async () => (await sealed()) > before)
  t.is((await headsNow()).status, 'ok')
  await inProcess(app.env, (books) => mustNotBeRefused(books, heads))
})
