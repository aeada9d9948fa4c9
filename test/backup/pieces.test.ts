/** What backups are made of: settings, events byte for byte, and the subjects that have a key. */
import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { storedEvent, storedLine } from '../../adapters/store/backup/stored-line.ts'
import { subjectSet } from '../../adapters/store/backup/subject-set.ts'
import { openPlace } from '../../src/backup/places.ts'
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
