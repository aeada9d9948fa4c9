/** The files of a backup: compressed, then encrypted for recipients in the format of `age`, as a stream. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** The bytes of a file for whoever has the identity of one of the recipients. */
export const encrypted = async (
  texts: AsyncIterable<string | Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> => {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return (await encrypter.encrypt(webStream(through(texts, createGzip())))) as AsyncIterable<Uint8Array>
}

/**
 * What was encrypted, in pieces. Rejects with WrongIdentity when none of the identities opens it, and with another
 * error at a byte that was altered.
 */
export const decrypted = async (
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): Promise<AsyncIterable<Buffer>> => {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  const plain = await decrypter.decrypt(webStream(Readable.from(bytes))).catch((error: unknown) => {
    throw /no identity matched/.test((error as Error).message) ? new WrongIdentity() : error
  })
  return through(plain as AsyncIterable<Uint8Array>, createGunzip())
}

/** None of the identities that were given is a recipient of the file. */
export class WrongIdentity extends Error {
  override readonly name = 'WrongIdentity'
}

/** An error of the source ends the reading with that error. */
const through = (source: AsyncIterable<string | Uint8Array>, filter: ReturnType<typeof createGzip>): Readable => {
  // Whoever reads the filter is told of the error by it.
  pipeline(source, filter).catch(() => {})
  return filter
}

const webStream = (source: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(source) as unknown as ReadableStream<Uint8Array>
