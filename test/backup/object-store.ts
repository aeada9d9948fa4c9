import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import S3rver from 's3rver'

export const BUCKET = 'backups'
export const BUCKET_KEYS = { BACKUP_S3_KEY_ID: 'S3RVER', BACKUP_S3_SECRET: 'S3RVER' }

/** An object store in a folder, with one empty bucket; answers its endpoint. */
export const objectStore = async (t: ExecutionContext, dir: string): Promise<string> => {
  const directory = join(dir, 's3')
  mkdirSync(directory)
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await server.run()
  t.teardown(() => server.close())
  return `http://127.0.0.1:${port}`
}
