import { readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { deployProgram } from '../support/deploy-programs.ts'
import { step } from './chroots.ts'
import { ON_DISK } from './product.ts'

/** Of 10, by `systemd-analyze security`. */
const EXPOSURE_MAX = 2
const UNITS = 'usr/lib/systemd/system'

const analyze = deployProgram('systemd') ? test : test.skip
analyze('N-153 the unit is one that systemd takes, and leaves the service little to do harm with', async (t) => {
  const root = await mkdtemp(join(ON_DISK, 'daybook-unit-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const unit = join(root, UNITS, 'daybook.service')
  await cp(`/${UNITS}`, join(root, UNITS), { recursive: true, verbatimSymlinks: true })
  await cp('deploy/daybook.service', unit)
  const program = join(root, /^ExecStart=(\S+)/m.exec(readFileSync(unit, 'utf8'))?.[1] ?? '')
  await mkdir(dirname(program), { recursive: true })
  await writeFile(program, '')
  await chmod(program, 0o755)
  const verify = () => step('systemd-analyze', ['verify', `--root=${root}`, 'daybook.service'])
  await t.notThrowsAsync(verify())
  const told = await step('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit])
  const [, exposure] = /Overall exposure level for daybook\.service: ([\d.]+)/.exec(told) ?? []
  t.true(Number(exposure) <= EXPOSURE_MAX, exposure)
  await rm(program)
  await t.throwsAsync(verify(), undefined, 'a program that is not there is told')
})

type Compose = {
  readonly services: Readonly<Record<string, { readonly secrets?: readonly string[]; readonly environment?: object }>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const compose = deployProgram('docker-compose') ? test : test.skip
compose('N-154 Compose takes the file, and each secret comes from a file', async (t) => {
  const folder = await mkdtemp(join(ON_DISK, 'daybook-compose-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await cp('deploy', join(folder, 'deploy'), { recursive: true })
  for (const file of ['daybook.env', 'eventstore.env']) await writeFile(join(folder, 'deploy', file), '')
  const file = join(folder, 'deploy/compose.yaml')
  const told = (env: Readonly<Record<string, string>>) => step('docker-compose', ['--file', file, 'config'], env)
  await t.throwsAsync(told({ DAYBOOK_HOSTS: '' }), { message: /the hosts of BASE_URL/ })
  const { services, secrets }: Compose = parse(await told({ DAYBOOK_HOSTS: 'pay.example' }))
  t.true(Object.keys(services).length >= 6)
  const used = new Set(
    Object.values(services)
      .flatMap((service) => service.secrets ?? [])
      .map(nameOf),
  )
  t.deepEqual([...used].sort(), Object.keys(secrets).sort())
  for (const { file: from } of Object.values(secrets)) t.true(from.startsWith(join(folder, 'deploy/secrets/')), from)
  const given = Object.entries(services.daybook?.environment ?? {})
  t.true(given.some(([name]) => name === 'MASTER_KEY_FILE'))
  for (const [name, value] of given)
    if (name.endsWith('_FILE')) t.true(used.has(String(value).replace('/run/secrets/', '')), name)
})

/** Versions of Compose name a secret by itself or as an object. */
const nameOf = (secret: string | { readonly source: string }): string =>
  typeof secret === 'string' ? secret : secret.source
