/** A backup is of one position of the log, opens for whoever may, and is put back whole or not at all. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { verify as verifyReadModels } from '../../src/books/verify-read-models.ts'
import { doctor } from '../../src/commands/parts/doctor.ts'
import { erase } from '../../src/commands/users/erase.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import { answersOf, eventsOf, grant, lived } from '../parts/lives.ts'
import { activeSeller } from '../support/seller.ts'
import { backUp, backupFolder, emptyPlace, filesIn, keyPair, putBack, verified } from './stage.ts'

test.serial(
  'N-130 N-131 a backup of a service that writes is put back into an empty place, and answers the same to the byte',
  async (t) => {
    const { place, people } = await lived(t, 'embedded', { LOG_MIRROR: 'off' })
    const folder = await backupFolder(t)
    people.shift()
    const who = (await eventsOf(place)).find(({ type }) => type === 'AccountSignedUp')?.stream.slice('account-'.length)
    await place.run((books, config, out) =>
      erase(books, out, { who: who ?? '', yes: true, masterKey: openDataDir(config).masterKeys }),
    )
    await place.start()
    const signingUp = Array.from({ length: 4 }, () => activeSeller(place))
    const told = await backUp(place, folder)
    await Promise.all(signingUp)
    await place.close()
    const end = BigInt(told.manifest.log.position)
    t.is(told.manifest.log.events, (await eventsOf(place)).filter(({ position }) => position <= end).length)

    const content = (await verified(place, folder)).content
    t.deepEqual([content.events, content.erased > 0], [told.manifest.log.events, true])
    const before = await answersOf(place, people)
    const there = await emptyPlace(t, place)
    await putBack(there, folder)
    t.deepEqual(await answersOf(there, people), before)
    t.true((await there.run((books, _, out) => verifyReadModels(books, out))).ok)
    t.true((await there.run((books, config, out) => doctor(books, config, out))).ok)
    const sql = connect(there.env.DATABASE_URL ?? '', { max: 1 })
    t.teardown(() => sql.end())
    const gone = await sql`select 1 from daybook_vault.data_keys where erased_at is not null and wrapped = ''`
    t.is(gone.length, content.erased, 'whoever was erased stays erased')
    await t.throwsAsync(putBack(there, folder), { message: /DATA_DIR holds .*events\.db.*target_not_empty/ })
  },
)

test.serial(
  'N-131 a backup that is not whole, or not to be opened, is refused by name and changes nothing',
  async (t) => {
    const { place } = await lived(t, 'embedded', { LOG_MIRROR: 'off' })
    const folder = await backupFolder(t)
    const { manifest } = await backUp(place, folder)
    const there = await emptyPlace(t, place)
    const original = join(folder.to, manifest.name)
    for (const [what, spoil, code] of faultsOf(manifest.log)) {
      const to = join(folder.dir, what.replaceAll(' ', '-'))
      cpSync(original, join(to, manifest.name), { recursive: true })
      spoil(join(to, manifest.name))
      const spoilt = { to, identity: folder.identity }
      await t.throwsAsync(verified(place, spoilt), { message: code }, what)
      await t.throwsAsync(putBack(there, spoilt), { message: code }, what)
      t.deepEqual(filesIn(there), [], what)
    }
    const stranger = join(folder.dir, 'stranger.txt')
    await keyPair(stranger)
    await t.throwsAsync(putBack(there, { to: folder.to, identity: stranger }), { message: /wrong_identity/ })
    await t.throwsAsync(putBack(there, folder, '2026-01-01T00-00-00Z-1'), { message: /backup_not_there/ })
    // A part of another backup of the same log, with a manifest that says it belongs.
    await grant(place, 'later')
    const other = await backUp(place, { to: join(folder.dir, 'other'), recipient: folder.recipient })
    const mixed = join(folder.dir, 'mixed', manifest.name)
    cpSync(original, mixed, { recursive: true })
    copyFileSync(join(folder.dir, 'other', other.manifest.name, 'log.gz.age'), join(mixed, 'log.gz.age'))
    const log = other.manifest.parts[0]
    rewrite(join(mixed, 'manifest.json'), (text) => {
      const given = JSON.parse(text)
      return JSON.stringify({ ...given, parts: [log, ...given.parts.slice(1)] })
    })
    await t.throwsAsync(putBack(there, { to: join(folder.dir, 'mixed'), identity: folder.identity }), {
      message: /log\.gz\.age.*other_backup/,
    })
    writeFileSync(there.files['master key'], 'ab'.repeat(32))
    await t.throwsAsync(putBack(there, folder), { message: /wrong_master_key/ })
    t.deepEqual(filesIn(there), [])
  },
)

test.serial(
  'N-131 what a backup that was cut off has left is no backup, and a restore that was cut off starts nothing',
  async (t) => {
    const { place } = await lived(t, 'embedded', { LOG_MIRROR: 'off' })
    const folder = await backupFolder(t)
    const { manifest } = await backUp(place, folder)
    mkdirSync(join(folder.to, `2027-01-01T00-00-00Z-1.unfinished`))
    mkdirSync(join(folder.to, `2027-01-01T00-00-00Z-2`))
    t.is((await verified(place, { to: folder.to })).backup, manifest.name)
    t.is(readdirSync(folder.to).length, 3)
    const there = await emptyPlace(t, place)
    writeFileSync(join(there.files.log, '..', 'restore.unfinished'), manifest.name)
    await t.throwsAsync(there.start(), { message: /holds a restore of the backup .* that was cut off/ })
    await t.throwsAsync(putBack(there, folder), { message: /restore_unfinished/ })
  },
)

const change = (file: string, at: number): void => {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

const rewrite = (file: string, edit: (text: string) => string): void =>
  writeFileSync(file, edit(readFileSync(file, 'utf8')))

type Fault = readonly [what: string, spoil: (dir: string) => void, code: RegExp]

/** What may be wrong with the files of a backup, and how it is called. */
const faultsOf = (log: { readonly id: string; readonly last_event: string }): readonly Fault[] => [
  ['a byte was changed', (dir) => change(join(dir, 'log.gz.age'), 400), /log\.gz\.age.*part_altered/],
  ['a file ends early', (dir) => truncateSync(join(dir, 'data-keys.gz.age'), 300), /data-keys\.gz\.age.*part_altered/],
  ['a file goes on', (dir) => appendFileSync(join(dir, 'pictures.gz.age'), 'x'), /pictures\.gz\.age.*part_altered/],
  ['a file is gone', (dir) => rmSync(join(dir, 'heads.gz.age')), /heads\.gz\.age.*part_missing/],
  ['the manifest is no JSON', (dir) => writeFileSync(join(dir, 'manifest.json'), '{'), /manifest_unreadable/],
  [
    'the manifest names another log',
    (dir) => rewrite(join(dir, 'manifest.json'), (text) => text.replace(log.id, 'another')),
    /other_backup/,
  ],
  [
    'the manifest says another end',
    (dir) => rewrite(join(dir, 'manifest.json'), (text) => text.replace(log.last_event, 'another')),
    /log_differs/,
  ],
]
