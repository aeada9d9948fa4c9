/** From the release before releases noted themselves to this one, and the way back. */

import { deepEqual, equal } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import anyTest, { type ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import type { RunningService } from '../../src/runtime/serve.ts'
import { memberSignIn } from '../support/dashboard.ts'
import { person } from '../support/people.ts'
import { CLI } from '../support/program.ts'
import { ROOT } from '../support/source-files.ts'
import { type Started, startProgram, step } from './chroots.ts'
import { firstSale } from './first-sale.ts'
import { ON_DISK } from './product.ts'
import { openSurroundings, type Surroundings } from './surroundings.ts'

/** Milliseconds for an install of the older release and some starts on a busy machine. */
const LIMIT_MS = 1_200_000
/** The last state of the sources without backups and without a note of the release. */
const OLDER = 'a5a099a99da05e9e0be19bfddd445a2d7a20e6e3'

const isThere = (): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${OLDER}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const test = isThere() ? anyTest : anyTest.skip

type Release = { readonly node: string; readonly cli: string }

test('N-135 N-131 data of an older release is backed up and served with equal books, and that backup is the way back', async (t) => {
  t.timeout(LIMIT_MS)
  const folder = await mkdtemp(join(ON_DISK, 'daybook-upgrade-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const older = await installOlder(join(folder, 'older'))
  const newer: Release = { node: process.execPath, cli: CLI }
  const around = await openSurroundings()
  t.teardown(around.close)
  const place = await openPlaceIn(t, folder, around)

  const first = await place.start(older)
  const sellers = [await firstSale(t, place.origin, around), await firstSale(t, place.origin, around)]
  const before = await place.answers(sellers)
  t.is(await first.stop(), 0)
  const books = await place.books(older)

  const identity = await place.setBackups(newer)
  const upgraded = await place.start(newer)
  t.deepEqual(await place.answers(sellers), before)
  t.is(await place.books(newer), books)
  const account = await signedIn(t, place.origin, before, (...args) => place.run(newer, ...args))
  const why = ['--reason', 'A laptop was stolen', '--by', 'Ada']
  t.like(JSON.parse(await place.run(newer, 'accounts', 'end-sessions', account, ...why, '--json')), { changed: true })
  const later = [...sellers, await firstSale(t, place.origin, around)]
  const after = await place.answers(later)
  t.is(await upgraded.stop(), 0)
  const booksAfter = await place.books(newer)
  t.not(booksAfter, books)

  // It knows nothing of notes.
  await t.notThrowsAsync(place.serves(older, later, after))
  t.is(await place.books(older), booksAfter)
  const deciding = place.run(older, 'accounts', 'rotate-key', account, '--reason', 'The owner has lost it')
  await t.throwsAsync(
    deciding,
    { message: /AccountSessionsEnded/ },
    'nothing is decided on a stream that it cannot read',
  )

  const { backup_before: backup } = JSON.parse(await place.run(newer, 'upgrade', 'check', '--json'))
  await place.lose()
  await place.run(newer, 'backup', 'restore', backup, '--identity', identity)
  await t.notThrowsAsync(place.serves(older, sellers, before))
  t.is(await place.books(older), books)
})

/** Signs the first seller in to the dashboard; answers the account, which has a session then. */
const signedIn = async (t: ExecutionContext, origin: string, answers: readonly string[], run: Run): Promise<string> => {
  const { email } = JSON.parse(answers[0] ?? '')
  const who = person({ served: () => ({ origin }) as RunningService })
  t.is((await memberSignIn(who, { email })).location, '/dashboard')
  const [found] = JSON.parse(await run('accounts', 'find', email, '--json'))
  return found.account_id
}

type Run = (...args: readonly string[]) => Promise<string>

/** Installs the older release as it was. */
const installOlder = async (folder: string): Promise<Release> => {
  await mkdir(folder)
  await step('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', OLDER, folder], {}, ROOT)
  await step('npm', ['ci', '--omit=dev'], {}, folder)
  return { node: join(folder, 'node_modules/.bin/node'), cli: join(folder, relative(ROOT, CLI)) }
}

type Seller = Awaited<ReturnType<typeof firstSale>>

/** Data that releases are started on, one after the other. */
const openPlaceIn = async (t: ExecutionContext, folder: string, around: Surroundings) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const dataDir = join(folder, 'data')
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    ...around.env,
    // Forms are taken from the origin that people see, and no proxy stands in front.
    NODE_ENV: 'development',
    BASE_URL: origin,
    DATA_DIR: dataDir,
    PORT: String(port),
    METRICS_PORT: '0',
  }
  const client = createClient(() => origin)
  const answersTo = async ({ key, resId }: Seller) =>
    Promise.all(
      ['/v1/me', '/v1/transactions', `/r/${resId}`].map(async (path) => (await client.call('GET', path, { key })).text),
    )
  const answers = async (sellers: readonly Seller[]) => (await Promise.all(sellers.map(answersTo))).flat()
  const run = (release: Release, ...args: readonly string[]) => step(release.node, [release.cli, ...args], env, folder)
  return {
    origin,
    run,
    async start(release: Release): Promise<Started> {
      const args = [release.cli, 'serve']
      const start = () => spawn(release.node, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const started = await startProgram(start, port)
      t.teardown(started.stop)
      return started
    },
    answers,
    /** Starts a release, which answers the sellers so. */
    async serves(release: Release, sellers: readonly Seller[], expected: readonly string[]) {
      const started = await this.start(release)
      deepEqual(await answers(sellers), expected)
      equal(await started.stop(), 0)
    },
    /** The balances, without how far the log is. */
    async books(release: Release) {
      const told = await run(release, 'books')
      return told.slice(told.indexOf('\n'))
    },
    /** Backups are made from now on; answers the file of the identity. */
    async setBackups(release: Release) {
      const identity = join(folder, 'identity.txt')
      const [, recipient = ''] =
        /BACKUP_RECIPIENTS=(\S+)/.exec(await run(release, 'backup', 'key', '--out', identity)) ?? []
      Object.assign(env, { BACKUP_TO: join(folder, 'backups'), BACKUP_RECIPIENTS: recipient })
      return identity
    },
    async lose() {
      for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true })
    },
  }
}
