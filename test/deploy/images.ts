/** Images that are built and looked into without a daemon, in a storage of their own. */
import { join } from 'node:path'
import { step } from './chroots.ts'

/** What an image says of how it is run. */
export type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export const openImages = (folder: string) => {
  const storage = ['--storage-driver', 'vfs', '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const buildah = async (...args: readonly string[]) =>
    (await step('buildah', [...storage, ...args], { TMPDIR: folder })).trim()
  return {
    /** Makes an image of a folder. */
    async fromFolder(root: string, name: string, env: Readonly<Record<string, string>>): Promise<void> {
      const container = await buildah('from', 'scratch')
      await buildah('copy', '--quiet', container, root, '/')
      for (const [key, value] of Object.entries(env)) await buildah('config', '--env', `${key}=${value}`, container)
      await buildah('commit', '--quiet', container, name)
      await buildah('rm', container)
    },
    async build(context: string, file: string, name: string, base: string): Promise<void> {
      const how = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--build-arg', `BASE=${base}`]
      await buildah('bud', ...how, '--file', file, '--tag', name, context)
    },
    async configOf(name: string): Promise<ImageConfig> {
      return JSON.parse(await buildah('inspect', '--type', 'image', name)).Docker.config
    },
    /** A folder with what the image holds. */
    async mount(name: string): Promise<string> {
      return buildah('mount', await buildah('from', name))
    },
    async close(): Promise<void> {
      await buildah('umount', '--all')
      await buildah('rm', '--all')
    },
  }
}
