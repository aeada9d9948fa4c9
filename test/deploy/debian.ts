/** A Debian of its own in a folder, with Node and npm, as machines and images have it that Daybook comes to. */
import { cp, mkdir, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { step } from './chroots.ts'

const RELEASE = 'bookworm'
/** Where this machine is told of further authorities that its network has; the packages are got through it. */
const AUTHORITIES = process.env.NODE_EXTRA_CA_CERTS

/** What a step inside needs to reach the registry. */
export const NETWORK: Readonly<Record<string, string>> = AUTHORITIES ? { NODE_EXTRA_CA_CERTS: AUTHORITIES } : {}

export const makeDebian = async (root: string): Promise<void> => {
  await step('debootstrap', ['--variant=minbase', RELEASE, root])
  await cp('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true })
  if (AUTHORITIES) {
    await mkdir(dirname(join(root, AUTHORITIES)), { recursive: true })
    await cp(AUTHORITIES, join(root, AUTHORITIES), { dereference: true })
  }
  await cp(process.execPath, join(root, 'usr/local/bin/node'), { dereference: true })
  // …/npm/bin/npm-cli.js
  const npm = dirname(dirname(await realpath((await step('sh', ['-c', 'command -v npm'])).trim())))
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
}
