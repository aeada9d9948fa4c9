import { fileURLToPath } from 'node:url'

/** Where the pictures of the documents are. */
export const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url))

/** Bytes of a picture, so that who reads the README on a telephone waits for none. */
export const PICTURE_BYTES_MAX = 150_000
