/** What backups are made of: settings, events byte for byte, and the subjects that have a key. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Registry } from 'prom-client'
import { backupName, MANIFEST } from '../../adapters/store/backup/place.ts'
import { storedEvent, storedLine } from '../../adapters/store/backup/stored-line.ts'
import { subjectSet } from '../../adapters/store/backup/subject-set.ts'
import { openPlace } from '../../src/backup/places.ts'
import { scheduleBackups } from '../../src/clock/backups.ts'
import { backupGauges } from '../../src/monitoring/backup-gauges.ts'
import { readConfig } from '../../src/settings/config.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'

const RECIPIENT = 'age1jj6949zntwy9z9aaa0jjeyyhss2w46rh0dcdthhs20qu22zacqfq9mgrh9'

test('N-130 an event comes back from a backup byte for byte, whatever its bytes are', (t) => {
  const place = { position: 104_448n, revision: 3n, id: randomUUID(), stream: 'account-ä', type: 'Thing' }
  for (const bytes of [
    Buffer.from('{"a":"ü\\n"}'),
    randomBytes(64),
    Buffer.from('\ufefftext\nline'),
    Buffer.alloc(0),
  ]) {
    const event = { ...place, contentType: 'application/json', metadata: bytes, data: bytes }
    const back = storedEvent(storedLine(event))
    t.deepEqual([Buffer.from(back.metadata), Buffer.from(back.data)], [bytes, bytes])
    t.like(back, place)
  }
  for (const line of [
    '{}',
    '[]',
    'x',
    storedLine({ ...place, contentType: '', metadata: Buffer.alloc(0), data: Buffer.alloc(0) }).replace(
      '"data":""',
      '"data":1',
    ),
  ])
    t.throws(() => storedEvent(line))
})

test('N-130 every subject that was added is found among thousands, and no other', (t) => {
  const subjects = subjectSet()
  for (let n = 0; n < 5_000; n++) subjects.add(`account-${n}`)
  t.true([0, 1, 2_500, 4_999].every((n) => subjects.has(`account-${n}`)))
  t.false([5_000, 5_001].some((n) => subjects.has(`account-${n}`)))
})

test('N-132 backups by the clock need somebody who can open them, and a place that is one', (t) => {
  const refused = (env: Record<string, string>, message: RegExp) =>
    t.throws(() => readConfig(env), { instanceOf: BadSetting, message })
  const to = { BACKUP_TO: '/mnt/backups' }
  refused(to, /BACKUP_RECIPIENTS is missing/)
  refused({ ...to, BACKUP_RECIPIENTS: 'age1x' }, /BACKUP_RECIPIENTS is not a list of public keys/)
  refused({ ...to, BACKUP_RECIPIENTS: RECIPIENT, BACKUP_EVERY_SECONDS: '59' }, /BACKUP_EVERY_SECONDS is not a number/)
  refused({ BACKUP_TO: 's3://bucket', BACKUP_RECIPIENTS: RECIPIENT }, /BACKUP_S3_KEY_ID/)
  t.like(readConfig({ ...to, BACKUP_RECIPIENTS: `${RECIPIENT}, ${RECIPIENT}` }).backup, {
    to: '/mnt/backups',
    everySeconds: 3_600,
    keep: 48,
    recipients: [RECIPIENT, RECIPIENT],
  })
  const keys = { endpoint: 'http://127.0.0.1:1', region: 'r', keyId: 'k', secret: 's' }
  t.is(openPlace('--to', 's3://bucket/a/b/', keys).name, 's3://bucket/a/b')
  for (const bad of ['ftp://host/x', 's3://B', 's3://bucket/a?b'])
    t.throws(() => openPlace('--to', bad, keys), { instanceOf: BadSetting })
})

test('N-132 N-168 backups within DATA_DIR are refused, by whatever way they are named', (t) => {
  const dir = folderFor(t)
  const data = join(dir, 'data')
  const at = (to: string) => () => readConfig({ DATA_DIR: data, BACKUP_TO: to, BACKUP_RECIPIENTS: RECIPIENT })
  for (const to of [data, join(data, 'backups'), `${data}/../data/a/b`])
    t.throws(at(to), { instanceOf: BadSetting, message: /BACKUP_TO is within DATA_DIR/ }, to)
  for (const to of [join(dir, 'database'), join(dir, 'backups'), dir]) t.notThrows(at(to), to)
  mkdirSync(data)
  const link = join(dir, 'link')
  symlinkSync(data, link)
  t.throws(at(join(link, 'backups')), { instanceOf: BadSetting, message: /BACKUP_TO is within DATA_DIR/ })
})

const EVERY_MS = 60_000

/** Backups of a log that ends somewhere, in a place; the time is the test's. */
const scheduled = (to: string, head = 7n) => {
  const clock = { ms: Date.parse('2026-03-02T10:00:00Z') }
  const { backup } = readConfig({ BACKUP_TO: to, BACKUP_RECIPIENTS: RECIPIENT, BACKUP_EVERY_SECONDS: '60' })
  const means = { store: { head: async () => head }, world: { now: () => new Date(clock.ms) } }
  const backups = scheduleBackups(backup, means as never, {} as never)
  if (!backups) throw new Error('the settings want backups')
  return { backups, clock }
}

const folderFor = (t: ExecutionContext): string => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-backup-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}

test('N-132 N-142 backups are late once the newest is two rounds old, and without one two rounds after the start', async (t) => {
  const dir = folderFor(t)
  const none = scheduled(dir)
  t.deepEqual(await none.backups.report(), { age: null, count: 0, failures: 0, late: false })
  none.clock.ms += 2 * EVERY_MS + 1
  t.like(await none.backups.report(), { age: null, late: true })
  const empty = scheduled(dir, -1n)
  empty.clock.ms += 2 * EVERY_MS + 1
  t.like(await empty.backups.report(), { late: false }, 'an empty log has nothing to lose')

  const { backups, clock } = scheduled(dir)
  for (const ageMs of [5 * EVERY_MS, 2 * EVERY_MS]) {
    const name = backupName(new Date(clock.ms - ageMs), 7n)
    mkdirSync(join(dir, name))
    writeFileSync(join(dir, name, MANIFEST), '{}')
  }
  t.like(await backups.report(), { age: 120, count: 2, late: false })
  clock.ms += 1
  t.like(await backups.report(), { late: true })
})

test('N-132 N-142 a place of backups that cannot be asked makes them late as one without a backup does', async (t) => {
  const file = join(folderFor(t), 'file')
  writeFileSync(file, '')
  const { backups, clock } = scheduled(file)
  const registry = new Registry()
  backupGauges(registry, backups)
  await t.throwsAsync(backups.report())
  const told = async () => (await registry.metrics()).match(/^daybook_backup_\w+ .*$/gm)
  t.deepEqual(await told(), ['daybook_backup_age_seconds +Inf', 'daybook_backup_late 0', 'daybook_backup_failures 0'])
  clock.ms += 2 * EVERY_MS + 1
  t.is((await told())?.[1], 'daybook_backup_late 1')
})
