/** Backups in an object store, of a log in EventStoreDB, by the clock, and by commands that are killed. */
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { bucketPlace } from '../../adapters/store/backup/bucket.ts'
import { folderPlace } from '../../adapters/store/backup/folder.ts'
import { drill } from '../../src/commands/backup/drill.ts'
import { rotateMasterKey } from '../../src/commands/parts/master-key.ts'
import { eventually } from '../../src/demo/stage.ts'
import { daybookProcess, start } from '../cli/daybook.ts'
import { answersOf, live, lived } from '../parts/lives.ts'
import { activeSeller } from '../support/seller.ts'
import { BUCKET, BUCKET_KEYS, objectStore } from './object-store.ts'
import { backUp, backupFolder, emptyPlace, putBack, verified } from './stage.ts'

test.serial(
  'N-130 N-131 a backup in a bucket is put back as one in a folder is, and a large part comes whole',
  async (t) => {
    const folder = await backupFolder(t)
    const endpoint = await objectStore(t, folder.dir)
    const { place, people } = await lived(t, 'embedded', {
      LOG_MIRROR: 'off',
      BACKUP_S3_ENDPOINT: endpoint,
      ...BUCKET_KEYS,
    })
    const bucket = { ...folder, to: `s3://${BUCKET}/of/daybook` }
    const before = await answersOf(place, people)
    const { manifest } = await backUp(place, bucket)
    t.is((await verified(place, bucket)).backup, manifest.name)
    const there = await emptyPlace(t, place)
    Object.assign(there.env, { BACKUP_S3_ENDPOINT: endpoint, ...BUCKET_KEYS })
    await putBack(there, bucket)
    t.deepEqual(await answersOf(there, people), before)
    const store = bucketPlace(BUCKET, 'large', { endpoint, region: 'us-east-1', keyId: 'S3RVER', secret: 'S3RVER' })
    const writer = await store.begin('2026-11-27T00-00-00Z-1')
    const piece = Buffer.alloc(1_000_003, 7)
    await writer.write(
      'log.gz.age',
      (async function* () {
        for (let n = 0; n < 40; n++) yield piece
      })(),
    )
    t.deepEqual(await store.list(), [], 'without its manifest it is no backup')
    await writer.finish('{}')
    t.deepEqual(await store.list(), ['2026-11-27T00-00-00Z-1'])
    let size = 0
    for await (const bytes of (await store.read('2026-11-27T00-00-00Z-1', 'log.gz.age')) ?? []) size += bytes.length
    t.is(size, 40 * piece.length)
    await store.remove('2026-11-27T00-00-00Z-1')
    t.deepEqual([await store.list(), await store.read('2026-11-27T00-00-00Z-1', 'log.gz.age')], [[], undefined])
  },
)

test.serial(
  'N-130 N-131 a log of EventStoreDB is backed up, and put back into an empty server or the embedded log',
  async (t) => {
    const folder = await backupFolder(t)
    const { place, people } = await lived(t, 'eventstoredb', { LOG_MIRROR: 'off' })
    const before = await answersOf(place, people)
    await backUp(place, folder)
    for (const kind of ['eventstoredb', 'embedded'] as const) {
      const there = await emptyPlace(t, place, kind)
      // The command finds a server that runs.
      await there.run(() => putBack(there, folder))
      t.deepEqual(await answersOf(there, people), before, kind)
      await live(there, 1)
      await t.throwsAsync(
        there.run(() => putBack(there, folder)),
        { message: /target_not_empty/ },
        kind,
      )
    }
  },
)

test.serial(
  'N-133 a drill says that the newest backup can be put back with the same books, and leaves nothing',
  async (t) => {
    const folder = await backupFolder(t)
    const { place } = await lived(t, 'embedded', { LOG_MIRROR: 'off' })
    await backUp(place, folder)
    await live(place, 1)
    const { told } = await place.run((books, config, out) =>
      drill(books, config, out, { from: folder.to, identity: folder.identity }),
    )
    t.true(told.events_after > 0)
  },
)

test.serial('N-132 the service makes backups by the clock, keeps so many, and tells their age', async (t) => {
  const folder = await backupFolder(t)
  const settings = { BACKUP_TO: folder.to, BACKUP_RECIPIENTS: folder.recipient, BACKUP_KEEP: '1' }
  const { place } = await lived(t, 'embedded', { LOG_MIRROR: 'off', ...settings })
  const served = await place.start()
  await eventually('a backup', async () => (await folderPlace(folder.to).list()).length === 1)
  const metrics = await (await fetch(served.metricsUrl)).text()
  t.regex(metrics, /daybook_backup_age_seconds \d/)
  t.regex(metrics, /daybook_backup_failures 0/)
  const { json } = await place.call('GET', '/readyz')
  t.like(json.checks.backups, { status: 'ok', count: 1, failures: 0 })
  await place.close()
  // A place that nobody can write to.
  rmSync(folder.to, { recursive: true })
  place.env.BACKUP_TO = '/dev/null/backups'
  const again = await place.start()
  await eventually('the failure', async () =>
    /daybook_backup_failures [1-9]/.test(await (await fetch(again.metricsUrl)).text()),
  )
})

test.serial(
  'N-131 N-134 a backup, and a change of the master key, that are killed leave everything as it was',
  async (t) => {
    const folder = await backupFolder(t)
    const { place, people } = await lived(t, 'embedded', { LOG_MIRROR: 'off' })
    const before = await answersOf(place, people)
    const sql = connect(place.env.DATABASE_URL ?? '', { max: 2 })
    t.teardown(() => sql.end())
    // Each waits for a table that this transaction holds, half way through, and is killed there.
    for (const args of [
      ['backup', 'create', '--to', folder.to, '--recipient', folder.recipient],
      ['master-key', 'rotate'],
    ]) {
      await sql.begin(async (tx) => {
        await tx`lock table daybook_vault.data_keys in access exclusive mode`
        const command = start(place.env, args)
        await eventually('the command to wait', async () => {
          const [row] = await sql`
            select count(*)::int as waiting from pg_locks join pg_database on pg_database.oid = database
            where not granted and locktype = 'relation' and datname = current_database()`
          return row?.waiting > 0
        })
        command.kill('SIGKILL')
        await once(command, 'close')
      })
      t.deepEqual(await folderPlace(folder.to).list(), [])
      t.deepEqual(await answersOf(place, people), before)
    }
    const left = readdirSync(folder.to)
    t.true(left.length === 1 && left.every((name) => name.endsWith('.unfinished')), String(left))
    t.true(existsSync(`${place.files['master key']}.next`))
    await place.start()
    const { told } = await place.run((books, config, out) => rotateMasterKey(books, config, out))
    t.true(told.wrapped > 0)
    t.false(existsSync(`${place.files['master key']}.next`))
    // The service that served meanwhile goes on under the new key.
    await activeSeller(place)
    await place.close()
    await live(place, 1)
    t.deepEqual(await answersOf(place, people), before)
    t.is((await daybookProcess(place.env, 'doctor')).code, 0)
  },
)
