import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import test from 'ava'
import { freePort } from '../../src/demo/port.ts'
import { createDatabase } from '../support/postgres.ts'
import { CLI } from '../support/program.ts'
import { ROOT } from '../support/source-files.ts'
import { type Program, startProgram, step } from './chroots.ts'
import { firstSale } from './first-sale.ts'
import { cloneTo, installedMb, ON_DISK } from './product.ts'
import { openSurroundings } from './surroundings.ts'

/** MB of all packages, those of the platform included. */
const INSTALLED_MB_MAX = 350

test('N-151 an install for production is small, takes a password and a picture and sells, and has no sandbox', async (t) => {
  t.timeout(1_200_000)
  const folder = await mkdtemp(join(ON_DISK, 'daybook-install-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await cloneTo(folder)
  await step('npm', ['ci', '--omit=dev'], {}, folder)
  const mb = installedMb(folder)
  t.log(`${mb.toFixed(1)} MB of packages`)
  t.true(mb > 100 && mb <= INSTALLED_MB_MAX, `${mb} MB`)

  const around = await openSurroundings()
  t.teardown(around.close)
  const port = await freePort()
  const node = join(folder, 'node_modules/.bin/node')
  const serving =
    (env: Readonly<Record<string, string>>): Program =>
    () =>
      spawn(node, [join(folder, relative(ROOT, CLI)), 'serve'], {
        cwd: around.dir,
        env: {
          PATH: process.env.PATH,
          DATA_DIR: join(around.dir, 'data'),
          METRICS_PORT: '0',
          PORT: String(port),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
  const service = await startProgram(serving({ ...around.env, ...around.outside }), port)
  t.teardown(service.stop)
  await firstSale(t, `http://127.0.0.1:${port}`, around)
  t.is(await service.stop(), 0)

  const empty = await createDatabase()
  t.teardown(empty.drop)
  const sandbox = startProgram(serving({ DATABASE_URL: empty.url, DATA_DIR: join(around.dir, 'sandbox') }), port)
  t.regex(String(await t.throwsAsync(sandbox)), /needs the package @foundry-rs\/anvil.*CHAIN_ETH_RPC.*npm ci/)
})

test('N-157 the list of what is installed for production names each package, with its checksum and licence', async (t) => {
  const bom = JSON.parse(await step('npm', ['run', '--silent', 'sbom'], {}, ROOT))
  t.like(bom, { bomFormat: 'CycloneDX', specVersion: '1.5' })
  t.regex(bom.metadata.component.purl, /^pkg:npm\/daybook@/)
  const components = bom.components as Component[]
  const named = new Map(components.map((component) => [component.name, component]))
  for (const name of ['koa', '@node-rs/argon2', 'sharp', '@eventstore/db-client']) t.true(named.has(name), name)
  for (const name of ['ava', '@foundry-rs/anvil', '@solana/surfpool-linux-x64-gnu']) t.false(named.has(name), name)
  for (const { name, purl, hashes = [] } of components) {
    t.regex(purl, /^pkg:npm\/.+@\d/, name)
    t.true(
      hashes.some(({ alg }) => alg === 'SHA-512'),
      name,
    )
  }
  const refs = new Set([bom.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])])
  for (const { ref, dependsOn = [] } of bom.dependencies as { ref: string; dependsOn?: string[] }[])
    t.deepEqual(
      [ref, ...dependsOn].filter((each) => !refs.has(each)),
      [],
    )
})

type Component = {
  readonly name: string
  readonly purl: string
  readonly 'bom-ref': string
  readonly hashes?: readonly { readonly alg: string }[]
}
