import { installed, provideAll } from './debian.ts'

/** Programs that an installation is tried with: each is Debian's. */

const PROGRAMS = {
  debootstrap: '/usr/sbin/debootstrap',
  buildah: '/usr/bin/buildah',
  caddy: '/usr/bin/caddy',
  'docker-compose': '/usr/bin/docker-compose',
  systemd: '/usr/bin/systemd-analyze',
} as const

/** Installs those that are missing where that is possible; what is then skipped fails in CI. */
export const provideDeployPrograms = (): void =>
  provideAll(PROGRAMS, 'tests of the image, of a fresh Debian, of the unit, of Compose and of Caddy')

/** Where a program is; undefined when it is missing, or may not be used: roots and images are made by root alone. */
export const deployProgram = (name: keyof typeof PROGRAMS): string | undefined =>
  process.getuid?.() === 0 || name === 'caddy' ? installed(PROGRAMS[name]) : undefined
