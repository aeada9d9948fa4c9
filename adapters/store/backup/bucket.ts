/** Backups in a bucket of an S3 object store: the manifest is written last, and makes the other files a backup. */
import { setTimeout as pause } from 'node:timers/promises'
import { S3mini } from 's3mini'
import { type BackupPlace, type BackupWriter, isBackupName, MANIFEST, MANIFEST_BYTES_MAX } from './place.ts'

type BucketAccess = {
  /** `https://s3.eu-central-1.amazonaws.com`, or that of any store that speaks S3. */
  readonly endpoint: string
  readonly region: string
  readonly keyId: string
  readonly secret: string
}

/** A piece that is sent or fetched at once; an object has 10,000 at most, which is 160 GB. */
const PIECE_BYTES = 16 * 1_024 * 1_024
/** Milliseconds that one call may take, with its piece. */
const CALL_MS = 120_000
const TRIES = 3
const AGAIN_MS = 1_000

/** @param prefix what the keys of all backups begin with; empty, or without a slash at its end */
export const bucketPlace = (bucket: string, prefix: string, access: BucketAccess): BackupPlace => {
  const store = new S3mini({
    endpoint: `${access.endpoint.replace(/\/$/, '')}/${bucket}`,
    region: access.region,
    accessKeyId: access.keyId,
    secretAccessKey: access.secret,
    requestAbortTimeout: CALL_MS,
  })
  const start = prefix === '' ? '' : `${prefix}/`
  const keyOf = (backup: string, file: string) => `${start}${backup}/${file}`
  const remove = async (backup: string): Promise<void> => {
    // It is no backup any more before the first of its other files goes away.
    await again(() => store.deleteObject(keyOf(backup, MANIFEST)))
    for (const key of await keysUnder(store, `${start}${backup}/`)) await again(() => store.deleteObject(key))
  }
  return {
    name: `s3://${[bucket, prefix].filter((part) => part !== '').join('/')}`,
    async list() {
      const ends = `/${MANIFEST}`
      const manifests = (await keysUnder(store, start)).filter((key) => key.endsWith(ends))
      return manifests
        .map((key) => key.slice(start.length, -ends.length))
        .filter(isBackupName)
        .sort()
    },
    async manifest(backup) {
      const bytes = await piece(store, keyOf(backup, MANIFEST), 0, MANIFEST_BYTES_MAX)
      return bytes && Buffer.from(bytes).toString('utf8')
    },
    async read(backup, file) {
      const key = keyOf(backup, file)
      const first = await piece(store, key, 0, PIECE_BYTES)
      return first && pieces(store, key, first)
    },
    begin: async (backup) =>
      writer(
        store,
        (file) => keyOf(backup, file),
        () => remove(backup),
      ),
    remove,
  }
}

const writer = (store: S3mini, keyOf: (file: string) => string, remove: () => Promise<void>): BackupWriter => ({
  async write(file, given) {
    const key = keyOf(file)
    const parts: { partNumber: number; etag: string }[] = []
    let upload: string | undefined
    try {
      for await (const { bytes, last } of gathered(given)) {
        if (last && upload === undefined) return void (await again(() => store.putObject(key, bytes)))
        upload ??= await again(() => store.getMultipartUploadId(key))
        const [id, number] = [upload, parts.length + 1]
        parts.push(await again(() => store.uploadPart(key, id, bytes, number)))
      }
      if (upload !== undefined) await store.completeMultipartUpload(key, upload, parts)
    } catch (error) {
      if (upload !== undefined) await store.abortMultipartUpload(key, upload).catch(() => {})
      throw error
    }
  },
  async finish(manifest) {
    await again(() => store.putObject(keyOf(MANIFEST), manifest, 'application/json'))
  },
  abandon: remove,
})

/** The same bytes in pieces of one size, the last of which is smaller. */
async function* gathered(given: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let [held, size]: [Uint8Array[], number] = [[], 0]
  for await (const bytes of given) {
    held.push(bytes)
    size += bytes.length
    if (size < PIECE_BYTES) continue
    const all = Buffer.concat(held)
    yield { bytes: all.subarray(0, PIECE_BYTES), last: false }
    const rest = all.subarray(PIECE_BYTES)
    held = [rest]
    size = rest.length
  }
  yield { bytes: Buffer.concat(held), last: true }
}

async function* pieces(store: S3mini, key: string, first: Uint8Array): AsyncGenerator<Uint8Array> {
  let [bytes, from] = [first, 0]
  for (;;) {
    yield bytes
    if (bytes.length < PIECE_BYTES) return
    from += bytes.length
    bytes = (await piece(store, key, from, PIECE_BYTES)) ?? new Uint8Array()
  }
}

/** Part of an object; undefined where the object is not there, empty after its end. */
const piece = (store: S3mini, key: string, from: number, length: number): Promise<Uint8Array | undefined> =>
  again(async () => {
    try {
      const response = await store.getObjectRaw(key, false, from, from + length)
      return new Uint8Array(await response.arrayBuffer())
    } catch (error) {
      const { status } = error as { status?: number }
      if (status === 404) return undefined
      if (status === 416) return new Uint8Array()
      throw error
    }
  })

const keysUnder = async (store: S3mini, prefix: string): Promise<readonly string[]> => {
  const found = await again(() => store.listObjects('/', prefix))
  if (!found) throw new Error('the bucket is not there')
  return found.map(({ Key }) => Key)
}

/** Asks again when the store is busy, or did not answer; not when it refuses. */
const again = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++)
    try {
      return await call()
    } catch (error) {
      const { status } = error as { status?: number }
      if (tries === TRIES || (status !== undefined && status >= 400 && status < 500)) throw error
      await pause(AGAIN_MS * tries)
    }
}
